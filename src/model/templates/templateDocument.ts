import { UserError } from '../../util/errors';
import { JsonTooDeepError, parseJson } from '../../util/json';
import { text, type Text } from '../../util/text';
import type { TemplateRecordField } from '../../wire/template';
import { parseEnvFlags, replaceValues, type EnvEntry } from '../documents/envFlags';
import { envEntries, envObjectToFlags, readEnv } from '../documents/envObject';
import { jsonText } from '../documents/jsonText';
import { envReferences, hideEnv, strayReference } from './envReferences';
import {
  absentValue,
  fieldOrder,
  isTemplateField,
  requiredFields,
  serviceFields,
  templateFields,
} from './templateFields';
import {
  makeReference,
  referenceName,
  registryReference,
  type HeldReferences,
  type ReferenceSlot,
} from './templateReference';

/** The parsed document: all fields by name, including unknown ones. */
export type DocumentFields = Readonly<Record<string, unknown>>;

type Raw = Readonly<Record<string, unknown>>;

export function isPlainObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function asText(value: unknown): string | undefined {
  return typeof value === 'string' ? value : typeof value === 'number' ? String(value) : undefined;
}

function asFlag(value: unknown): boolean | undefined {
  if (typeof value === 'boolean') {
    return value;
  }
  if (value === 1 || value === 'true' || value === '1') {
    return true;
  }
  if (value === 0 || value === 'false' || value === '0') {
    return false;
  }
  return undefined;
}

function asAmount(value: unknown): number | undefined {
  const parsed = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  return typeof parsed === 'number' && Number.isFinite(parsed) ? parsed : undefined;
}

/** `extra_filters` and `volume_info` may arrive as JSON text (docs/service/templates.md#record). */
export function asObject(value: unknown): unknown {
  if (typeof value !== 'string') {
    return isPlainObject(value) ? value : undefined;
  }
  try {
    const parsed: unknown = parseJson(value);
    return isPlainObject(parsed) ? parsed : value.trim() === '' || parsed === null ? undefined : value;
  } catch {
    return value.trim() === '' ? undefined : value;
  }
}

/** Returns the filters of a record as an object; empty if there are none or they can't be read. */
export function readFilters(value: unknown): Readonly<Record<string, Readonly<Record<string, unknown>>>> {
  const filters = asObject(value);
  return isPlainObject(filters)
    ? Object.fromEntries(
        Object.entries(filters).filter((entry): entry is [string, Raw] => isPlainObject(entry[1])),
      )
    : {};
}

const booleans: ReadonlySet<string> = new Set<TemplateRecordField>([
  'ssh_direct',
  'use_ssh',
  'jup_direct',
  'use_jupyter_lab',
  'private',
  'readme_visible',
]);

function readField(name: string, value: unknown): unknown {
  if (booleans.has(name)) {
    return asFlag(value);
  }
  switch (name) {
    case 'recommended_disk_space':
      return asAmount(value);
    case 'env':
      return readEnv(value);
    case 'extra_filters':
      return asObject(value);
    case 'volume_info': {
      const info = asObject(value);
      return isPlainObject(info) ? info : undefined;
    }
    default:
      return asText(value);
  }
}

/** Returns true for values that a new document omits, because no user would write them. */
function isNoise(name: string, value: unknown): boolean {
  if (value === undefined || value === '') {
    return true;
  }
  if (name === 'private' || name === 'readme_visible') {
    return false;
  }
  return value === false || (isPlainObject(value) && Object.keys(value).length === 0);
}

/** Returns a reference instead of the password, which never appears in a document, if the record uses a registry. */
function registryPassword(raw: Raw, held: HeldReferences): string {
  const used = [raw['docker_login_pass'], raw['docker_login_user'], raw['docker_login_repo']].some(
    (value) => typeof value === 'string' && value !== '',
  );
  const id = asAmount(raw['id']) ?? 0;
  return used ? makeReference(held.get('docker_login_pass')?.name ?? registryReference(id)) : '';
}

/** Returns the document of a record from the service, with references in place of the secrets stored here. */
export function documentFields(raw: Raw, held: HeldReferences = new Map()): DocumentFields {
  const fields: [string, unknown][] = [];
  for (const name of fieldOrder) {
    if (name === 'docker_login_pass') {
      fields.push([name, registryPassword(raw, held)]);
      continue;
    }
    const value = readField(name, raw[name]);
    const required = (requiredFields as readonly string[]).includes(name);
    if (required) {
      fields.push([name, value ?? '']);
    } else if (!isNoise(name, value)) {
      fields.push([name, name === 'env' ? hideEnv(value, held) : value]);
    }
  }
  for (const [name, value] of Object.entries(raw)) {
    if (
      !isTemplateField(name) &&
      !serviceFields.has(name) &&
      value !== null &&
      value !== '' &&
      value !== undefined
    ) {
      fields.push([name, value]);
    }
  }
  return Object.fromEntries(fields);
}

/** Returns the document with references in place of these values. */
export function withoutValues(fields: DocumentFields, held: HeldReferences): DocumentFields {
  const password = held.get('docker_login_pass');
  return {
    ...fields,
    ...(held.size > 0 && Object.hasOwn(fields, 'env') ? { env: hideEnv(fields['env'], held) } : {}),
    ...(password ? { docker_login_pass: makeReference(password.name) } : {}),
  };
}

/** Returns the text of a document, with a final newline. */
export function renderDocument(fields: DocumentFields): string {
  return `${jsonText(fields, 2)}\n`;
}

/** Thrown if the document can't be saved as it is; `path` names the place. */
export class DocumentError extends UserError {
  constructor(
    message: Text,
    readonly path: readonly string[] = [],
  ) {
    super(message);
  }
}

/**
 * Parses the text of a document. Fields equal to `base` are not checked, because values from the service must stay
 * valid. @throws DocumentError if the text is not a JSON object or a field has the wrong type.
 */
export function parseDocument(source: string, base?: DocumentFields): DocumentFields {
  let value: unknown;
  try {
    value = parseJson(source);
  } catch (error) {
    if (error instanceof JsonTooDeepError) {
      throw new DocumentError(error.text);
    }
    throw new DocumentError(text('The document is not valid JSON. Correct the marked place and save again.'));
  }
  if (!isPlainObject(value)) {
    throw new DocumentError(text('A template is a JSON object: it starts with "{" and ends with "}".'));
  }
  const isKept = (name: string) => base !== undefined && sameField(name, base[name], value[name]);
  const wrong = templateFields
    .safeParse(value)
    .error?.issues.map(({ path }) => path.map(String))
    .find(([name = '']) => !isKept(name));
  if (wrong) {
    throw new DocumentError(text('"{0}" has a wrong value.', wrong.join('.')), wrong);
  }
  for (const name of ['name', 'image'] as const) {
    const filled = value[name];
    if (!isKept(name) && (typeof filled !== 'string' || filled.trim() === '')) {
      throw new DocumentError(text('A template needs "{0}". Fill it in and save again.', name), [name]);
    }
  }
  return value;
}

/** Compares JSON values, ignoring the order of keys. */
export function sameJson(left: unknown, right: unknown): boolean {
  if (left === right) {
    return true;
  }
  if (Array.isArray(left) && Array.isArray(right)) {
    return left.length === right.length && left.every((item, index) => sameJson(item, right[index]));
  }
  if (!isPlainObject(left) || !isPlainObject(right)) {
    return false;
  }
  const keys = Object.keys(left);
  return (
    keys.length === Object.keys(right).length &&
    keys.every((key) => Object.hasOwn(right, key) && sameJson(left[key], right[key]))
  );
}

/** Returns the entries of either form of an environment, or the text if it can't be parsed. */
function envMeaning(env: unknown): readonly EnvEntry[] | string {
  if (isPlainObject(env)) {
    const object = Object.fromEntries(Object.entries(env).map(([name, value]) => [name, String(value)]));
    const { entries, problems } = envEntries(object);
    return problems.length > 0 ? envObjectToFlags(object) : entries;
  }
  const source = typeof env === 'string' ? env : '';
  const { entries, problems } = parseEnvFlags(source);
  return problems.length > 0 ? source : entries.map(({ entry }) => entry);
}

/** Returns whether two values of a field mean the same, in any form. */
export function sameField(name: string, left: unknown, right: unknown): boolean {
  const first = left === undefined ? absentValue(name) : left;
  const second = right === undefined ? absentValue(name) : right;
  if (name === 'env') {
    return sameJson(envMeaning(first), envMeaning(second));
  }
  if (name === 'extra_filters') {
    return sameJson(asObject(first) ?? {}, asObject(second) ?? {});
  }
  return sameJson(first, second);
}

/** Fields that differ from the base, with their new value; `undefined` for a deleted key. */
export type DocumentChanges = ReadonlyMap<string, unknown>;

/** Returns the differences between two documents, except in fields that only the service sets. */
export function documentChanges(base: DocumentFields, mine: DocumentFields): DocumentChanges {
  const changes = new Map<string, unknown>();
  for (const name of new Set([...Object.keys(base), ...Object.keys(mine)])) {
    const before = Object.hasOwn(base, name) ? base[name] : undefined;
    const after = Object.hasOwn(mine, name) ? mine[name] : undefined;
    if (!serviceFields.has(name) && !sameField(name, before, after)) {
      changes.set(name, after);
    }
  }
  return changes;
}

/** Returns the references in a document with their places. */
export function referencesIn(fields: DocumentFields): ReadonlyMap<ReferenceSlot, string> {
  const password = referenceName(asText(fields['docker_login_pass']) ?? '');
  return new Map<ReferenceSlot, string>([
    ...(password === undefined ? [] : [['docker_login_pass', password] as const]),
    ...[...envReferences(fields['env'])].map(([variable, name]) => [`env.${variable}`, name] as const),
  ]);
}

/** Returns the places where a public document holds a secret: a reference or a plain password. */
export function secretsInPublic(fields: DocumentFields): readonly ReferenceSlot[] {
  if (fields['private'] !== false) {
    return [];
  }
  const stray = strayReference(fields['env']);
  const hasPassword = (asText(fields['docker_login_pass']) ?? '') !== '';
  return [
    ...referencesIn(fields).keys(),
    ...(stray === undefined ? [] : ([`env.${stray}`] as const)),
    ...(hasPassword ? (['docker_login_pass'] as const) : []),
  ];
}

/** Returns the document without the references that it may not use. Their variables stay, with empty values. */
export function withoutReferences(fields: DocumentFields, mayUse: ReadonlySet<string>): DocumentFields {
  const emptied = (value: unknown) => {
    const name = typeof value === 'string' ? referenceName(value) : undefined;
    return name === undefined || mayUse.has(name) ? undefined : '';
  };
  const { env, docker_login_pass: password } = fields;
  return {
    ...fields,
    ...(emptied(password) === '' ? { docker_login_pass: '' } : {}),
    ...(typeof env === 'string' ? { env: replaceValues(env, (_, value) => emptied(value)) } : {}),
    ...(isPlainObject(env)
      ? {
          env: Object.fromEntries(
            Object.entries(env).map(([name, value]) => [name, emptied(value) ?? value]),
          ),
        }
      : {}),
  };
}
