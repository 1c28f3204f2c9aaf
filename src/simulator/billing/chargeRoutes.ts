import { isObject, toNumber } from '../body';
import type { BilledVolume } from '../ports';
import { round } from '../random';
import { callerOf, ok, route, ServiceError, type Route, type SimRequest } from '../route';
import type { InstanceState } from '../state';
import type { World } from '../world';

const daySeconds = 86_400;
const usualRows = 25;
const mostRows = 100;

interface Item {
  type: 'gpu' | 'disk' | 'bwd' | 'bwu';
  amount: number;
  description: string;
}

/** A row of the answer, in Unix seconds and dollars (docs/service/billing.md#charges). */
interface Charge {
  start: number;
  end: number;
  type: 'instance' | 'volume';
  source: string;
  description: string;
  amount: number;
  metadata: Record<string, unknown>;
  items: Item[];
}

interface ChargeState {
  /** Charges of instances that are gone, and from before the simulator began. */
  kept: (Charge & { accountId: number })[];
  seeded: boolean;
}

const reads = { permission: 'billing_read', endpoint: 'api.charges', everySeconds: 1 } as const;

/**
 * GET charges: what the account paid for, a row for each instance or volume and day (docs/service/billing.md#charges).
 */
export function chargeRoutes(world: World): Route[] {
  const state = world.section<ChargeState>('charges', () => ({ kept: [], seeded: false }));
  seed(world, state);
  const isThere = new Set(world.instances.map((instance) => instance.id));
  world.onDidChangeInstance((instance) => {
    if (world.instance(instance.id)) {
      isThere.add(instance.id);
    } else if (isThere.delete(instance.id)) {
      state.kept.push(...chargesOf(instance).map((row) => ({ ...row, accountId: instance.accountId })));
      world.changed();
    }
  });
  return [
    route('GET /api/v0/charges/', reads, (request) => {
      const { accountId } = callerOf(request);
      const { from, to } = readDays(request);
      const rows: Charge[] = [
        ...state.kept.filter((row) => row.accountId === accountId).map(withoutOwner),
        ...world.instancesOf(accountId).flatMap(chargesOf),
        ...(world.ports.volumes?.billed?.(accountId) ?? []).flatMap(chargesOfVolume),
      ].filter((row) => row.start >= from && row.start <= to);
      const sign = request.query.get('latest_first') === 'true' ? -1 : 1;
      rows.sort((a, b) => sign * (a.start - b.start) || a.source.localeCompare(b.source));
      const isTree = request.query.get('format') === 'tree';
      return ok(page(rows, request, { usualRows, ...(isTree ? { toShown: tree } : {}) }));
    }),
  ];
}

interface PageOptions<Row> {
  readonly usualRows: number;
  readonly toShown?: (rows: readonly Row[]) => readonly unknown[];
}

/** Both bounds are required; the refusal has `msg` alone (docs/service/billing.md#charges). */
function readDays(request: SimRequest): { from: number; to: number } {
  let filters: unknown;
  try {
    filters = JSON.parse(request.query.get('select_filters') ?? '{}');
  } catch {
    throw new ServiceError(400, undefined, 'select_filters is not valid JSON.');
  }
  const day = isObject(filters) && isObject(filters['day']) ? filters['day'] : {};
  const from = toNumber(day['gte']);
  const to = toNumber(day['lte']);
  if (from === undefined || to === undefined) {
    throw new ServiceError(400, undefined, 'select_filters.day needs both gte and lte.');
  }
  return { from, to };
}

export function page<Row>(
  rows: readonly Row[],
  request: SimRequest,
  { usualRows, toShown = (shown) => shown }: PageOptions<Row>,
): Record<string, unknown> {
  const limitText = request.query.get('limit');
  const limit = limitText === null ? usualRows : Number(limitText);
  if (!Number.isInteger(limit) || limit < 1 || limit > mostRows) {
    throw new ServiceError(400, 'invalid_args', `limit must be from 1 to ${mostRows}.`);
  }
  const start = offsetOf(request.query.get('after_token'));
  const results = rows.slice(start, start + limit);
  const next = start + results.length;
  return {
    success: true,
    count: results.length,
    total: rows.length,
    next_token: next < rows.length ? Buffer.from(`after ${next}`).toString('base64url') : null,
    results: toShown(results),
  };
}

function offsetOf(token: string | null): number {
  if (token === null || token === '') {
    return 0;
  }
  const offset = /^after (\d+)$/.exec(Buffer.from(token, 'base64url').toString('utf8'))?.[1];
  if (offset === undefined) {
    throw new ServiceError(400, 'invalid_token', 'The page token is not valid.');
  }
  return Number(offset);
}

/** Items as rows of their own beneath each charge. */
function tree(rows: readonly Charge[]): Record<string, unknown>[] {
  return rows.map(({ items, ...row }) => ({
    ...row,
    items: items.map((item) => ({ ...item, start: row.start, end: row.end, source: row.source })),
  }));
}

function chargesOf(instance: InstanceState): Charge[] {
  return instance.usage.map(({ day, gpu, disk }) => {
    const start = Math.max(day * daySeconds, instance.createdAt);
    return charge({
      start: Math.floor(start),
      end: Math.floor(Math.min((day + 1) * daySeconds, Math.max(start, instance.billedUntil))),
      type: 'instance',
      source: `instance-${instance.id}`,
      description: instance.label ?? `Instance ${instance.id}`,
      gpu,
      disk,
      metadata: { template_id: instance.templateId, label: instance.label },
    });
  });
}

/** A row for each day, as for an instance. */
function chargesOfVolume({ id, label, from, until, perHour }: BilledVolume): Charge[] {
  const rows: Charge[] = [];
  for (let start = from; start < until;) {
    const end = Math.min((Math.floor(start / daySeconds) + 1) * daySeconds, until);
    const description = label === '' ? `Volume ${id}` : label;
    const disk = (perHour * (end - start)) / 3600;
    const metadata = { template_id: null, label: label === '' ? null : label };
    const whole = { start: Math.floor(start), end: Math.floor(end) };
    rows.push(
      charge({ ...whole, type: 'volume', source: `volume-${id}`, description, gpu: 0, disk, metadata }),
    );
    start = end;
  }
  return rows;
}

function charge(row: {
  start: number;
  end: number;
  type: Charge['type'];
  source: string;
  description: string;
  gpu: number;
  disk: number;
  metadata: Record<string, unknown>;
}): Charge {
  const { gpu, disk, ...rest } = row;
  const items: Item[] = [
    { type: 'gpu', amount: round(gpu, 6), description: 'GPU time' },
    { type: 'disk', amount: round(disk, 6), description: 'Storage' },
  ];
  return {
    ...rest,
    amount: round(gpu + disk, 6),
    items: items.filter((item) => item.amount > 0),
  };
}

function withoutOwner(row: Charge & { accountId: number }): Charge {
  const { start, end, type, source, description, amount, metadata, items } = row;
  return { start, end, type, source, description, amount, metadata, items };
}

/** Three past rentals of the first account, so that its report has something to show. */
function seed(world: World, state: ChargeState): void {
  const first = world.accounts[0];
  if (state.seeded || !first) {
    return;
  }
  state.seeded = true;
  const today = Math.floor(world.now() / daySeconds);
  const past = [
    { id: 4_817_002, label: 'lora-sweep', from: 26, days: 3, gpu: 6.2, disk: 0.19 },
    { id: 4_822_640, label: 'notebook', from: 17, days: 5, gpu: 2.1, disk: 0.11 },
    { id: 4_840_115, label: 'eval-run', from: 6, days: 2, gpu: 9.8, disk: 0.3 },
  ];
  for (const rental of past) {
    for (let index = 0; index < rental.days; index += 1) {
      const start = (today - rental.from + index) * daySeconds;
      const row = charge({
        start,
        end: start + daySeconds,
        type: 'instance',
        source: `instance-${rental.id}`,
        description: rental.label,
        gpu: rental.gpu * (1 - 0.13 * index),
        disk: rental.disk,
        metadata: { template_id: null, label: rental.label },
      });
      state.kept.push({ ...row, accountId: first.id });
    }
  }
  world.changed();
}
