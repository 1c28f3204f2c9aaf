import type { StartOutcome, StartWatch } from '../../model/rentals/startWatch';
import type { Log } from '../../util/log';
import type { RentalChange, RentalStore, Rental } from './rentalStore';
import type { StartNews } from './startNews';
import type { Troubles } from './troubles';

interface Deps {
  readonly rentals: Pick<RentalStore, 'update'>;
  readonly news: Pick<StartNews, 'tell' | 'markTold'>;
  readonly troubles: Pick<Troubles, 'noteFailed'>;
  readonly log: Log;
}

/** A watch that has ended. */
interface Ended {
  readonly watch: StartWatch;
  /** The rental that waits for the machine, if any. */
  readonly marker: string | undefined;
  /** The host's last message. */
  readonly message: string | undefined;
  /** Milliseconds since 1970. */
  readonly at: number;
}

/** Changes the phase of a rental that still waits: an outcome that another window stored stays. */
export function ifWaiting(phase: Rental['phase']) {
  return (stored: Rental): RentalChange | undefined => (mayBecome(stored, phase) ? { phase } : undefined);
}

/** Only readiness follows a failure here: a machine may run after its time. */
function mayBecome({ phase: stored }: Rental, phase: Rental['phase']): boolean {
  return stored.kind === 'waiting' || (stored.kind === 'failed' && phase.kind === 'ready');
}

/** Returns what an event says about the start of a machine that was reported as failed. */
export function lateness({ failed }: StartWatch): { readonly isLate?: true } {
  return failed === undefined ? {} : { isLate: true };
}

/** Stores and reports the outcomes of starting machines. */
export class StartOutcomes {
  /** Rentals whose outcome the disk refuses to store. It is tried with each list, and logged once. */
  private readonly refused = new Set<string>();

  constructor(private readonly deps: Deps) {}

  async settle(outcome: StartOutcome, { watch, marker, message, at }: Ended): Promise<void> {
    const { news, troubles } = this.deps;
    const { instanceId } = watch;
    const key = `${instanceId}:${watch.since}`;
    switch (outcome.kind) {
      case 'ready':
        await this.mark(marker, { kind: 'ready', instanceId, at });
        news.tell(`ready:${key}`, { kind: 'ready', instanceId, ...lateness(watch) });
        break;
      case 'failed': {
        const { reason, hadData } = outcome;
        const words = message === undefined ? {} : { message };
        // The failure message already covers this trouble.
        troubles.noteFailed(instanceId, reason);
        await this.mark(marker, { kind: 'failed', instanceId, at, reason, hadData, ...words });
        const isSecond = watch.failed !== undefined;
        news.tell(isSecond ? `failed:${key}:${reason}` : `failed:${key}`, {
          kind: 'failed',
          instanceId,
          reason,
          hadData,
          ...words,
        });
        break;
      }
      case 'ended':
        await this.mark(marker, { kind: 'ended', instanceId });
        if (watch.check) {
          news.markTold(`ready:${key}`);
        }
        break;
    }
  }

  /** Stores the phase of the waiting rental, if there is one. */
  async mark(marker: string | undefined, phase: Rental['phase']): Promise<void> {
    if (marker === undefined) {
      return;
    }
    try {
      await this.deps.rentals.update(marker, ifWaiting(phase));
    } catch (error) {
      // The user is notified in any case.
      if (!this.refused.has(marker)) {
        this.deps.log.error(`What became of ${marker} could not be noted`, error);
      }
      this.refused.add(marker);
    }
  }
}
