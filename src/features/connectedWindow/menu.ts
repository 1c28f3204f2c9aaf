import { runCommand } from '../../editor/commands';
import { t } from '../../editor/localize';
import { pickFromList, type Row } from '../../editor/quickPick';
import type { Instance } from '../../model/instances/instance';
import { instanceName } from '../../model/instances/instanceLabel';
import { actionsFor } from '../../model/instances/instanceState';
import type { WindowDeps } from './deps';
import { diskPriceOf, runningPriceOf } from './windowText';
import { plainLabel } from '../../util/plainLabel';

type Action = () => Thenable<unknown>;

/** Shows the actions for this window's machine; each asks its usual questions. */
export async function showMenu(deps: WindowDeps, instance: Instance): Promise<void> {
  const target = { instanceId: instance.id };
  const can = actionsFor(instance, deps.fleet.facts(instance.id), deps.clock.now());
  const row = (icon: string, label: string, description: string, value: Action): Row<Action> => ({
    icon,
    label,
    description,
    value,
  });
  const rows = [
    ...(can.canStop
      ? [
          row('debug-stop', t('Stop…'), t('storage still costs {0}', diskPriceOf(instance)), () =>
            runCommand('gpuRental.instance.stop', target),
          ),
        ]
      : []),
    ...(can.canStart
      ? [
          row('debug-start', t('Start…'), runningPriceOf(instance), () =>
            runCommand('gpuRental.instance.start', target),
          ),
        ]
      : []),
    row('trash', t('Destroy…'), t('all data on it is lost'), () =>
      runCommand('gpuRental.instance.destroy', target),
    ),
    row('list-tree', t('Show in View'), '', () => runCommand('gpuRental.instance.reveal', target)),
  ];
  const picked = await pickFromList<Action>({
    title: plainLabel(instanceName(instance)),
    placeholder: t('What do you want to do with the instance of this window?'),
    rows,
  });
  if (picked.kind === 'picked') {
    await picked.value();
  }
}
