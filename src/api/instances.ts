import type { SshKey } from '../model/accounts/account';
import type { Instance } from '../model/instances/instance';
import type { PriceIncrease } from '../model/instances/priceIncrease';
import { toDollars } from '../model/money';
import { isDockerHub } from '../model/snapshot';
import { defined } from '../util/defined';
import { scriptLines } from '../util/scriptLines';
import { text } from '../util/text';
import {
  instance,
  instanceKeys,
  instanceList,
  oneInstance,
  queuedStart,
  resultPointer,
  startAnswer,
} from '../wire/instance';
import { priceIncrease, priceIncreaseList, type WirePriceIncrease } from '../wire/priceIncrease';
import { keyWithText, toSshKey } from './account';
import type { Client, InstanceListing, Listing } from './client';
import { readDeposit } from './deposit';
import { GoneError, NotFoundError, NotSentError, NotUnderstoodError } from './errors';
import type { ApiRequest, CallOptions, Http } from './http';
import { toInstance, toListed } from './instanceModel';
import { readList, readPages, readRecords } from './listing';
import { parsedText, price } from './modelValues';
import { read, sendWrite, write } from './request';
import { cleanServiceText } from './serviceText';

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
    destroy: (id, options) => sendWrite(http, write('DELETE /api/v0/instances/{id}/', { id }), options),
    // See docs/service/instances.md#several-at-once.
    stopMany: (ids, options) =>
      sendWrite(http, { ...write('PUT /api/v0/instances/'), body: { state: 'stopped', ids } }, options),
    destroyMany: (ids, options) =>
      sendWrite(http, { ...write('DELETE /api/v0/instances/'), body: { instance_ids: ids } }, options),
    deposit: (id, options) => readDeposit(http, id, options),
    // See docs/service/instances.md#report-its-machine.
    reportMachine: (id, { machineId, problem, message }, options) =>
      sendWrite(
        http,
        {
          ...write('PUT /api/v0/machines/{machine_id}/report', { machine_id: machineId }),
          body: defined({ instance_id: id, problem, message: message === '' ? undefined : message }),
        },
        options,
      ),
    // See docs/service/instances.md#reboot.
    reboot: (id, options) =>
      sendWrite(http, { ...write('PUT /api/v0/instances/reboot/{id}/', { id }), body: {} }, options),
    // See docs/service/instances.md#recycle.
    recycle: (id, options) =>
      sendWrite(http, { ...write('PUT /api/v0/instances/recycle/{id}/', { id }), body: {} }, options),
    changeImage: (id, to, options) => {
      // See docs/service/instances.md#change-image-or-template.
      const body = to.kind === 'image' ? { id, image: to.image } : { id, template_hash_id: to.hash };
      return sendWrite(
        http,
        { ...write('PUT /api/v0/instances/update_template/{id}/', { id }), body },
        options,
      );
    },
    changeBid: (id, pricePerHour, options) => {
      // See docs/service/instances.md#change-bid.
      const body = { client_id: 'me', price: toDollars(pricePerHour) };
      return sendWrite(http, { ...write('PUT /api/v0/instances/bid_price/{id}/', { id }), body }, options);
    },
    takeSnapshot: (id, { registry, repository, user, password, pauses }, options) =>
      sendWrite(
        http,
        {
          // An id in the body as well is refused (docs/service/instances.md#snapshot).
          ...write('POST /api/v0/instances/take_snapshot/{id}/', { id }),
          body: {
            container_registry: registry,
            personal_repo: isDockerHub(registry) ? repository : `${registry}/${repository}`,
            docker_login_user: user,
            docker_login_pass: password,
            pause: String(pauses),
          },
        },
        options,
      ),
    keys: (id, options) => keys(http, id, options),
    // The service accepts the text of the key, not its id (docs/service/ssh-keys.md#attach).
    attachKey: (id, publicKey, options) => {
      const body = { ssh_key: publicKey };
      return sendWrite(http, { ...write('POST /api/v0/instances/{id}/ssh/', { id }), body }, options);
    },
    detachKey: (id, keyId, options) => {
      // See docs/service/ssh-keys.md#detach.
      const values = { id, ssh_key_id: keyId };
      return sendWrite(http, write('DELETE /api/v0/instances/{id}/ssh/{ssh_key_id}/', values), options);
    },
    execute: (id, command, options) => execute(http, id, command, options),
    logs: (id, query, options) => logs(http, id, query, options),
  };
}

/** Returns one instance, or `undefined` once it is gone (docs/service/instances.md#read-one). */
async function get(http: Http, id: number, options?: CallOptions): Promise<Instance | undefined> {
  const request = read('GET /api/v0/instances/{id}/', { id });
  let answer;
  try {
    answer = await http.call(request, oneInstance, options);
  } catch (error) {
    // A 404 without a code may be from a proxy on the way to the service.
    if (error instanceof NotFoundError && error.code !== undefined) {
      return undefined;
    }
    throw error;
  }
  if (answer.instances === null || (Array.isArray(answer.instances) && answer.instances.length === 0)) {
    return undefined;
  }
  const record: unknown = Array.isArray(answer.instances)
    ? (answer.instances as unknown[])[0]
    : answer.instances;
  if (typeof record === 'object' && record !== null && Object.keys(record).length === 0) {
    return undefined;
  }
  // The interface promises only three fields here, and not the id.
  const parsed = instance.safeParse(
    typeof record === 'object' && record !== null ? { id, ...record } : record,
  );
  if (parsed.data?.id !== id) {
    throw new NotUnderstoodError({ route: request.route, status: 200 });
  }
  return toInstance(parsed.data);
}

function change(http: Http, id: number, body: object, options?: CallOptions): Promise<void> {
  return sendWrite(http, { ...write('PUT /api/v0/instances/{id}/', { id }), body }, options);
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
  const request = {
    ...write('PUT /api/v0/instances/{id}/', { id }),
    body: { state: 'running' },
    accept: (body: unknown) => queuedStart.safeParse(body).success,
  };
  const answer = await http.call(request, startAnswer, options);
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
  const request = read('GET /api/v0/instances/{id}/ssh/', { id });
  const { route } = request;
  const rows = parsedText((await http.call(request, instanceKeys, options)).ssh_keys);
  if (!Array.isArray(rows)) {
    throw new NotUnderstoodError({ route, status: 200 });
  }
  return readRecords(rows, keyWithText, toSshKey, { http, route });
}

/** Runs a command and removes the machine's own folder from the output (docs/service/commands.md#execute). */
async function execute(http: Http, id: number, command: string, options?: CallOptions): Promise<string> {
  const sent = scriptLines(command).trim();
  const { length } = sent;
  if (length === 0 || length > longestCommand) {
    throw new NotSentError(
      text('A command has between 1 and {0} characters. This one has {1}.', longestCommand, length),
    );
  }
  const request = {
    ...write('PUT /api/v0/instances/command/{id}/', { id }),
    body: { command: sent },
  };
  const answer = await http.call(request, resultPointer, options);
  const output = await result(http, request, answer.result_url, options);
  const folder = answer.writeable_path ?? '';
  return folder === '' ? output : output.split(folder).join('');
}

/** Reads logs. The service accepts `tail` and `daemon_logs` as text (docs/service/commands.md#logs). */
async function logs(
  http: Http,
  id: number,
  query: Parameters<Client['instances']['logs']>[1],
  options?: CallOptions,
): Promise<string> {
  const request = {
    // Nothing changes on the instance, so it may be repeated although it is a PUT.
    ...read('PUT /api/v0/instances/request_logs/{id}/', { id }),
    body: {
      filter: query.filter,
      tail: query.tail === undefined ? undefined : String(query.tail),
      daemon_logs: query.daemon === true ? 'true' : undefined,
    },
  };
  const answer = await http.call(request, resultPointer, options);
  return result(http, request, answer.result_url, options);
}

function result(
  http: Http,
  { route, repeat }: ApiRequest,
  url: string | undefined,
  options?: CallOptions,
): Promise<string> {
  if (url === undefined) {
    throw new NotUnderstoodError({ route, isWrite: repeat === 'write', status: 200 });
  }
  return http.fetchResult(url, options);
}

/** The largest page that the service sends (docs/service/limits.md#sizes). */
const v1 = { ...read('GET /api/v1/instances/'), query: { limit: 25 } };
const v0 = read('GET /api/v0/instances/');

/**
 * Lists the instances with the v1 call, or with the v0 call of the interface where the service lacks v1
 * (docs/service/instances.md#list). Remembers for this client which one works. A refused key never counts as a lack.
 */
function instanceLister(http: Http): (options?: CallOptions) => Promise<InstanceListing> {
  let [first, second]: readonly [ApiRequest, ApiRequest] = [v1, v0];
  return async (options) => {
    try {
      return await list(http, first, options);
    } catch (error) {
      // `auth_error` with 404 is an `UnauthorizedError`, so it never reaches this line.
      if (!(error instanceof GoneError || error instanceof NotFoundError)) {
        throw error;
      }
    }
    const listing = await list(http, second, options);
    [first, second] = [second, first];
    return listing;
  };
}

async function list(http: Http, request: ApiRequest, options?: CallOptions): Promise<InstanceListing> {
  const { items, skipped, missing } = await readPages(
    http,
    request,
    instanceList,
    instance,
    toListed,
    options,
  );
  return { items, skipped, found: items.length + skipped + missing };
}

/** Lists, accepts and rejects price increases (docs/service/instances.md#price-increases). */
export function priceIncreasesApi(http: Http): Client['priceIncreases'] {
  return {
    list: (options) => {
      const request = read('GET /api/v0/instances/pending-price-increases/');
      return readList(http, request, priceIncreaseList, priceIncrease, toPriceIncrease, options);
    },
    accept: (id, options) => {
      const body = { pending_price_increase_id: id };
      return sendWrite(http, { ...write('PUT /api/v0/instances/accept-price-increase/'), body }, options);
    },
    reject: (id, options) => {
      const body = { pending_price_increase_id: id };
      return sendWrite(http, { ...write('PUT /api/v0/instances/reject-price-increase/'), body }, options);
    },
  };
}

function toPriceIncrease(wire: WirePriceIncrease): PriceIncrease {
  return defined<PriceIncrease>({
    id: wire.id,
    instanceId: wire.instance_id ?? wire.contract_id,
    currentPrice: price(wire.current_price ?? wire.old_price),
    newPrice: price(wire.new_price),
    deadline: wire.deadline ?? wire.expires_at,
  });
}
