import type { Secret } from '../model/accounts/secret';
import { successAnswer } from '../wire/field';
import { secretList } from '../wire/secret';
import type { Client } from './client';
import type { ApiRequest, Http } from './http';

const address = '/api/v0/secrets/';

/** Reads and writes the environment variables of the account (docs/service/environment-variables.md#list). */
export function secretsApi(http: Http): Client['secrets'] {
  const write = (method: ApiRequest['method'], body: unknown): ApiRequest => ({
    method,
    path: address,
    body,
    route: `${method} ${address}`,
    repeat: 'write',
  });
  return {
    list: async (options) => {
      const answer = await http.call(
        { method: 'GET', path: address, route: `GET ${address}`, repeat: 'read' },
        secretList,
        options,
      );
      return Object.entries(answer.secrets)
        .map(([name, value]) => toSecret(name, value))
        .sort((a, b) => a.name.localeCompare(b.name));
    },
    create: async (name, value, options) => {
      await http.call(write('POST', { key: name, value }), successAnswer, options);
    },
    update: async (name, value, options) => {
      await http.call(write('PUT', { key: name, value }), successAnswer, options);
    },
    remove: async (name, options) => {
      await http.call(write('DELETE', { key: name }), successAnswer, options);
    },
  };
}

/** Stars stand for a value that the service does not reveal (docs/service/environment-variables.md#list). */
function toSecret(name: string, value: unknown): Secret {
  const isKnown = typeof value === 'string' && value !== '' && !/^\*+$/.test(value);
  return isKnown ? { name, value } : { name };
}
