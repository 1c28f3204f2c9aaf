import type { SshKey } from '../model/accounts/account';
import type { ImageChange } from '../model/instances/imageChange';
import type { Instance } from '../model/instances/instance';
import { toDollars } from '../model/money';
import { text } from '../util/text';
import {
  instance,
  instanceKeys,
  oneInstance,
  queuedStart,
  resultPointer,
  startAnswer,
} from '../wire/instance';
import { defined } from '../util/defined';
import type { Client, Listing } from './client';
import { NotFoundError, NotSentError, NotUnderstoodError } from './errors';
import type { CallOptions, Http } from './http';
import { instanceLister } from './instanceList';
import { toInstance } from './instanceModel';
import { readRecords } from './listing';
import { path } from './path';
import { sendWrite } from './write';
import { cleanServiceText } from './serviceText';
import { keyWithText, toSshKey } from './sshKeys';

/** See docs/service/limits.md#sizes. */
const longestCommand = 512;

export function instancesApi(http: Http): Client['instances'] {
  return {
    list: instanceLister(http),
    get: (id, options) => get(http, id, options),
    start: (id, options) => start(http, id, options),
    // See docs/service/instances.md#stop.
    stop: (id, options) => change(http, id, { state: 'stopped' }, options),
    // See docs/service/instances.md#label.
    label: (id, label, options) => change(http, id, { label }, options),
    // See docs/service/instances.md#destroy.
    destroy: async (id, options) => {
      await sendWrite(
        http,
        {
          method: 'DELETE',
          path: path`/api/v0/instances/${id}/`,
          route: 'DELETE /api/v0/instances/{id}/',
        },
        options,
      );
    },
    // See docs/service/instances.md#several-at-once.
    stopMany: async (ids, options) => {
      const body = { state: 'stopped', ids };
      await sendWrite(http, { method: 'PUT', ...bulk, body, route: 'PUT /api/v0/instances/' }, options);
    },
    destroyMany: async (ids, options) => {
      const body = { instance_ids: ids };
      await sendWrite(http, { method: 'DELETE', ...bulk, body, route: 'DELETE /api/v0/instances/' }, options);
    },
    // See docs/service/instances.md#reboot.
    reboot: async (id, options) => {
      const route = 'PUT /api/v0/instances/reboot/{id}/';
      await sendWrite(
        http,
        { method: 'PUT', path: path`/api/v0/instances/reboot/${id}/`, body: {}, route },
        options,
      );
    },
    // See docs/service/instances.md#recycle.
    recycle: async (id, options) => {
      const route = 'PUT /api/v0/instances/recycle/{id}/';
      await sendWrite(
        http,
        { method: 'PUT', path: path`/api/v0/instances/recycle/${id}/`, body: {}, route },
        options,
      );
    },
    changeImage: (id, to, options) => changeImage(http, id, to, options),
    // See docs/service/instances.md#change-bid.
    changeBid: async (id, pricePerHour, options) => {
      const route = 'PUT /api/v0/instances/bid_price/{id}/';
      const body = { client_id: 'me', price: toDollars(pricePerHour) };
      await sendWrite(
        http,
        { method: 'PUT', path: path`/api/v0/instances/bid_price/${id}/`, body, route },
        options,
      );
    },
    keys: (id, options) => keys(http, id, options),
    // The service takes the text of the key, not its id (docs/service/ssh-keys.md#attach).
    attachKey: async (id, publicKey, options) => {
      const route = 'POST /api/v0/instances/{id}/ssh/';
      await sendWrite(
        http,
        {
          method: 'POST',
          path: path`/api/v0/instances/${id}/ssh/`,
          body: { ssh_key: publicKey },
          route,
        },
        options,
      );
    },
    // See docs/service/ssh-keys.md#detach.
    detachKey: async (id, keyId, options) => {
      const route = 'DELETE /api/v0/instances/{id}/ssh/{ssh_key_id}/';
      await sendWrite(
        http,
        { method: 'DELETE', path: path`/api/v0/instances/${id}/ssh/${keyId}/`, route },
        options,
      );
    },
    execute: (id, command, options) => execute(http, id, command, options),
    logs: (id, query, options) => logs(http, id, query, options),
  };
}

const bulk = { path: '/api/v0/instances/' };

/** Returns one instance, or `undefined` once it is destroyed (docs/service/instances.md#read-one). */
async function get(http: Http, id: number, options?: CallOptions): Promise<Instance | undefined> {
  const route = 'GET /api/v0/instances/{id}/';
  let answer;
  try {
    answer = await http.call(
      { method: 'GET', path: path`/api/v0/instances/${id}/`, route, repeat: 'read' },
      oneInstance,
      options,
    );
  } catch (error) {
    // A 404 without a code may come from anything between here and the service.
    if (error instanceof NotFoundError && error.code !== undefined) {
      return undefined;
    }
    throw error;
  }
  if (answer.instances === null) {
    return undefined;
  }
  const record: unknown = Array.isArray(answer.instances)
    ? (answer.instances as unknown[])[0]
    : answer.instances;
  // The interface promises only three fields here, and not the id.
  const parsed = instance.safeParse(
    typeof record === 'object' && record !== null ? { id, ...record } : record,
  );
  if (parsed.data?.id !== id) {
    throw new NotUnderstoodError({ route, status: 200 });
  }
  return toInstance(parsed.data);
}

async function change(http: Http, id: number, body: object, options?: CallOptions): Promise<void> {
  const route = 'PUT /api/v0/instances/{id}/';
  await sendWrite(http, { method: 'PUT', path: path`/api/v0/instances/${id}/`, body, route }, options);
}

/** See docs/service/instances.md#change-image-or-template. */
async function changeImage(http: Http, id: number, to: ImageChange, options?: CallOptions): Promise<void> {
  const route = 'PUT /api/v0/instances/update_template/{id}/';
  const body = to.kind === 'image' ? { id, image: to.image } : { id, template_hash_id: to.hash };
  await sendWrite(
    http,
    { method: 'PUT', path: path`/api/v0/instances/update_template/${id}/`, body, route },
    options,
  );
}

/**
 * Starts an instance. A start that waits for a free GPU answers 200 with `success: false`
 * (docs/service/instances.md#start).
 */
async function start(
  http: Http,
  id: number,
  options?: CallOptions,
): ReturnType<Client['instances']['start']> {
  const route = 'PUT /api/v0/instances/{id}/';
  const answer = await http.call(
    {
      method: 'PUT',
      path: path`/api/v0/instances/${id}/`,
      body: { state: 'running' },
      route,
      repeat: 'write',
      accept: (body) => queuedStart.safeParse(body).success,
    },
    startAnswer,
    options,
  );
  const message = answer.msg === undefined ? undefined : cleanServiceText(answer.msg);
  return defined<{ queued: boolean; message?: string }>({
    queued: queuedStart.safeParse(answer).success,
    message,
  });
}

/**
 * Lists the keys of an instance. The rows are a JSON text; a plain array is accepted as well
 * (docs/service/ssh-keys.md#keys-of-an-instance).
 */
async function keys(http: Http, id: number, options?: CallOptions): Promise<Listing<SshKey>> {
  const route = 'GET /api/v0/instances/{id}/ssh/';
  const answer = await http.call(
    { method: 'GET', path: path`/api/v0/instances/${id}/ssh/`, route, repeat: 'read' },
    instanceKeys,
    options,
  );
  const rows = typeof answer.ssh_keys === 'string' ? parsedJson(answer.ssh_keys) : answer.ssh_keys;
  if (!Array.isArray(rows)) {
    throw new NotUnderstoodError({ route, status: 200 });
  }
  return readRecords(rows, keyWithText, toSshKey, { http, route });
}

/** Runs a command and removes the machine's own folder from the output (docs/service/commands.md#execute). */
async function execute(http: Http, id: number, command: string, options?: CallOptions): Promise<string> {
  const length = command.trim().length;
  if (length === 0 || length > longestCommand) {
    throw new NotSentError(
      text('A command has between 1 and {0} characters. This one has {1}.', longestCommand, length),
    );
  }
  const route = 'PUT /api/v0/instances/command/{id}/';
  const answer = await http.call(
    {
      method: 'PUT',
      path: path`/api/v0/instances/command/${id}/`,
      body: { command: command.trim() },
      route,
      repeat: 'write',
    },
    resultPointer,
    options,
  );
  const output = await result(http, { route, isWrite: true }, answer.result_url, options);
  const folder = answer.writeable_path ?? '';
  return folder === '' ? output : output.split(folder).join('');
}

/** Reads logs. The service takes `tail` and `daemon_logs` as text (docs/service/commands.md#logs). */
async function logs(
  http: Http,
  id: number,
  query: Parameters<Client['instances']['logs']>[1],
  options?: CallOptions,
): Promise<string> {
  const route = 'PUT /api/v0/instances/request_logs/{id}/';
  const body = {
    filter: query.filter,
    tail: query.tail === undefined ? undefined : String(query.tail),
    daemon_logs: query.daemon === true ? 'true' : undefined,
  };
  const answer = await http.call(
    // Nothing changes on the instance, so it may be repeated although it is a PUT.
    { method: 'PUT', path: path`/api/v0/instances/request_logs/${id}/`, body, route, repeat: 'read' },
    resultPointer,
    options,
  );
  return result(http, { route }, answer.result_url, options);
}

function result(
  http: Http,
  from: { readonly route: string; readonly isWrite?: boolean },
  url: string | undefined,
  options?: CallOptions,
): Promise<string> {
  if (url === undefined) {
    throw new NotUnderstoodError({ ...from, status: 200 });
  }
  return http.fetchResult(url, options);
}

function parsedJson(source: string): unknown {
  try {
    return JSON.parse(source) as unknown;
  } catch {
    return undefined;
  }
}
