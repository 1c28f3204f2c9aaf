import type { Machine } from '../market/machines';
import type { Market } from '../market/market';
import { round, SeededRandom } from '../random';
import { callerOf, ok, route, ServiceError, type Route, type SimRequest } from '../route';
import type { World } from '../world';
import { machinesOf } from './hostMachines';

const daySeconds = 86_400;
const usualDays = 30;
const mostDays = 3 * 366;
/** The share of a host's earnings that the marketplace keeps. */
const feeShare = 0.25;

interface Earned {
  gpu_earn: number;
  sto_earn: number;
  bwu_earn: number;
  bwd_earn: number;
}

const reads = {
  permission: 'billing_read',
  endpoint: 'api.users.machine_earnings',
  everySeconds: 2,
} as const;

/** GET users/{user_id}/machine-earnings (docs/service/billing.md#earnings). */
export function earningsRoutes(world: World, market: Market): Route[] {
  return [
    route('GET /api/v0/users/{user_id}/machine-earnings/', reads, (request) => {
      const { accountId } = callerOf(request);
      assertSelf(request.params['user_id'], accountId);
      const today = world.now() / daySeconds;
      const { first, last } = readDays(request, Math.floor(today));
      const machines = wantedMachines(machinesOf(world, market, accountId), request.query.get('machid'));
      return ok(report(world, market, { accountId, machines, first, last, today }));
    }),
  ];
}

function assertSelf(userId: string | undefined, accountId: number): void {
  if (userId === 'me' || userId === 'current' || Number(userId) === accountId) {
    return;
  }
  throw new ServiceError(403, 'not_authorized', 'These are the earnings of somebody else.');
}

/**
 * Whole days since 1970; clients also send fractions. Refusals have `msg` alone
 * (docs/service/billing.md#earnings-query).
 */
function readDays(request: SimRequest, today: number): { first: number; last: number } {
  const read = (name: string) => {
    const text = request.query.get(name);
    if (text === null || text === '' || text === 'null') {
      return undefined;
    }
    const value = Number(text);
    if (!Number.isFinite(value) || value < 0) {
      throw new ServiceError(400, undefined, `${name} must be a number of days.`);
    }
    return Math.floor(value);
  };
  const back = read('last_days');
  const last = read('eday') ?? today;
  const first = read('sday') ?? last - (back ?? usualDays) + 1;
  if (first > last) {
    throw new ServiceError(400, undefined, 'The start day is after the end day.');
  }
  return { first: Math.max(first, last - mostDays), last: Math.min(last, today) };
}

function wantedMachines(machines: readonly Machine[], machid: string | null): readonly Machine[] {
  // The public command-line client sends the text "null" for all machines
  // (docs/service/billing.md#earnings-query).
  if (machid === null || machid === '' || machid === 'null') {
    return machines;
  }
  const id = Number(machid);
  if (!Number.isInteger(id)) {
    throw new ServiceError(400, undefined, 'machid must be the number of a machine.');
  }
  return machines.filter((machine) => machine.id === id);
}

interface Span {
  readonly accountId: number;
  readonly machines: readonly Machine[];
  readonly first: number;
  readonly last: number;
  /** Days since 1970 with their fraction: the last day is not over. */
  readonly today: number;
}

function report(world: World, market: Market, span: Span): Record<string, unknown> {
  const account = world.account(span.accountId);
  const perMachine = new Map<number, Earned>();
  const perDay: Record<string, unknown>[] = [];
  const total = nothing();
  for (let day = span.first; day <= span.last; day += 1) {
    const sum = nothing();
    for (const machine of span.machines) {
      const earned = earnedOn(world, market, machine, day, Math.min(1, span.today - day));
      const ofMachine = perMachine.get(machine.id) ?? nothing();
      add(ofMachine, earned);
      perMachine.set(machine.id, ofMachine);
      add(sum, earned);
    }
    add(total, sum);
    perDay.push({ day, ...rounded(sum) });
  }
  const gross = total.gpu_earn + total.sto_earn + total.bwu_earn + total.bwd_earn;
  return {
    summary: {
      total_gpu: round(total.gpu_earn, 4),
      total_stor: round(total.sto_earn, 4),
      total_bwu: round(total.bwu_earn, 4),
      total_bwd: round(total.bwd_earn, 4),
    },
    username: account.username,
    email: account.email,
    fullname: account.fullName,
    address1: '1 Example Street',
    address2: '',
    city: 'Springfield',
    zip: '00000',
    country: 'US',
    taxinfo: '',
    current: {
      balance: account.balance,
      service_fee: round(-gross * feeShare, 4),
      total: round(gross * (1 - feeShare), 4),
      credit: round(account.credit, 4),
    },
    per_machine: [...perMachine.entries()].map(([id, earned]) => ({ machine_id: id, ...rounded(earned) })),
    per_day: perDay,
  };
}

/** The same for the same seed, machine and day; busier towards the weekend. */
function earnedOn(world: World, market: Market, machine: Machine, day: number, share: number): Earned {
  const random = new SeededRandom(world.seed * 7919 + machine.id * 104_729 + day * 31);
  const weekend = day % 7 === 2 || day % 7 === 3 ? 1.15 : 1;
  const use = Math.min(1, random.between(0.35, 0.95) * weekend) * Math.max(0, share);
  const idle = random.chance(0.04) ? 0 : 1;
  return {
    gpu_earn: use * idle * 24 * machine.gpus * market.pricePerGpu(machine) * random.between(0.7, 1),
    sto_earn:
      (machine.storageCost / 730) * 24 * machine.diskGb * random.between(0.1, 0.5) * Math.max(0, share),
    bwu_earn: machine.inetUpCost * random.between(1, 60) * use * idle,
    bwd_earn: machine.inetDownCost * random.between(5, 150) * use * idle,
  };
}

function nothing(): Earned {
  return { gpu_earn: 0, sto_earn: 0, bwu_earn: 0, bwd_earn: 0 };
}

function add(sum: Earned, more: Earned): void {
  sum.gpu_earn += more.gpu_earn;
  sum.sto_earn += more.sto_earn;
  sum.bwu_earn += more.bwu_earn;
  sum.bwd_earn += more.bwd_earn;
}

function rounded(earned: Earned): Earned {
  return {
    gpu_earn: round(earned.gpu_earn, 4),
    sto_earn: round(earned.sto_earn, 4),
    bwu_earn: round(earned.bwu_earn, 4),
    bwd_earn: round(earned.bwd_earn, 4),
  };
}
