import type { Instance } from './instance';
import { stateOf, type InstanceFacts, type InstanceStateKind } from './instanceState';
import type { Micros } from '../money';
import { hoursOfCredit, type Rate } from '../quote';

/** Something that will cost money or data if nobody looks. */
export type Warning =
  | { readonly kind: 'lowCredit'; readonly hours: number }
  | { readonly kind: 'stoppedLong'; readonly instanceId: number; readonly sinceMs: number }
  | { readonly kind: 'hostEnds'; readonly instanceId: number; readonly endsAtMs: number };

export interface WarningInput {
  readonly instances: readonly Instance[];
  readonly facts: (instanceId: number) => InstanceFacts;
  readonly rate: Rate;
  readonly credit: Micros | undefined;
  /** Milliseconds since 1970. */
  readonly now: number;
  /** Days; 0 for never. */
  readonly stoppedDays?: number;
}

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const weekMs = 7 * dayMs;

/** Credit that ends sooner than this is low. */
const lowCreditHours = 6;
/** A stop of ours that is older is worth a question. */
const stoppedLongDays = 7;
/** The host takes the machine back within this time. */
const hostEndsWithinMs = dayMs;

/** What is to be said now; whether it was said before is not known here. */
export function warningsFor(input: WarningInput): readonly Warning[] {
  const hours =
    input.credit === undefined || input.instances.length === 0
      ? undefined
      : hoursOfCredit(input.credit, input.rate);
  const low: Warning[] = hours !== undefined && hours < lowCreditHours ? [{ kind: 'lowCredit', hours }] : [];
  return [...low, ...input.instances.flatMap((instance) => ofInstance(instance, input))];
}

function ofInstance(
  instance: Instance,
  { facts, now, stoppedDays = stoppedLongDays }: WarningInput,
): readonly Warning[] {
  const known = facts(instance.id);
  const kind = stateOf(instance, known, now);
  return [...stoppedLong(instance.id, kind, known, now, stoppedDays), ...hostEnds(instance, kind, now)];
}

/** The record does not say since when it is stopped, so only stops of ours count. */
function stoppedLong(
  instanceId: number,
  kind: InstanceStateKind,
  facts: InstanceFacts,
  now: number,
  leastDays: number,
): readonly Warning[] {
  const request = facts.lastRequest;
  const isOurs = kind === 'stopped' && request?.kind === 'stop' && leastDays > 0;
  return isOurs && now - request.at >= leastDays * dayMs
    ? [{ kind: 'stoppedLong', instanceId, sinceMs: request.at }]
    : [];
}

function hostEnds(instance: Instance, kind: InstanceStateKind, now: number): readonly Warning[] {
  const endsAtMs = instance.endsAt === undefined ? undefined : instance.endsAt * 1000;
  const isNear = endsAtMs !== undefined && endsAtMs > now && endsAtMs - now < hostEndsWithinMs;
  return isNear && kind !== 'destroying' ? [{ kind: 'hostEnds', instanceId: instance.id, endsAtMs }] : [];
}

/**
 * Since when an instance is forgotten: not used for so many hours, and still watched. What was not watched in
 * between counts, as nothing of ours was open then and the figures before and after are all there is.
 */
export function forgottenSince(
  facts: { readonly lastUsedAt: number; readonly seenAt: number },
  hours: number,
  now: number,
): number | undefined {
  const isLong = hours > 0 && facts.seenAt - facts.lastUsedAt >= hours * hourMs;
  return isLong && facts.seenAt <= now ? facts.lastUsedAt : undefined;
}

/** Tells repetitions apart: each is said once over all windows, low credit and old stops once a day or week. */
export function warningKey(warning: Warning, now: number): string {
  switch (warning.kind) {
    case 'lowCredit':
      return `lowCredit:${Math.floor(now / dayMs)}`;
    case 'stoppedLong':
      return `stoppedLong:${warning.instanceId}:${Math.floor((now - warning.sinceMs) / weekMs)}`;
    case 'hostEnds':
      return `hostEnds:${warning.instanceId}:${warning.endsAtMs}`;
  }
}
