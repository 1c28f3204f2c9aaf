import type { Client } from '../../api/client';
import type { Services } from '../../services';
import { UserError } from '../../util/errors';
import { text } from '../../util/text';

/** The client of the active account. */
export function keyClient({ accounts }: Pick<Services, 'accounts'>): Client {
  const { active } = accounts;
  if (!active) {
    throw new UserError(text('Sign in to use the SSH keys of your account.'), { nextStep: 'signIn' });
  }
  return active.client;
}
