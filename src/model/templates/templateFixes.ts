import { text, type Text } from '../../util/text';
import { parseEnvFlags } from '../documents/envFlags';
import { envFlagsToObject, envObjectToFlags, type EnvObject } from '../documents/envObject';
import type { Fix } from '../documents/finding';
import { JsonPlaces, type TextChange } from '../documents/jsonPlaces';
import { isPlainObject, referencesIn } from './templateDocument';
import type { ReferenceSlot } from './templateReference';

export const edit = (title: Text, changes: readonly TextChange[], preferred = false): Fix => ({
  title,
  action: { kind: 'edit', changes },
  preferred,
});

/** Returns the fixes that give the references at a path another value. */
export function referenceChanges(fields: Readonly<Record<string, unknown>>): readonly Fix[] {
  return [...referencesIn(fields)].map(([slot, name]) => ({
    title: text('Change the Secret {0}…', name),
    action: { kind: 'changeSecret', slot },
  }));
}

/** Returns the two rewrites of an environment, if they lose nothing. */
export function environmentRewrites(source: string): readonly Fix[] {
  const places = new JsonPlaces(source);
  const env = places.value(['env']);
  if (typeof env === 'string') {
    const object = envFlagsToObject(env);
    return object ? [edit(text('Write the environment as an object'), places.set('env', object))] : [];
  }
  const isObject = typeof env === 'object' && env !== null && !Array.isArray(env);
  if (!isObject || !Object.values(env).every((value) => typeof value === 'string')) {
    return [];
  }
  const flags = envObjectToFlags(env as EnvObject);
  return parseEnvFlags(flags).problems.length === 0
    ? [edit(text('Write the environment as flags'), places.set('env', flags))]
    : [];
}

/**
 * Puts a reference in place of a plain secret, or adds the variable. Turns an environment of flags into an object.
 * Returns `undefined` if that would lose something.
 */
export function replaceByReference(
  source: string,
  slot: ReferenceSlot,
  reference: string,
): readonly TextChange[] | undefined {
  const places = new JsonPlaces(source);
  if (slot === 'docker_login_pass') {
    return places.set(slot, reference);
  }
  return changeVariable(places, slot.slice('env.'.length), reference);
}

/** Removes a variable that becomes a secret of the account. */
export function removeVariable(source: string, name: string): readonly TextChange[] | undefined {
  return changeVariable(new JsonPlaces(source), name, undefined);
}

/** Adds a variable to the environment; `undefined` if it is there already, or if something would be lost. */
export function addVariable(
  places: JsonPlaces,
  name: string,
  value: string,
): readonly TextChange[] | undefined {
  const env = places.value(['env']) ?? {};
  const known = typeof env === 'string' ? envFlagsToObject(env) : env;
  return isPlainObject(known) && !Object.hasOwn(known, name)
    ? changeVariable(places, name, value)
    : undefined;
}

function changeVariable(
  places: JsonPlaces,
  name: string,
  value: string | undefined,
): readonly TextChange[] | undefined {
  const env = places.value(['env']);
  if (typeof env !== 'string') {
    if (value === undefined) {
      return places.remove(['env', name]);
    }
    const changes = places.replace(['env', name], value);
    const others = env ?? {};
    return changes.length > 0 || !isPlainObject(others)
      ? changes
      : places.set('env', { ...others, [name]: value });
  }
  const object = envFlagsToObject(env);
  if (!object) {
    return undefined;
  }
  const others = Object.fromEntries(Object.entries(object).filter(([key]) => key !== name));
  return places.set('env', value === undefined ? others : { ...object, [name]: value });
}
