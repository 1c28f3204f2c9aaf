import { envFlagsToObject } from '../documents/envObject';
import { documentChanges, isPlainObject, sameField, sameJson, type DocumentFields } from './templateDocument';
import { absentValue, serviceFields } from './templateFields';

/** A place that both sides changed in different ways. */
export interface Conflict {
  /** The field; below `env` and `extra_filters` also the name in it. */
  readonly path: readonly string[];
  readonly base: unknown;
  readonly mine: unknown;
  readonly theirs: unknown;
}

export interface Merge {
  /** The merged document, with my value at each conflict. */
  readonly fields: DocumentFields;
  readonly conflicts: readonly Conflict[];
}

/** How many levels of names a field is merged by. All other fields are merged as one value. */
const depths: Readonly<Record<string, number>> = { env: 1, extra_filters: 2 };

function get(from: DocumentFields, key: string): unknown {
  return Object.hasOwn(from, key) ? from[key] : undefined;
}

function mergeObjects(
  sides: { readonly base: DocumentFields; readonly mine: DocumentFields; readonly theirs: DocumentFields },
  path: readonly string[],
  depth: number,
  conflicts: Conflict[],
): DocumentFields {
  const names = new Set([...Object.keys(sides.mine), ...Object.keys(sides.theirs)]);
  const merged: [string, unknown][] = [];
  for (const name of names) {
    const base = get(sides.base, name);
    const mine = get(sides.mine, name);
    const theirs = get(sides.theirs, name);
    const value = mergeValue({ base, mine, theirs }, [...path, name], depth, conflicts);
    if (value !== undefined) {
      merged.push([name, value]);
    }
  }
  // A key deleted on both sides needs no merge; one deleted on one side and changed on the other is found above.
  return Object.fromEntries(merged);
}

/** Converts the text of an environment to an object if nothing gets lost, so that variables merge one by one. */
function comparable(name: string, value: unknown): unknown {
  const present = value === undefined ? absentValue(name) : value;
  if (name === 'env' && typeof present === 'string') {
    return envFlagsToObject(present) ?? present;
  }
  return present;
}

function mergeValue(
  value: { readonly base: unknown; readonly mine: unknown; readonly theirs: unknown },
  path: readonly string[],
  depth: number,
  conflicts: Conflict[],
): unknown {
  const [field = ''] = path;
  const same = path.length === 1 ? (a: unknown, b: unknown) => sameField(field, a, b) : sameJson;
  if (same(value.base, value.theirs) || same(value.mine, value.theirs)) {
    return value.mine;
  }
  if (same(value.base, value.mine)) {
    return value.theirs;
  }
  if (depth > 0) {
    const mine = path.length === 1 ? comparable(field, value.mine) : value.mine;
    const theirs = path.length === 1 ? comparable(field, value.theirs) : value.theirs;
    const base = path.length === 1 ? comparable(field, value.base) : value.base;
    if (isPlainObject(mine) && isPlainObject(theirs)) {
      const sides = { base: isPlainObject(base) ? base : {}, mine, theirs };
      return mergeObjects(sides, path, depth - 1, conflicts);
    }
  }
  conflicts.push({ path, ...value });
  return value.mine;
}

/**
 * Merges three versions. A change on one side is taken; different changes of the same place keep mine and become a
 * conflict. Variables and filters merge one by one. No edit of either side is lost without a conflict.
 */
export function mergeDocuments(base: DocumentFields, mine: DocumentFields, theirs: DocumentFields): Merge {
  const conflicts: Conflict[] = [];
  const merged: [string, unknown][] = [];
  const names = new Set([...Object.keys(mine), ...Object.keys(theirs), ...Object.keys(base)]);
  for (const name of names) {
    const sides = { base: get(base, name), mine: get(mine, name), theirs: get(theirs, name) };
    const value = serviceFields.has(name)
      ? sides.theirs
      : mergeValue(sides, [name], depths[name] ?? 0, conflicts);
    if (value !== undefined) {
      merged.push([name, value]);
    }
  }
  return { fields: Object.fromEntries(merged), conflicts };
}

/** Returns my version with one conflicting place taken from theirs. */
export function withTheirs(mine: DocumentFields, conflict: Conflict): DocumentFields {
  const [name, ...rest] = conflict.path;
  if (name === undefined) {
    return mine;
  }
  const inner = comparable(name, get(mine, name));
  const value =
    rest.length > 0 && isPlainObject(inner)
      ? withTheirs(inner, { ...conflict, path: rest })
      : conflict.theirs;
  const others = Object.fromEntries(Object.entries(mine).filter(([key]) => key !== name));
  if (value === undefined) {
    return others;
  }
  // Keeps the position of the key.
  return Object.hasOwn(mine, name)
    ? Object.fromEntries(Object.entries(mine).map(([key, old]) => [key, key === name ? value : old]))
    : { ...others, [name]: value };
}

/** Returns true if saving `mine` over `theirs` would send nothing. */
export function sameDocument(left: DocumentFields, right: DocumentFields): boolean {
  return documentChanges(left, right).size === 0;
}
