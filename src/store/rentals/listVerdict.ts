import { findRented } from '../../model/rentals/findRented';
import { isComplete } from '../instances/listed';
import type { FleetSnapshot, Rental } from '../ports';
import { lostRentalOf, readBackForMs } from './readBack';

/** A rental that was given up is still recognised when it turns up this late. */
const lateMs = 24 * 3_600_000;

/** What a list that was just read says about a rental. */
export type ListVerdict =
  | { readonly kind: 'nothing' }
  /** It is this instance. */
  | { readonly kind: 'found'; readonly instanceId: number }
  /** Its sender is gone; whether it was rented is yet to be seen. */
  | { readonly kind: 'open' }
  /** It was looked for long enough. */
  | { readonly kind: 'notRented' }
  /** Its instance is gone. */
  | { readonly kind: 'gone'; readonly instanceId: number }
  /** Its instance was taken for gone and is in the list. */
  | { readonly kind: 'back' };

export interface VerdictFacts {
  /** Milliseconds since 1970. */
  readonly now: number;
  /** The window that sent it is still at work on it. */
  readonly isOwnerAtWork: boolean;
  /** Milliseconds over which complete lists have not had it, this one included. */
  readonly missedForMs: () => number;
  /** Whether readings agree that an instance is gone. */
  readonly hasEnded: (instanceId: number) => boolean;
  /** Instances that other rentals turned out to be. */
  readonly taken: () => ReadonlySet<number>;
}

/** Judges what became of a rental by the list alone, for windows that did not live to see its end. */
export function listVerdict(rental: Rental, snapshot: FleetSnapshot, facts: VerdictFacts): ListVerdict {
  const { phase } = rental;
  const isOpen = phase.kind === 'sent' || phase.kind === 'notKnown';
  const isLate = phase.kind === 'notRented' && facts.now - rental.requestedAt < lateMs;
  return (isOpen && !facts.isOwnerAtWork) || isLate
    ? outcome(rental, snapshot, facts)
    : presence(rental, snapshot, facts);
}

function outcome(rental: Rental, snapshot: FleetSnapshot, { missedForMs, taken }: VerdictFacts): ListVerdict {
  const { phase } = rental;
  const finding = findRented(lostRentalOf(rental), snapshot.instances, taken());
  if (finding.kind === 'found' && (finding.by === 'label' || phase.kind === 'notKnown')) {
    return { kind: 'found', instanceId: finding.instanceId };
  }
  if (phase.kind === 'sent') {
    return { kind: 'open' };
  }
  const isGivenUp =
    phase.kind === 'notKnown' &&
    finding.kind === 'none' &&
    isComplete(snapshot) &&
    missedForMs() >= readBackForMs;
  return { kind: isGivenUp ? 'notRented' : 'nothing' };
}

function presence(rental: Rental, snapshot: FleetSnapshot, { hasEnded }: VerdictFacts): ListVerdict {
  const { phase } = rental;
  const isSettled = phase.kind === 'ready' || phase.kind === 'failed' || phase.kind === 'ended';
  const instanceId = isSettled ? phase.instanceId : undefined;
  if (instanceId === undefined) {
    return { kind: 'nothing' };
  }
  if (snapshot.instances.some(({ id }) => id === instanceId)) {
    return rental.goneAt === undefined ? { kind: 'nothing' } : { kind: 'back' };
  }
  return rental.goneAt === undefined && hasEnded(instanceId)
    ? { kind: 'gone', instanceId }
    : { kind: 'nothing' };
}
