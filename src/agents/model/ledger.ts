import { add, fromDollars, times, zero, type Micros } from '../../model/money';
import type { AgentLimits } from './limits';
import { isCommitted, isForRental, type AgentRequest, type Commitment } from './request';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/** What agents have of their limits. */
export interface AgentUsage {
  /** Committed for this day of UTC, with the hours still to come. */
  readonly today: Micros;
  readonly perHour: Micros;
  readonly instances: number;
}

export interface RemainingLimits {
  readonly usdToday: number;
  readonly usdPerHour: number;
  readonly instances: number;
  readonly hoursPerSchedule: number;
}

export const noAgentUsage: AgentUsage = { today: zero, perHour: zero, instances: 0 };

/** What limits are held against. */
export interface LedgerNow {
  /** Milliseconds since 1970. */
  readonly now: number;
  readonly limits: AgentLimits;
  /** Instances that run by the last list. */
  readonly running: ReadonlySet<number>;
  /** What agents have in the user's other accounts: a limit is one limit of the user. */
  readonly elsewhere: AgentUsage;
}

/** Returns what agents have of their limits in all accounts. */
export function usageInAll(
  requests: readonly AgentRequest[],
  { now, running, elsewhere }: LedgerNow,
): AgentUsage {
  return addUsage(usageOf(requests, now, running), elsewhere);
}

export function addUsage(one: AgentUsage, other: AgentUsage): AgentUsage {
  return {
    today: add(one.today, other.today),
    perHour: add(one.perHour, other.perHour),
    instances: one.instances + other.instances,
  };
}

/** Instances that run by the last list count beyond their end: a schedule may have failed. */
export function usageOf(
  requests: readonly AgentRequest[],
  now: number,
  running: ReadonlySet<number>,
): AgentUsage {
  const today: Micros[] = [];
  const open = new Map<string, Micros>();
  for (const request of requests.filter(isCommitted)) {
    const { commitment, instanceId, id } = request;
    if (commitment) {
      // An instance of the user on which an agent only ran a job ends by what the user set.
      const runs = instanceId !== undefined && running.has(instanceId) && !isJobOfUsersInstance(request);
      today.push(
        costToday(runs ? { ...commitment, until: Math.max(commitment.until, now) } : commitment, now),
      );
      if (commitment.until > now || runs || request.state === 'renting' || request.state === 'unknown') {
        const key = instanceId === undefined ? id : String(instanceId);
        open.set(key, Math.max(open.get(key) ?? zero, commitment.perHour) as Micros);
      }
    }
  }
  return { today: add(...today), perHour: add(...open.values()), instances: open.size };
}

function isJobOfUsersInstance(request: AgentRequest): boolean {
  return (request.job !== undefined || request.tool === 'extend_job') && !isForRental(request);
}

/** Returns until when the user has agreed to pay for an instance of an agent, for any later schedule. */
export function committedUntil(requests: readonly AgentRequest[], instanceId: number): number | undefined {
  const untils = requests.flatMap((one) =>
    isCommitted(one) && one.instanceId === instanceId && one.commitment && one.commitment.isEnded !== true
      ? [one.commitment.until]
      : [],
  );
  return untils.length === 0 ? undefined : Math.max(...untils);
}

/** Returns the share of one commitment in the day: all that is still to come, tomorrow's hours included. */
function costToday({ perHour, stoppedPerHour, from, until }: Commitment, now: number): Micros {
  const dayStart = Math.floor(now / dayMs) * dayMs;
  const end = dayStart + dayMs;
  const runs = Math.max(0, until - Math.max(from, dayStart)) / hourMs;
  const rests = Math.max(0, end - Math.max(until, dayStart)) / hourMs;
  return add(times(perHour, runs), times(stoppedPerHour, rests));
}

/** What a yes would add. With an `instanceId`, it is not counted as another instance. */
export interface Wanted {
  readonly commitment: Commitment;
  /** From now on. */
  readonly hours: number;
  readonly instanceId?: number | undefined;
}

/** Returns why a request is over a limit, for a model; `undefined` if it is within all of them. */
export function overLimit(
  ledger: LedgerNow,
  requests: readonly AgentRequest[],
  { commitment, hours, instanceId }: Wanted,
): string | undefined {
  const { limits } = ledger;
  const used = usageInAll(requests, ledger);
  const others = usageInAll(
    requests.filter((one) => instanceId === undefined || one.instanceId !== instanceId),
    ledger,
  );
  const today = add(used.today, costToday(commitment, ledger.now));
  const perHour = add(others.perHour, commitment.perHour);
  const ask = 'Ask the user to change the limits of agents in the settings, or ask for less.';
  if (hours > limits.hours) {
    return `The limit for a rental is ${limits.hours} h. ${ask}`;
  }
  if (others.instances + 1 > limits.instances) {
    return `The limit of instances that agents have at once is ${limits.instances}. Destroy one first. ${ask}`;
  }
  if (perHour > fromDollars(limits.perHour)) {
    return `Instances of agents may cost $${limits.perHour}/h together. ${ask}`;
  }
  if (limits.perDay === 0) {
    return 'Agents may spend nothing: the limit is $0, or what they spent could not be read. Ask the user to run Review Agent Limits.';
  }
  if (today > fromDollars(limits.perDay)) {
    return `Agents may commit to $${limits.perDay} a day. ${ask}`;
  }
  return undefined;
}

export function remainingLimits(limits: AgentLimits, used: AgentUsage): RemainingLimits {
  const remaining = (limit: number, amount: Micros) =>
    Math.max(0, Math.floor((fromDollars(limit) - amount) / 100) / 10_000);
  return {
    usdToday: remaining(limits.perDay, used.today),
    usdPerHour: remaining(limits.perHour, used.perHour),
    instances: Math.max(0, limits.instances - used.instances),
    hoursPerSchedule: limits.hours,
  };
}

/** What a list of instances shows to have ended. */
export interface Ended {
  readonly stopped: ReadonlySet<number>;
  readonly gone: ReadonlySet<number>;
  /** When the list was read. */
  readonly asOf: number;
}

/**
 * The money of an instance that stopped or is gone is given back from now on. An older list, or one that was read while
 * a start is under way, shows an instance as stopped that is about to cost money.
 */
export function endCommitments(
  requests: readonly AgentRequest[],
  now: number,
  ended: Ended,
): readonly AgentRequest[] {
  return requests.map((request) => {
    const { commitment, instanceId, state } = request;
    const isOver = state === 'rented' || state === 'done';
    if (
      !commitment ||
      instanceId === undefined ||
      !isOver ||
      ended.asOf <= (request.decidedAt ?? request.at)
    ) {
      return request;
    }
    const isGone = ended.gone.has(instanceId);
    if (!isGone && !ended.stopped.has(instanceId)) {
      return request;
    }
    const until = commitment.isEnded
      ? commitment.until
      : Math.max(commitment.from, Math.min(commitment.until, now));
    const stoppedPerHour = isGone ? zero : commitment.stoppedPerHour;
    return commitment.isEnded && stoppedPerHour === commitment.stoppedPerHour
      ? request
      : { ...request, commitment: { ...commitment, until, stoppedPerHour, isEnded: true } };
  });
}
