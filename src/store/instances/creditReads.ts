import type { Clock } from '../../util/clock';
import type { Log } from '../../util/log';
import type { Accounts } from '../accounts/accounts';
import { describeError } from './fleetShared';

/** Credit changes slowly, so it is read at most this often (ms). A manual refresh reads it at once. */
const everyMs = 5 * 60_000;

/** Reads the credit of the active account from time to time, together with its instances. */
export class CreditReads {
  private readAt = 0;

  constructor(
    private readonly deps: {
      readonly accounts: Pick<Accounts, 'refreshUser'>;
      readonly clock: Pick<Clock, 'now'>;
      readonly log: Log;
    },
  ) {}

  /** Called when another account becomes active, because its credit was just read. */
  begin(): void {
    this.readAt = this.deps.clock.now();
  }

  /** Reads the credit if it is due. */
  refresh(): void {
    const { accounts, clock, log } = this.deps;
    const now = clock.now();
    if (Math.abs(now - this.readAt) < everyMs) {
      return;
    }
    this.readAt = now;
    accounts.refreshUser().catch((error: unknown) => {
      log.warn(`The account could not be read: ${describeError(error)}`);
    });
  }
}
