import { text } from '../../util/text';
import { resolveEnv, strayReference } from './envReferences';
import {
  asObject,
  asText,
  DocumentError,
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

function valueOf(name: string, path: readonly string[], lookUp: ResolveReference): string {
  const secret = lookUp(name);
  if (secret === undefined) {
    throw new MissingSecretError(name, path);
  }
  return secret;
}

function wireEnv(env: unknown, lookUp: ResolveReference): string {
  const stray = strayReference(env);
  if (stray !== undefined) {
    throw new DocumentError(
      text(
        "The environment has {0} where it can't be replaced by the secret. Make it the whole value of a variable that is set once, such as -e NAME={0}, then save again.",
        stray,
      ),
      ['env'],
    );
  }
  return resolveEnv(env, (name, variable) => valueOf(name, ['env', variable], lookUp));
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
      const password = asText(value) ?? '';
      const reference = referenceName(password);
      body[name] = reference === undefined ? password : valueOf(reference, [name], lookUp);
    } else {
      body[name] = name === 'extra_filters' ? (asObject(value) ?? {}) : value;
    }
  }
  return body;
}

/** Returns the body that creates a template. It is private unless the document sets another value. */
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
