import type { Client } from '../../api/client';
import { UserError } from '../../util/errors';
import { text } from '../../util/text';
import { NotSignedInError } from '../../shared/notSignedIn';
import type { Account, Accounts } from '../ports';

/** Between the question and the answer another account was chosen, perhaps in another window. */
export class AccountChangedError extends UserError {
  constructor() {
    super(text('The account was switched, so nothing was done. Check the active account and try again.'));
  }
}

/**
 * Call it before the user is asked; what it returns gives the client afterwards. Ids of one account mean
 * nothing, or something else, in another, so it throws `AccountChangedError` where another is active by then.
 */
export function clientFor(accounts: Pick<Accounts, 'active'>): () => Client {
  const key = accounts.active?.key;
  return () => accountStill(accounts, key).client;
}

/** The active account; throws unless it is the one of this key. */
export function accountStill(accounts: Pick<Accounts, 'active'>, key: string | undefined): Account {
  const { active } = accounts;
  if (!active) {
    throw new NotSignedInError();
  }
  if (active.key !== key) {
    throw new AccountChangedError();
  }
  return active;
}
