import { parseJson } from '../../util/json';
/**
 * The members of the arguments as clients send them: as an object, as its JSON text, or as nothing, which some write as
 * `null`, as an empty text or as an empty list.
 */
export function sentMembers(sent: unknown): Readonly<Record<string, unknown>> | undefined {
  if (sent === undefined || sent === null || sent === '' || (Array.isArray(sent) && sent.length === 0)) {
    return {};
  }
  if (typeof sent === 'string') {
    const value = parsed(sent);
    return typeof value === 'string' ? undefined : sentMembers(value);
  }
  return typeof sent === 'object' && !Array.isArray(sent) ? { ...sent } : undefined;
}

function parsed(sent: string): unknown {
  try {
    return parseJson(sent);
  } catch {
    return sent;
  }
}

/** The names of members that a tool does not know, for its answer: they had no effect. */
export function ignoredMembers(sent: unknown, known: Readonly<Record<string, unknown>>): readonly string[] {
  return Object.entries(sentMembers(sent) ?? {})
    .filter(([name, value]) => !Object.hasOwn(known, name) && value !== null)
    .map(([name]) => name.replace(/[^\w.-]/g, '_').slice(0, 40))
    .slice(0, 3);
}
