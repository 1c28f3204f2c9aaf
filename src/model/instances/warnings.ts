import type { Micros } from '../money';
import { hoursOfCredit, type Rate } from '../quote';
import type { Instance } from './instance';
import { stoppedCostPerDay } from './instanceCost';
import { stateOf, type InstanceFacts, type InstanceStateKind } from './instanceState';
import { rentalEndOf } from './rentalEnd';

/** Something that will cost money or data unless the user acts. */
export type Warning =
  | { readonly kind: 'lowCredit'; readonly hours: number }
  /** The service stops all running instances. */
  | { readonly kind: 'noCredit' }
  /** A start of ours waits for a GPU that another user has. */
  | {
      readonly kind: 'noGpu';
      readonly instanceId: number;
      readonly startedAtMs: number;
      readonly perDay: Micros | undefined;
    }
  | { readonly kind: 'stoppedLong'; readonly instanceId: number; readonly sinceMs: number }
  | {
      readonly kind: 'hostEnds';
      readonly instanceId: number;
      readonly endsAtMs: number;
      readonly isLastHour: boolean;
    }
  | {
      readonly kind: 'expired';
      readonly instanceId: number;
      readonly endsAtMs: number;
      readonly deletedAtMs: number;
    };

export interface WarningInput {
  readonly instances: readonly Instance[];
  readonly facts: (instanceId: number) => InstanceFacts;
  readonly rate: Rate;
  readonly credit: Micros | undefined;
  /** Milliseconds since 1970. */
  readonly now: number;
  /** In days; 0 for never. */
  readonly stoppedDays?: number;
}

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const weekMs = 7 * dayMs;

/** Credit for fewer hours than this is low. */
const lowCreditHours = 6;
/** An instance that has been stopped for this many days leads to a warning. */
const stoppedLongDays = 7;

/** Returns all current warnings, including those that have been shown before. */
export function warningsFor(input: WarningInput): readonly Warning[] {
  return [...ofCredit(input), ...input.instances.flatMap((instance) => ofInstance(instance, input))];
}

function ofCredit({ credit, instances, rate }: WarningInput): readonly Warning[] {
  // Volumes cost money without an instance, too.
  if (credit === undefined || (instances.length === 0 && rate <= 0)) {
    return [];
  }
  if (isUsedUp(credit)) {
    return [{ kind: 'noCredit' }];
  }
  const hours = hoursOfCredit(credit, rate);
  return hours !== undefined && hours < lowCreditHours ? [{ kind: 'lowCredit', hours }] : [];
}

/** Returns true if no credit is left. */
export function isUsedUp(credit: Micros | undefined): boolean {
  return credit !== undefined && credit <= 0;
}

function ofInstance(
  instance: Instance,
  { facts, now, stoppedDays = stoppedLongDays }: WarningInput,
): readonly Warning[] {
  const known = facts(instance.id);
  const kind = stateOf(instance, known, now);
  return [
    ...noGpu(instance, kind, known),
    ...stoppedLong(instance.id, kind, known, now, stoppedDays),
    ...endOf(instance, kind, now),
  ];
}

function noGpu(
  instance: Instance,
  kind: InstanceStateKind,
  { lastRequest }: InstanceFacts,
): readonly Warning[] {
  return kind === 'queued' && lastRequest?.kind === 'start'
    ? [
        {
          kind: 'noGpu',
          instanceId: instance.id,
          startedAtMs: lastRequest.at,
          perDay: stoppedCostPerDay(instance),
        },
      ]
    : [];
}

function stoppedLong(
  instanceId: number,
  kind: InstanceStateKind,
  { stoppedAt }: InstanceFacts,
  now: number,
  leastDays: number,
): readonly Warning[] {
  const isCounted = kind === 'stopped' && stoppedAt !== undefined && leastDays > 0;
  return isCounted && now - stoppedAt >= leastDays * dayMs
    ? [{ kind: 'stoppedLong', instanceId, sinceMs: stoppedAt }]
    : [];
}

function endOf(instance: Instance, kind: InstanceStateKind, now: number): readonly Warning[] {
  const end = rentalEndOf(instance, kind, now);
  const instanceId = instance.id;
  if (end?.kind === 'soon') {
    return [{ instanceId, ...end, kind: 'hostEnds' }];
  }
  return end?.kind === 'expired' ? [{ instanceId, ...end }] : [];
}

/**
 * Returns since when an instance is forgotten: unused for the given hours and still watched. Gaps in watching count
 * as unused, because nothing of ours was open then and the figures before and after are all we have.
 */
export function forgottenSince(
  facts: { readonly lastUsedAt: number; readonly seenAt: number },
  hours: number,
  now: number,
): number | undefined {
  const isLong = hours > 0 && facts.seenAt - facts.lastUsedAt >= hours * hourMs;
  return isLong && facts.seenAt <= now ? facts.lastUsedAt : undefined;
}

/**
 * Returns a key that identifies repetitions, so that each warning appears once over all windows; low credit once a
 * day, old stops once a week, a waiting start once until it is sent again or its price changes. An end date is rounded to the hour, because dates computed by the service differ by
 * seconds.
 */
export function warningKey(warning: Warning, now: number): string {
  switch (warning.kind) {
    case 'lowCredit':
      return `lowCredit:${Math.floor(now / dayMs)}`;
    case 'noCredit':
      return `noCredit:${Math.floor(now / dayMs)}`;
    case 'noGpu':
      return `noGpu:${warning.instanceId}:${warning.startedAtMs}:${warning.perDay ?? ''}`;
    case 'stoppedLong':
      return `stoppedLong:${warning.instanceId}:${Math.floor((now - warning.sinceMs) / weekMs)}`;
    case 'hostEnds':
      return `hostEnds:${warning.instanceId}:${hourOf(warning.endsAtMs)}:${warning.isLastHour ? 1 : 24}`;
    case 'expired':
      return `expired:${warning.instanceId}:${hourOf(warning.endsAtMs)}`;
  }
}

function hourOf(ms: number): number {
  return Math.round(ms / hourMs);
}
