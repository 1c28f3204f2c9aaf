/**
 * The references in an environment. Only the whole value of a variable can be one: anywhere else, its place in the flag
 * text that is sent would depend on the quotes around it.
 */

import { formatEnvFlags, parseEnvFlags, replaceValues } from '../documents/envFlags';
import { envText } from '../documents/envObject';
import {
  findReference,
  looksSecret,
  makeReference,
  referenceName,
  type HeldReferences,
  type ReferenceSlot,
} from './templateReference';

/** Returns the names of references by variable. The last value of a variable wins. */
export function envReferences(env: unknown): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const { entry } of parseEnvFlags(envText(env)).entries) {
    const name = entry.kind === 'variable' ? referenceName(entry.value) : undefined;
    if (entry.kind === 'variable' && name !== undefined) {
      found.set(entry.name, name);
    }
  }
  return found;
}

/** Returns true if the variable has this value in the environment. */
export function hasValue(env: unknown, variable: string, value: string): boolean {
  return parseEnvFlags(envText(env)).entries.some(
    ({ entry }) => entry.kind === 'variable' && entry.name === variable && entry.value === value,
  );
}

/** Returns the variables whose values look like secrets. */
export function secretVariables(env: unknown): ReadonlyMap<string, string> {
  return new Map(
    parseEnvFlags(envText(env)).entries.flatMap(({ entry }) =>
      entry.kind === 'variable' && looksSecret(entry.name, entry.value)
        ? [[entry.name, entry.value] as const]
        : [],
    ),
  );
}

/**
 * Returns the places of an environment that have this value. In a text that can't be read,
 * `hideEnv` finds it wherever it is, so there the name of its reference is used for the variable.
 */
export function slotsWith(
  env: unknown,
  { name, value }: { readonly name: string; readonly value: string },
): readonly ReferenceSlot[] {
  const text = envText(env);
  const slots = parseEnvFlags(text).entries.flatMap(({ entry }): ReferenceSlot[] =>
    entry.kind === 'variable' && entry.value === value ? [`env.${entry.name}`] : [],
  );
  return slots.length === 0 && typeof env === 'string' && text.includes(value) ? [`env.${name}`] : slots;
}

/** Returns a reference that is not the one of a variable, and so can't be replaced by its value. */
export function strayReference(env: unknown): string | undefined {
  const references = envReferences(env);
  const rest = replaceValues(envText(env), (variable, value) => {
    const name = referenceName(value);
    return name !== undefined && references.get(variable) === name ? '' : undefined;
  });
  return findReference(rest);
}

/**
 * Returns the flag text with the value of each reference in its place. Several lines, as
 * for a shell, become one, because some readers of this form don't know continued lines.
 */
export function resolveEnv(env: unknown, valueOf: (reference: string, variable: string) => string): string {
  const resolved = replaceValues(envText(env), (variable, value) => {
    const name = referenceName(value);
    return name === undefined ? undefined : valueOf(name, variable);
  });
  const { entries, problems } = parseEnvFlags(resolved);
  return problems.length === 0 && /[\r\n]/.test(resolved)
    ? formatEnvFlags(entries.map(({ entry }) => entry))
    : resolved;
}

/** Replaces the values that this computer keeps secret by references. */
export function hideEnv(env: unknown, held: HeldReferences): unknown {
  const referenceFor = (variable: string, value: unknown) => {
    const reference = held.get(`env.${variable}`);
    return reference && reference.value === value ? makeReference(reference.name) : undefined;
  };
  if (typeof env === 'string') {
    // Unreadable parts of the text may hold a value too.
    let hidden = env;
    for (const [slot, { name, value }] of held) {
      if (slot.startsWith('env.') && value !== undefined && value.length >= 4) {
        hidden = hidden.replaceAll(value, () => makeReference(name));
      }
    }
    return replaceValues(hidden, referenceFor);
  }
  if (typeof env !== 'object' || env === null || Array.isArray(env)) {
    return env;
  }
  return Object.fromEntries(
    Object.entries(env).map(([name, value]) => [name, referenceFor(name, value) ?? value]),
  );
}
