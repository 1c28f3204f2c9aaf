import type { Client } from '../../api/client';
import { NotSentError } from '../../api/errors';
import { NotSignedInError } from '../../shared/notSignedIn';
import { text } from '../../util/text';
import type { Account, Accounts } from './accounts';

/** The active account changed between the question and the answer, perhaps in another window. */
export class AccountChangedError extends NotSentError {
  constructor() {
    super(text('Nothing was done because the account was switched. Check the active account and try again.'));
  }
}

/**
 * Returns a getter for the client; call this before asking the user. Ids of one account mean nothing or
 * something else in another, so the getter throws `AccountChangedError` once another account is active.
 */
export function clientFor(accounts: Pick<Accounts, 'active'>): () => Client {
  const asked = accountFor(accounts);
  return () => asked().client;
}

/** Like `clientFor`, for data on this computer: an answer about one account is never stored for another. */
export function accountFor(accounts: Pick<Accounts, 'active'>): () => Account {
  const key = accounts.active?.key;
  return () => accountStill(accounts, key);
}

/** Returns the active account; throws unless it has this key. */
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

/**
 * For a write that the user agreed to before it was known to be needed: it is sent for its own account, whichever is
 * active by then.
 */
export const agreedBefore = { isStillWanted: () => Promise.resolve(true) } as const;
