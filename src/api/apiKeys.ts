import type { ApiKey } from '../model/accounts/apiKey';
import { apiKey, apiKeyList, createdApiKey, deletedApiKey, type WireApiKey } from '../wire/apiKey';
import { defined } from '../util/defined';
import type { Client } from './client';
import type { Http } from './http';
import { readList } from './listing';
import { nonEmpty, parsedText } from './modelValues';
import { read, write } from './request';

/** Lists, creates and deletes API keys (docs/service/api-keys.md#list). */
export function apiKeysApi(http: Http): Client['apiKeys'] {
  return {
    list: (options) =>
      readList(http, read('GET /api/v0/auth/apikeys/'), apiKeyList, apiKey, toApiKey, options),
    create: async ({ name, permissions, ipWhitelist }, options) => {
      const body = {
        name: nonEmpty(name),
        permissions,
        key_params: ipWhitelist && ipWhitelist.length > 0 ? { ip_whitelist: ipWhitelist } : undefined,
      };
      const request = { ...write('POST /api/v0/auth/apikeys/'), body };
      const answer = await http.call(request, createdApiKey, options);
      return { id: answer.id, value: answer.key };
    },
    remove: async (id, options) => {
      await http.call(write('DELETE /api/v0/auth/apikeys/{id}/', { id }), deletedApiKey, options);
    },
  };
}

function toApiKey(wire: WireApiKey): ApiKey {
  return defined<ApiKey>({
    id: wire.id,
    name: nonEmpty(wire.name),
    rights: nonEmpty(wire.rights),
    permissions: asObject(wire.permissions),
    ipWhitelist: whitelistOf(wire.key_params),
    createdAt: wire.created_at ?? undefined,
  });
}

/** Permissions are an object or the JSON text of one (docs/service/api-keys.md#record). */
function asObject(value: unknown): Readonly<Record<string, unknown>> | undefined {
  const read = parsedText(value);
  return typeof read === 'object' && read !== null && !Array.isArray(read)
    ? (read as Readonly<Record<string, unknown>>)
    : undefined;
}

function whitelistOf(keyParams: unknown): readonly string[] | undefined {
  const list = asObject(keyParams)?.['ip_whitelist'];
  const addresses = Array.isArray(list) ? list.filter((each) => typeof each === 'string') : [];
  return addresses.length > 0 ? addresses : undefined;
}
