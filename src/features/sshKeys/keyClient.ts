import type { Client } from '../../api/client';
import type { Services } from '../../services';
import { clientFor } from '../../store/accounts/sameAccount';
import { UserError } from '../../util/errors';
import { text } from '../../util/text';

/**
 * Returns a getter for the client of the active account, which throws once another account is active. Call this
 * before asking the user, because the answer applies only to the account that was asked about.
 */
export function keyClient({ accounts }: Pick<Services, 'accounts'>): () => Client {
  if (!accounts.active) {
    throw new UserError(text('You are not signed in. Sign in first.'), { nextStep: 'signIn' });
  }
  return clientFor(accounts);
}
