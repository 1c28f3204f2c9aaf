import type { ApiKey } from '../model/accounts/apiKey';
import { apiKey, apiKeyList, createdApiKey, deletedApiKey, type WireApiKey } from '../wire/apiKey';
import { defined } from '../util/defined';
import type { Client } from './client';
import type { Http } from './http';
import { listReader } from './listing';
import { nonEmpty, parsedText } from './modelValues';
import { path } from './path';

const address = '/api/v0/auth/apikeys/';

/** Lists, creates and deletes API keys (docs/service/api-keys.md#list). */
export function apiKeysApi(http: Http): Client['apiKeys'] {
  return {
    list: listReader(http, {
      path: address,
      answer: apiKeyList,
      names: ['apikeys', 'api_keys'],
      record: apiKey,
      toModel: toApiKey,
    }),
    create: async ({ name, permissions, ipWhitelist }, options) => {
      const body = {
        name: nonEmpty(name),
        permissions,
        key_params: ipWhitelist && ipWhitelist.length > 0 ? { ip_whitelist: ipWhitelist } : undefined,
      };
      const answer = await http.call(
        { method: 'POST', path: address, body, route: `POST ${address}`, repeat: 'write' },
        createdApiKey,
        options,
      );
      return { id: answer.id, value: answer.key };
    },
    remove: async (id, options) => {
      await http.call(
        {
          method: 'DELETE',
          path: path`/api/v0/auth/apikeys/${id}/`,
          route: `DELETE ${address}{id}/`,
          repeat: 'write',
        },
        deletedApiKey,
        options,
      );
    },
  };
}

function toApiKey(wire: WireApiKey): ApiKey {
  return defined<ApiKey>({
    id: wire.id,
    name: nonEmpty(wire.name),
    rights: nonEmpty(wire.rights),
    teamName: nonEmpty(wire.team_name),
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
