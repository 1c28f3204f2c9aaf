import type { InstanceTarget } from '../../commandArguments';
import { chooseInstance } from '../../editor/chooseInstance';
import { t } from '../../editor/localize';
import { whileReadingInstances } from '../../editor/progress';
import { instanceName } from '../../model/instances/instanceLabel';
import type { Services } from '../../services';
import { connectableInstances } from '../../store/instances/listed';
import { plainLabel } from '../../util/plainLabel';

/** Returns the instance of a row, or one of those that a login can reach, with its name. */
export async function chooseRunning(
  deps: Pick<Services, 'fleet' | 'clock'>,
  target: InstanceTarget | undefined,
  title: string,
): Promise<{ readonly instanceId: number; readonly name: string } | undefined> {
  const instanceId = await chooseInstance(target, () => connectableInstances(deps, whileReadingInstances), {
    title,
    none: t('You have no running instance to connect to.'),
  });
  if (instanceId === undefined) {
    return undefined;
  }
  const instance = deps.fleet.find(instanceId);
  return { instanceId, name: instance ? plainLabel(instanceName(instance)) : `#${instanceId}` };
}
