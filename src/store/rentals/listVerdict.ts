import { findRented } from '../../model/rentals/findRented';
import { isComplete } from '../instances/listed';
import type { FleetSnapshot } from '../instances/fleetStore';
import type { Rental } from './rentalStore';
import { lostRentalOf, readBackForMs } from './readBack';

/** A rental that was given up is still recognized when it appears this late (ms). */
const lateMs = 24 * 3_600_000;

/** What a new list says about a rental. */
export type ListVerdict =
  | { readonly kind: 'nothing' }
  /** The rental became this instance. */
  | { readonly kind: 'found'; readonly instanceId: number }
  /** The sending window is gone; the outcome is still open. */
  | { readonly kind: 'open' }
  /** The search took long enough to conclude that nothing was rented. */
  | { readonly kind: 'notRented' }
  /** Its instance is gone. */
  | { readonly kind: 'gone'; readonly instanceId: number }
  /** Its instance counted as gone, and is listed again. */
  | { readonly kind: 'back' };

export interface VerdictFacts {
  /** Milliseconds since 1970. */
  readonly now: number;
  /** True while the sending window is still working on it. */
  readonly isOwnerAtWork: boolean;
  /** Returns the milliseconds over which complete lists lacked it, including this one. */
  readonly missedForMs: () => number;
  /** Returns whether readings agree that an instance is gone. */
  readonly hasEnded: (instanceId: number) => boolean;
  /** Instances that belong to other rentals. */
  readonly taken: () => ReadonlySet<number>;
}

/** Judges the outcome of a rental by the list alone, for a rental whose window closed early. */
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
