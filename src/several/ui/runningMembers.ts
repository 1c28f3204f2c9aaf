import { showInstances } from '../../editor/chooseInstance';
import { t } from '../../editor/localize';
import { message } from '../../editor/message';
import { whileReadingInstances } from '../../editor/progress';
import type { Instance } from '../../model/instances/instance';
import { listedInstances } from '../../store/instances/listed';
import type { HostSet } from '../model/hostSet';
import type { HostFileKeeper } from '../store/hostFileKeeper';
import type { EngineDeps } from './deps';

/**
 * Returns the instances of a group that run and have a shell; none after a message. Rejects if the list can't be read,
 * because that does not mean that none runs.
 */
export async function runningMembers(
  { fleet, keeper }: Pick<EngineDeps, 'fleet'> & { readonly keeper: Pick<HostFileKeeper, 'runningOf'> },
  set: HostSet,
): Promise<readonly Instance[]> {
  await listedInstances(fleet, whileReadingInstances);
  const members = keeper.runningOf(set);
  if (members.length === 0) {
    message('info', t('No instance of the group {0} is running.', set.name), showInstances());
  }
  return members;
}
