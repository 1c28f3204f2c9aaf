import { runCommand } from '../../editor/commands';
import type { HeldAlias } from '../../model/instances/heldInstance';
import type { Services } from '../../services';
import { accountFor } from '../../store/accounts/sameAccount';
import { CancelledError } from '../../util/errors';

/** Makes an instance of the active account reachable. @throws CancelledError if the user must do a step first. */
export async function reach(
  { accounts }: Pick<Services, 'accounts'>,
  instanceId: number,
): Promise<HeldAlias> {
  const account = accountFor(accounts);
  const { key: accountKey } = account();
  const alias = await runCommand('gpuRental.prepareSsh', { instanceId, accountKey });
  account();
  if (alias === undefined) {
    throw new CancelledError();
  }
  return { instanceId, accountKey, alias };
}
