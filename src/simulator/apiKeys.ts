import { isIP } from 'node:net';
import { isPermissionSet } from './auth';
import { BodyReader, isObject } from './body';
import { callerOf, ok, route, ServiceError, type Route } from './route';
import type { KeyRecord } from './state';
import type { World } from './world';

const longestName = 255;

const reads = { permission: 'user_read', endpoint: 'api.apikeys', everySeconds: 1 } as const;
const writes = { permission: 'user_write', endpoint: 'api.apikeys', everySeconds: 2 } as const;

/** API keys of the account (docs/service/api-keys.md#create). Values are neither stored nor listed. */
export function apiKeyRoutes(world: World): Route[] {
  return [
    route('GET /api/v0/auth/apikeys/', reads, (request) => {
      const { accountId } = callerOf(request);
      return ok({ apikeys: world.keys.list(accountId).map((key) => keyRow(world, key)) });
    }),
    route('GET /api/v0/auth/apikeys/{id}/', reads, (request) => {
      const { accountId } = callerOf(request);
      return ok(keyRow(world, ownKey(world, accountId, request.params['id'])));
    }),
    route('POST /api/v0/auth/apikeys/', writes, (request) => {
      const { accountId } = callerOf(request);
      const created = world.keys.create({ accountId, ...wantedKey(request.body) });
      world.changed();
      // The sample shows a boolean, but the public service sends the object
      // (docs/service/api-keys.md#create).
      return ok({ id: created.record.id, key: created.value, permissions: true });
    }),
    route('DELETE /api/v0/auth/apikeys/{id}/', writes, (request) => {
      const { accountId } = callerOf(request);
      const key = ownKey(world, accountId, request.params['id']);
      if (key.id === world.keys.find(world.apiKey)?.id) {
        throw new ServiceError(400, undefined, 'The key of the simulator itself has to stay.');
      }
      world.keys.remove(key.id);
      world.changed();
      // The public service answers a bare JSON text (docs/service/api-keys.md#delete).
      return ok('Successfully Deleted API Key');
    }),
  ];
}

/** Refusals of this call have `msg` alone (docs/service/api-keys.md#delete). */
function ownKey(world: World, accountId: number, idText: string | undefined): KeyRecord {
  const id = Number(idText);
  const key = world.keys.byId(id);
  if (!key || key.onlyInstance !== undefined) {
    throw new ServiceError(404, undefined, 'API key not found.');
  }
  if (key.accountId !== accountId) {
    throw new ServiceError(403, undefined, 'This API key belongs to somebody else.');
  }
  return key;
}

function wantedKey(body: unknown): Pick<KeyRecord, 'name' | 'permissions' | 'ipWhitelist'> {
  const reader = BodyReader.of(body, 'invalid_permissions');
  const name = reader.text('name') ?? '';
  if (name.length > longestName) {
    throw new ServiceError(400, 'invalid_args', `name must be at most ${longestName} characters.`);
  }
  if (!reader.has('permissions')) {
    throw new ServiceError(400, 'missing_permissions', 'permissions are required');
  }
  const permissions = reader.fields['permissions'];
  if (!isPermissionSet(permissions)) {
    throw new ServiceError(400, 'invalid_permissions', 'invalid permission format');
  }
  const ipWhitelist = whitelist(reader.fields['key_params']);
  return { name, permissions, ...(ipWhitelist && { ipWhitelist }) };
}

/**
 * `key_params` is an object; the public command-line client sends it as a JSON text
 * (docs/service/api-keys.md#create).
 */
function whitelist(keyParams: unknown): string[] | undefined {
  const params = typeof keyParams === 'string' ? parsed(keyParams) : keyParams;
  if (params === undefined || params === null) {
    return undefined;
  }
  const list = isObject(params) ? (params['ip_whitelist'] ?? []) : undefined;
  if (!Array.isArray(list) || !list.every((each) => typeof each === 'string' && isIP(each) !== 0)) {
    throw new ServiceError(400, 'invalid_args', 'key_params.ip_whitelist must be a list of IP addresses.');
  }
  return list.length > 0 ? list.map(String) : undefined;
}

function parsed(text: string): unknown {
  try {
    return text.trim() === '' ? undefined : (JSON.parse(text) as unknown);
  } catch {
    throw new ServiceError(400, 'invalid_args', 'key_params is not valid JSON.');
  }
}

function keyRow(world: World, key: KeyRecord): Record<string, unknown> {
  const row = {
    id: key.id,
    name: key.name,
    permissions: key.permissions ?? null,
    key_params: key.ipWhitelist ? { ip_whitelist: key.ipWhitelist } : null,
  };
  return world.options.minimalRecords
    ? row
    : {
        ...row,
        user_id: key.accountId,
        rights: key.permissions ? 'custom' : 'full',
        team_id: null,
        team_name: null,
        created_at: key.createdAt,
        key_params: JSON.stringify(row.key_params ?? {}),
      };
}
