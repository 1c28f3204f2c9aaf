import type { Client } from '../../src/api/client';
import { createClient } from '../../src/api/createClient';
import { UndiciTransport } from '../../src/api/undiciTransport';
import type { FaultOrder } from '../../src/simulator/faults';
import { UserError } from '../../src/util/errors';
import { silentLog } from '../../src/util/log';
import { formatText } from '../../src/util/text';
import { sceneOf, scenedMethods } from './failureScenes';
import { FakeClock } from './fakeClock';
import { rest } from './feature/underWay';
import type { ClientMethod } from './operation';
import { operations } from './operations';
import { table } from './operationsTable';
import { orderAccount } from './secondFactorAccount';
import { startTestSimulator, type TestSimulator } from './startSimulator';

type Order = Omit<FaultOrder, 'path' | 'method'>;
export type Moment = 'before' | 'after';

interface FailureKind {
  readonly name: string;
  /** What goes wrong before the request took effect, and after it did; none where that cannot be. */
  readonly orders: Readonly<Record<Moment, Order | 'unreachable' | undefined>>;
}

const said = (name: string, order: Order): FailureKind => ({
  name,
  orders: { before: order, after: { ...order, after: true } },
});
const refusal = (status: number, msg: string): FailureKind =>
  said(String(status), { kind: 'error', status, msg });

/** Ways in which a call of the service can go wrong. */
export const failureKinds: readonly FailureKind[] = [
  { name: 'connection refused', orders: { before: 'unreachable', after: undefined } },
  { name: 'connection reset', orders: { before: { kind: 'dropBefore' }, after: { kind: 'dropAfter' } } },
  said('no answer in time', { kind: 'stall' }),
  refusal(401, 'Invalid user key'),
  refusal(403, 'Forbidden'),
  refusal(404, 'Nothing here'),
  refusal(409, 'Conflict'),
  said('429 with a time to wait', { kind: 'rateLimit', threshold: 2 }),
  said('500', { kind: 'html500' }),
  said('503 with the text of a rate limit', {
    kind: 'answer',
    status: 503,
    body: { detail: 'API requests too frequent endpoint threshold=2.0' },
  }),
  said('200 with `success: false`', {
    kind: 'answer',
    status: 200,
    body: { success: false, msg: 'Not now' },
  }),
  said('200 with an unreadable body', { kind: 'html500', status: 200 }),
];

type ClientAt = (baseUrl: string, key: string) => Client;

/** Nothing listens there. */
const closedPort = 'http://127.0.0.1:1';

export interface Outcome {
  readonly method: ClientMethod;
  readonly failure: string;
  readonly moment: Moment;
  /** What the user reads; `undefined` where the call went well all the same. */
  readonly sentence: string | undefined;
  readonly error: unknown;
  /** What the service itself answered, whatever became of the answer. */
  readonly handled: number | undefined;
}

/** Puts every operation of the interface through every failure, over real sockets and in no time. */
export async function runFailures(methods = scenedMethods): Promise<readonly Outcome[]> {
  const transport = new UndiciTransport();
  try {
    const outcomes: Outcome[] = [];
    for (const method of methods) {
      outcomes.push(...(await failuresOf(method, transport)));
    }
    return outcomes;
  } finally {
    await transport.close();
  }
}

async function failuresOf(method: ClientMethod, transport: UndiciTransport): Promise<readonly Outcome[]> {
  const clock = new FakeClock(undefined, () => rest(() => simulator.heldBack()));
  const simulator = await startTestSimulator({ clock });
  try {
    const clientAt: ClientAt = (baseUrl, key) =>
      createClient({
        baseUrl,
        bearer: () => Promise.resolve(key),
        transport,
        clock,
        log: silentLog,
        policy: { limits: {} },
      });
    const outcomes: Outcome[] = [];
    for (const { name, orders } of failureKinds) {
      for (const moment of ['before', 'after'] as const) {
        const order = orders[moment];
        if (!order) {
          continue;
        }
        const { key, call } = await clock.through(prepare(method, simulator, clientAt), 10);
        if (order !== 'unreachable') {
          misbehave(simulator, method, order);
        }
        const since = simulator.requests().at(-1)?.seq ?? 0;
        const client = clientAt(order === 'unreachable' ? closedPort : simulator.url, key);
        const error = await failureOf(clock, call(client));
        simulator.faults.clear();
        outcomes.push({
          method,
          failure: name,
          moment,
          error,
          sentence: error instanceof UserError ? asText(error) : undefined,
          handled: simulator.requests(since)[0]?.handled,
        });
      }
    }
    return outcomes;
  } finally {
    await simulator.close();
  }
}

/** An account of its own for the second factor, so that no scene uses up what the next one needs. */
async function prepare(method: ClientMethod, simulator: TestSimulator, clientAt: ClientAt) {
  const account = await orderAccount(simulator, 'both', { demanded: false });
  const key = method.startsWith('secondFactor.') ? account.key : simulator.apiKey;
  const { methods } = await clientAt(simulator.url, account.key).secondFactor.status();
  const idOf = (type: string) => methods.find((each) => each.type === type)?.id ?? 0;
  const parts = { simulator, account, totp: idOf('totp'), sms: idOf('sms') };
  return { key, call: await sceneOf(method)({ ...parts, client: clientAt(simulator.url, key) }) };
}

function misbehave(simulator: TestSimulator, method: ClientMethod, order: Order): void {
  for (const route of operations[method].routes) {
    const [verb = '', path = ''] = route.split(' ');
    simulator.fail({ ...order, times: 0, method: verb, path });
  }
}

/** The error that a call ends with; waits and time-outs pass at once. */
async function failureOf(clock: FakeClock, call: Promise<unknown>): Promise<unknown> {
  return clock.through(
    call.then(
      () => undefined,
      (error: unknown) => error,
    ),
    31_000,
  );
}

/** As the product shows it, without what differs from run to run. */
function asText({ text }: UserError): string {
  return formatText(text).replace(/127\.0\.0\.1:\d+/g, 'console.example.com');
}

const start = '<!-- failures: made by `npm run operations` -->';
const end = '<!-- end of failures -->';

/** Returns the page with the table as the run has it. */
export function withFailures(page: string, outcomes: readonly Outcome[]): string {
  const [head, rest = ''] = page.split(start);
  const tail = rest.split(end)[1];
  if (tail === undefined) {
    throw new Error('The page of failures has lost the marks of the table');
  }
  return `${head ?? ''}${start}\n\n${renderFailures(outcomes)}\n\n${end}${tail}`;
}

/** A row for each sentence of a failure, with the operations and moments that have it. */
function renderFailures(outcomes: readonly Outcome[]): string {
  const rows = failureKinds.flatMap(({ name }) => {
    const bySentence = groupBy(
      outcomes.filter(({ failure }) => failure === name),
      ({ sentence }) => shown(sentence),
    );
    return [...bySentence].flatMap(([sentence, all]) => {
      const byMoments = groupBy([...groupBy(all, ({ method }) => method)], ([, each]) =>
        each.map(({ moment }) => moment).join(', '),
      );
      return [...byMoments].map(([moments, each]) => [
        name,
        moments,
        namesOf(each.map(([method]) => method)),
        sentence,
      ]);
    });
  });
  return table(['failure', 'took effect', 'operations', 'what the user reads'], rows);
}

/** The permission that is missing depends on the operation. */
function shown(sentence: string | undefined): string {
  return sentence?.replace(/needs [a-z]+_?[a-z]*\./, 'needs `permission`.') ?? 'nothing: the call goes well';
}

function groupBy<T, K>(items: readonly T[], keyOf: (item: T) => K): ReadonlyMap<K, readonly T[]> {
  const groups = new Map<K, T[]>();
  for (const item of items) {
    groups.set(keyOf(item), [...(groups.get(keyOf(item)) ?? []), item]);
  }
  return groups;
}

const groups: readonly (readonly [string, readonly ClientMethod[]])[] = [
  ['all', scenedMethods],
  ['reads', scenedMethods.filter(isRead)],
  ['writes', scenedMethods.filter((method) => !isRead(method))],
];

/** Whether the client may repeat it by itself (docs/rules.md#a-rental-is-sent-once). */
export function isRead(method: ClientMethod): boolean {
  return operations[method].routes.every((route) => /^GET |bundles/.test(route));
}

function namesOf(methods: readonly ClientMethod[]): string {
  const listed = (names: readonly ClientMethod[]) => names.map((name) => `\`${name}\``).join(' ');
  for (const [name, group] of groups) {
    const missing = group.filter((method) => !methods.includes(method));
    if (methods.every((method) => group.includes(method)) && missing.length <= 3) {
      return missing.length === 0 ? name : `${name} but ${listed(missing)}`;
    }
  }
  return listed(methods);
}
