/**
 * The object form of an environment, and its lossless conversion from and to the flag form
 * (docs/service/templates.md#environment).
 */

import { formatEnvFlags, parseEnvFlags, readVariable, type EnvEntry, type EnvProblemKind } from './envFlags';

/**
 * Variables by name; ports and other flags are keys such as `-p 8080:80` with the value `1`. A host name is `-h` with the
 * name for its value, as the service's command-line client sends it (vast-cli `cli/util.py`).
 */
export type EnvObject = Readonly<Record<string, string>>;

/** Returns the key and the value of an entry in the object form. */
export function objectEntry(entry: EnvEntry): readonly [string, string] {
  if (entry.kind === 'flag' && entry.flag === '-h' && entry.value !== undefined) {
    return [entry.flag, entry.value];
  }
  return entry.kind === 'variable' ? [entry.name, entry.value] : [formatEnvFlags([entry]), '1'];
}

/** Returns the flag text of a key that starts with `-`; a flag without its argument has it for its value. */
function flagText(key: string, value: string): string {
  const isWhole = /[\s=]/.test(key.trim()) || !/^--?[A-Za-z]/.test(key);
  const alone = isWhole || value === '' ? undefined : parseEnvFlags(key);
  const needsValue = alone?.problems[0]?.kind === 'missingValue';
  // `1` and `true` mean that a switch is set.
  return needsValue || (alone?.problems.length === 0 && !['1', 'true'].includes(value))
    ? `${key.trim()} ${formatEnvFlags([{ kind: 'flag', flag: value }])}`
    : key;
}

/** Returns `undefined` if an object can't hold the entries: a name occurs twice, or a name looks like a flag. */
export function envObject(entries: readonly EnvEntry[]): EnvObject | undefined {
  const pairs = entries.map(objectEntry);
  const names = new Set(pairs.map(([name]) => name));
  const ambiguous = entries.some((entry) =>
    entry.kind === 'variable'
      ? // Engines sort keys that look like array indexes first, which would change the order.
        entry.name.startsWith('-') || entry.name === '__proto__' || /^\d+$/.test(entry.name)
      : !formatEnvFlags([entry]).startsWith('-'),
  );
  return ambiguous || names.size !== pairs.length ? undefined : Object.fromEntries(pairs);
}

/** Returns the entries of an object form. Keys that start with `-` are flags. */
export function envEntries(env: EnvObject): {
  entries: EnvEntry[];
  problems: { key: string; kind: EnvProblemKind }[];
} {
  const entries: EnvEntry[] = [];
  const problems: { key: string; kind: EnvProblemKind }[] = [];
  for (const [key, value] of Object.entries(env)) {
    if (!key.startsWith('-')) {
      if (key === '' || key.includes('=')) {
        problems.push({ key, kind: 'badName' });
      } else {
        entries.push({ kind: 'variable', name: key, value });
      }
      continue;
    }
    const parsed = parseEnvFlags(flagText(key, value));
    const [problem] = parsed.problems;
    if (problem || parsed.entries.length !== 1) {
      problems.push({ key, kind: problem?.kind ?? 'strayWord' });
    } else {
      entries.push(...parsed.entries.map(({ entry }) => entry));
    }
  }
  return { entries, problems };
}

/** Converts a flag text to an object. Returns `undefined` if that would lose something. */
export function envFlagsToObject(text: string): EnvObject | undefined {
  const { entries, problems } = parseEnvFlags(text);
  return problems.length > 0 ? undefined : envObject(entries.map(({ entry }) => entry));
}

/** Returns whether every part of an environment in either form can be read. */
export function isReadableEnv(env: unknown): boolean {
  return parseEnvFlags(envText(env)).problems.length === 0;
}

/** Returns what can be read of a flag text; the last value of a name wins. */
export function readableEnv(text: string): EnvObject {
  return Object.fromEntries(parseEnvFlags(text).entries.map(({ entry }) => objectEntry(entry)));
}

/** Converts an object to a flag text. Unreadable keys are written unchanged, so that the service decides about them. */
export function envObjectToFlags(env: EnvObject): string {
  return Object.entries(env)
    .map(([key, value]) => {
      if (!key.startsWith('-')) {
        return formatEnvFlags([{ kind: 'variable', name: key, value }]);
      }
      const { entries, problems } = parseEnvFlags(flagText(key, value));
      return problems.length > 0 ? key : formatEnvFlags(entries.map(({ entry }) => entry));
    })
    .join(' ');
}

/** Returns the flag text of either form of an environment; empty for any other value. */
export function envText(env: unknown): string {
  if (typeof env !== 'object' || env === null || Array.isArray(env)) {
    return typeof env === 'string' ? env : '';
  }
  return envObjectToFlags(
    Object.fromEntries(Object.entries(env).map(([key, value]) => [key, String(value)])),
  );
}

/** Reads an element of the list form: a pair of name and value, or both in one text. */
function envPair(item: unknown): [string, string][] {
  if (Array.isArray(item)) {
    return typeof item[0] === 'string' ? [[item[0], envValue(item[1] ?? '')]] : [];
  }
  const read = typeof item === 'string' ? readVariable(item) : undefined;
  return typeof read === 'object' && read.kind === 'variable' ? [[read.name, read.value]] : [];
}

function envValue(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function envOfPairs(pairs: readonly (readonly [string, string])[]): EnvObject | string | undefined {
  if (pairs.length === 0) {
    return undefined;
  }
  const read = pairs.map(([key, value]) => envEntries({ [key]: value }));
  const entries = read.flatMap((one) => one.entries);
  const isReadable = read.every(({ problems }) => problems.length === 0);
  const names = new Set(pairs.map(([key]) => key));
  // Keep unreadable entries unchanged; the document marks them.
  return isReadable || names.size < pairs.length
    ? (envObject(entries) ?? formatEnvFlags(entries))
    : Object.fromEntries(pairs);
}

/**
 * Reads the environment of a record in any form: flag text, an object, pairs, or texts `NAME=value`
 * (docs/service/templates.md#environment). Returns an object if that loses nothing, otherwise flag text.
 */
export function readEnv(value: unknown): EnvObject | string | undefined {
  if (typeof value === 'string') {
    return value.trim() === '' ? undefined : (envFlagsToObject(value) ?? value);
  }
  if (Array.isArray(value)) {
    return envOfPairs(value.flatMap(envPair));
  }
  if (typeof value === 'object' && value !== null) {
    const pairs = Object.entries(value).map(([key, item]: [string, unknown]): [string, string] => [
      key,
      envValue(item),
    ]);
    return pairs.length === 0 ? undefined : Object.fromEntries(pairs);
  }
  return undefined;
}
