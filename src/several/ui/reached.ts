import type { MachineOutcome } from '../../editor/onSeveral';
import { reachOneOf } from '../../editor/reachSeveral';
import type { Instance } from '../../model/instances/instance';
import { accountFor } from '../../store/accounts/sameAccount';
import type { SeveralDeps } from './deps';

/**
 * Returns what gives the alias of an instance; call this before asking the user. A number of one account may be another
 * machine of another account, which the rows of results outlast.
 */
export function entriesOf({ accounts }: Pick<SeveralDeps, 'accounts'>) {
  const account = accountFor(accounts);
  return async ({ id }: Instance, signal: AbortSignal) => {
    const reached = await reachOneOf(id, account().key, signal);
    account();
    return reached;
  };
}

export function unreached(problem: string): MachineOutcome {
  return { isOk: false, summary: problem, output: problem };
}
