import { NotSentError } from '../../api/errors';
import { defaultPolicy } from '../../api/policy';
import type { Clock } from '../../util/clock';
import { isWithin } from '../../util/duration';
import { text } from '../../util/text';
import { accountStill } from '../accounts/sameAccount';
import type { Accounts } from '../accounts/accounts';

/** Thrown before anything is sent: the user confirmed it too long ago. */
export class AgreementTooOldError extends NotSentError {
  constructor() {
    super(text('The rental could not be sent within 10 minutes.'));
  }
}

/**
 * Returns the check right before a rental is sent, which throws if it may not be: the computer may have slept since the
 * user confirmed it at `agreedAt`, or another account may be active.
 */
export function stillAgreed(
  { accounts, clock }: { readonly accounts: Pick<Accounts, 'active'>; readonly clock: Pick<Clock, 'now'> },
  accountKey: string,
  agreedAt: number,
): () => Promise<boolean> {
  return () => {
    accountStill(accounts, accountKey);
    if (!isWithin(defaultPolicy.writeWaitMs, agreedAt, clock.now())) {
      throw new AgreementTooOldError();
    }
    return Promise.resolve(true);
  };
}
