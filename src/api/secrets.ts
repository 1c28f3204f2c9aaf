import type { Secret } from '../model/accounts/secret';
import { secretList, secretRow } from '../wire/secret';
import type { Client } from './client';
import { NotUnderstoodError } from './errors';
import type { Http } from './http';
import { readPages } from './listing';
import { read, sendWrite, write } from './request';

/** Reads and writes the environment variables of the account (docs/service/environment-variables.md#list). */
export function secretsApi(http: Http): Client['secrets'] {
  return {
    list: async (options) => {
      const request = read('GET /api/v0/secrets/');
      const { items, missing } = await readPages(http, request, secretList, secretRow, toSecret, options);
      if (missing > 0) {
        throw new NotUnderstoodError({ route: request.route, status: 200 });
      }
      return [...items].sort((a, b) => a.name.localeCompare(b.name));
    },
    create: (name, value, options) =>
      sendWrite(http, { ...write('POST /api/v0/secrets/'), body: { key: name, value } }, options),
    update: (name, value, options) =>
      sendWrite(http, { ...write('PUT /api/v0/secrets/'), body: { key: name, value } }, options),
    remove: (name, options) =>
      sendWrite(http, { ...write('DELETE /api/v0/secrets/'), body: { key: name } }, options),
  };
}

/** Stars stand for a value that the service does not reveal (docs/service/environment-variables.md#list). */
function toSecret([name, value]: readonly [string, unknown]): Secret {
  const isKnown = typeof value === 'string' && value !== '' && !/^\*+$/.test(value);
  return isKnown ? { name, value } : { name };
}
