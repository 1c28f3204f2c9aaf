import { text } from '../../util/text';
import { envFlagsToObject, envObjectToFlags } from '../documents/envObject';
import {
  asObject,
  asText,
  DocumentError,
  isPlainObject,
  type DocumentChanges,
  type DocumentFields,
} from './templateDocument';
import { fieldOrder, requiredFields, resetValue, serviceFields } from './templateFields';
import { referenceName } from './templateReference';

/** Thrown if the value of a reference is missing on this computer and so can't be sent. */
export class MissingSecretError extends DocumentError {
  constructor(
    readonly reference: string,
    path: readonly string[],
  ) {
    super(
      text(
        'The secret "{0}" has no value for this template on this computer. Enter it with the quick fix on this line, then save again.',
        reference,
      ),
      path,
    );
  }
}

/** Returns the value of a reference by name, or `undefined` if this computer does not have it. */
export type ResolveReference = (name: string) => string | undefined;

function resolve(value: string, path: readonly string[], lookUp: ResolveReference): string {
  const name = referenceName(value);
  if (name === undefined) {
    return value;
  }
  const secret = lookUp(name);
  if (secret === undefined) {
    throw new MissingSecretError(name, path);
  }
  return secret;
}

function wireEnv(env: unknown, lookUp: ResolveReference): string {
  if (isPlainObject(env)) {
    const resolved = Object.entries(env).map(([name, value]) => [
      name,
      resolve(String(value), ['env', name], lookUp),
    ]);
    return envObjectToFlags(Object.fromEntries(resolved) as Record<string, string>);
  }
  const source = typeof env === 'string' ? env : '';
  const object = envFlagsToObject(source);
  // Send the text unchanged unless a reference in it has to be replaced.
  return object && Object.values(object).some((value) => referenceName(value) !== undefined)
    ? wireEnv(object, lookUp)
    : source;
}

/**
 * Returns the body of an edit without `hash_id`: the changed fields in the service's form, with references resolved
 * (docs/service/templates.md#edit). Throws `MissingSecretError` if a reference has no value on this computer.
 */
export function wireChanges(changes: DocumentChanges, lookUp: ResolveReference): Record<string, unknown> {
  const body: Record<string, unknown> = {};
  for (const [name, written] of changes) {
    const value = written === undefined ? resetValue(name) : written;
    if (name === 'env') {
      body[name] = wireEnv(value, lookUp);
    } else if (name === 'docker_login_pass') {
      body[name] = resolve(asText(value) ?? '', [name], lookUp);
    } else {
      body[name] = name === 'extra_filters' ? (asObject(value) ?? {}) : value;
    }
  }
  return body;
}

/** Returns the body that creates a template. It is private unless the document says otherwise. */
export function wireTemplate(fields: DocumentFields, lookUp: ResolveReference): Record<string, unknown> {
  const written = Object.entries({
    ...Object.fromEntries(requiredFields.map((name) => [name, ''])),
    private: true,
    ...fields,
  }).filter(([name]) => !serviceFields.has(name));
  return wireChanges(new Map(written), lookUp);
}

/** Returns the field that a refusal is about: one that the message names, or the only one sent. */
export function fieldOfRefusal(message: string, sent: readonly string[]): string | undefined {
  const lower = message.toLowerCase();
  const words = new Set(lower.split(/[^a-z0-9_]+/));
  const named = (name: string) => words.has(name.toLowerCase());
  return (
    sent.find(named) ??
    fieldOrder.find((name) => name !== 'private' && named(name)) ??
    (sent.length === 1 ? sent[0] : undefined)
  );
}
