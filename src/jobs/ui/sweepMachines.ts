import { t } from '../../editor/localize';
import { whileReadingInstances } from '../../editor/progress';
import { pickMany } from '../../editor/quickPick';
import type { Instance } from '../../model/instances/instance';
import { instanceName } from '../../model/instances/instanceLabel';
import type { JobSpec } from '../model/jobSpec';
import { connectableInstances } from '../../store/instances/listed';
import type { JobDeps } from './deps';
import { plainLabel } from '../../util/plainLabel';

/** Lets the user pick instances that share a matrix, the chosen one first; `undefined` if the user canceled. */
export async function sweepMachines(
  deps: Pick<JobDeps, 'fleet' | 'clock'>,
  { name, matrix, maxParallel }: JobSpec,
  first: Instance,
): Promise<readonly Instance[] | undefined> {
  if (!matrix || maxParallel === 1) {
    return [first];
  }
  const able = await connectableInstances(deps, whileReadingInstances);
  const others = able.filter(({ id }) => id !== first.id);
  if (others.length === 0) {
    return [first];
  }
  const rows = others.map((instance) => ({
    label: plainLabel(instanceName(instance)),
    description: `#${instance.id}`,
    instance,
  }));
  const picked = await pickMany(rows, {
    title: t('Share {0} With Other Instances?', name),
    placeHolder: t('Choose up to {0} besides {1}, or none', maxParallel - 1, plainLabel(instanceName(first))),
    mostRows: maxParallel - 1,
  });
  return picked && [first, ...picked.map(({ instance }) => instance)];
}
