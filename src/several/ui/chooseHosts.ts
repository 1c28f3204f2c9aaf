import type { InstanceTarget } from '../../commandSpecs';
import { showInstances } from '../../editor/chooseInstance';
import { allRows } from '../../editor/commands';
import { t } from '../../editor/localize';
import { message } from '../../editor/message';
import { whileReadingInstances } from '../../editor/progress';
import { pickMany } from '../../editor/quickPick';
import type { Instance } from '../../model/instances/instance';
import { instanceName } from '../../model/instances/instanceLabel';
import { connectableInstances } from '../../store/instances/listed';
import { plainLabel } from '../../util/plainLabel';
import type { SeveralDeps } from './deps';

/** Returns reachable instances: the given ones, or those that the user leaves ticked in a list. */
export async function chooseHosts(
  deps: SeveralDeps,
  target: InstanceTarget | undefined,
  selected: readonly InstanceTarget[] | undefined,
  title: string,
): Promise<readonly Instance[]> {
  const able = await connectableInstances(deps, whileReadingInstances);
  const given = new Set(allRows(target, selected).map(({ instanceId }) => instanceId));
  const candidates = given.size === 0 ? able : able.filter(({ id }) => given.has(id));
  if (candidates.length === 0) {
    message('info', t('This needs a running instance.'), showInstances());
    return [];
  }
  if (given.size > candidates.length) {
    message(
      'info',
      t('Left out, because they are not running or have no SSH: {0}.', given.size - candidates.length),
    );
  }
  return given.size > 0 || candidates.length === 1 ? candidates : tick(candidates, title);
}

async function tick(candidates: readonly Instance[], title: string): Promise<readonly Instance[]> {
  const rows = candidates.map((instance) => ({ ...rowOf(instance), picked: true, instance }));
  const picked = await pickMany(rows, { title, placeHolder: t('Which instances?') });
  return (picked ?? []).map(({ instance }) => instance);
}

function rowOf(instance: Instance) {
  return {
    label: plainLabel(instanceName(instance)),
    description: `#${instance.id}${instance.gpuName === undefined ? '' : ` · ${instance.gpuCount ?? 1}× ${instance.gpuName}`}`,
  };
}
