import { parse, type ParseError } from 'jsonc-parser';
import * as z from 'zod';
import { JsonTooDeepError, tooDeepAt } from '../../util/json';
import { formatText, text, type Text } from '../../util/text';
import type { Span } from '../documents/envFlags';
import { JsonPlaces } from '../documents/jsonPlaces';
import { permissionCategories, type KeyPermissions, type NewApiKey } from './apiKey';
import { keyNameProblem } from './keyInput';
import { permissionMeaning } from './permissionText';

const value = z.union([z.number(), z.string(), z.boolean()]);
const constraint = z
  .strictObject({ eq: value.optional(), lte: z.number().optional(), gte: z.number().optional() })
  .describe('What the value must be: equal (`eq`), at most (`lte`) or at least (`gte`).');
const endpoint = z
  .strictObject({
    constraints: z
      .record(z.string(), constraint)
      .optional()
      .describe('Values that a call must have, such as `{"id": {"eq": 1227}}` for one instance.'),
    params: z.record(z.string(), z.unknown()).optional(),
  })
  .describe('One endpoint of the category; nothing else of it is allowed then.');
const category = z.record(z.string(), endpoint);

/** `{api: {<category>: {}}}`, with constraints for single endpoints (docs/service/authentication.md#constraints). */
const scoped = z.strictObject({
  api: z
    .strictObject(
      Object.fromEntries(
        permissionCategories.map((name) => [
          name,
          category.describe(`${formatText(permissionMeaning[name])}. Empty: all of it.`).optional(),
        ]),
      ),
    )
    .describe('What the key may do, by category. A category that is not there is not allowed.'),
});
const flat = z.strictObject({
  read: z.boolean().optional().describe('See everything; change nothing.'),
  write: z.boolean().optional().describe('Change everything. Spends money.'),
});

/** An API key as a user describes it before it is created. */
export const apiKeyDocument = z.strictObject({
  name: z.string().max(255).optional().describe('Tells what the key is for.'),
  permissions: z.union([scoped, flat]).describe('What the key may do.'),
  ip_whitelist: z
    .array(z.string())
    .optional()
    .describe('IP addresses from which the key works. Empty: from everywhere.'),
});

export function renderApiKeyDocument(name: string, permissions: KeyPermissions): string {
  return `${JSON.stringify({ name, permissions, ip_whitelist: [] }, null, 2)}\n`;
}

export type ReadApiKey =
  | { readonly kind: 'key'; readonly key: NewApiKey }
  | { readonly kind: 'problem'; readonly message: Text; readonly span: Span };

/** Parses a document. Returns the first problem with its place. `isIp` checks a single address. */
export function readApiKeyDocument(source: string, isIp: (address: string) => boolean): ReadApiKey {
  const deep = tooDeepAt(source);
  if (deep !== undefined) {
    return { kind: 'problem', message: new JsonTooDeepError().text, span: { offset: deep, length: 1 } };
  }
  const errors: ParseError[] = [];
  const content: unknown = parse(source, errors, { allowTrailingComma: true });
  const [error] = errors;
  if (error) {
    const span = { offset: error.offset, length: Math.max(1, error.length) };
    return { kind: 'problem', message: text('This is not valid JSON.'), span };
  }
  const problem = (path: readonly string[], message: Text): ReadApiKey => ({
    kind: 'problem',
    message,
    span: new JsonPlaces(source).nearest(path),
  });
  const unknownKey = (path: readonly string[], name: string): ReadApiKey => {
    const places = new JsonPlaces(source);
    const span = places.keySpan([...path, name]) ?? places.nearest(path);
    return { kind: 'problem', message: text('{0} is not allowed here.', name), span };
  };
  const permissions = field(content, 'permissions');
  // Check only the form that the user meant, so that the message fits.
  const shape = apiKeyDocument.extend({
    permissions: field(permissions, 'api') === undefined ? flat : scoped,
  });
  const parsed = shape.safeParse(content);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const path = (issue?.path ?? []).map(String);
    return issue?.code === 'unrecognized_keys'
      ? unknownKey(path, issue.keys[0] ?? '')
      : problem(path, text('"{0}" has a wrong value.', path.join('.') || 'JSON'));
  }
  const { name = '', ip_whitelist: ipWhitelist = [] } = parsed.data;
  const wrong = ipWhitelist.findIndex((address) => !isIp(address));
  if (wrong >= 0) {
    return problem(['ip_whitelist'], text('{0} is not an IP address.', ipWhitelist[wrong] ?? ''));
  }
  const nameProblem = keyNameProblem(name);
  if (nameProblem) {
    return problem(['name'], nameProblem);
  }
  const granted = parsed.data.permissions;
  const grantsNothing =
    'api' in granted ? Object.keys(granted.api).length === 0 : !granted.read && !granted.write;
  return grantsNothing
    ? problem(['permissions'], text('A key needs at least one permission.'))
    : { kind: 'key', key: { name: name.trim(), permissions: granted, ipWhitelist } };
}

function field(of: unknown, name: string): unknown {
  return typeof of === 'object' && of !== null ? Reflect.get(of, name) : undefined;
}
