import * as vscode from 'vscode';
import { runCommand } from '../../editor/commands';
import { t } from '../../editor/localize';
import { message } from '../../editor/message';
import { pickFromList, type Row } from '../../editor/quickPick';
import { sshAuthority } from '../../editor/remoteAuthority';
import { labelOf } from '../../editor/titles';
import type { Instance } from '../../model/instances/instance';
import { instanceName } from '../../model/instances/instanceLabel';
import { actionsFor } from '../../model/instances/instanceState';
import { hostInAuthority } from '../../ssh/alias';
import { toDisposable, type Disposable } from '../../util/disposable';
import { plainLabel } from '../../util/plainLabel';
import { ConnectedWindow } from './connectedWindow';
import type { WindowDeps } from './deps';
import { WindowOwners } from './windowOwners';
import { diskPriceOf, runningPriceOf } from './windowText';

/** Shows the cost of this window's machine in the status bar, and asks one question when it is lost. */
export function register(deps: WindowDeps): Disposable {
  const host = hostInAuthority(sshAuthority());
  deps.contextKeys.set('gpuRental.connected', host !== undefined);
  const owners = new WindowOwners(deps.globalState);
  const forgetting = deps.accountCleanup.onDidRemove((accountKey) => {
    owners.forget(accountKey).catch((error: unknown) => {
      deps.log.error('The windows of a signed-out account could not be forgotten', error);
    });
  });
  const own = host && new ConnectedWindow(deps, host);
  const command = deps.commands.register('gpuRental.connected.showMenu', async () => {
    const instance = own && deps.fleet.find(own.instanceId);
    if (instance) {
      await showMenu(deps, instance);
      return;
    }
    message('info', t('This window is not connected to an instance that still exists.'), {
      label: t('Show Instances'),
      run: async () => {
        await runCommand('gpuRental.refresh');
        await vscode.commands.executeCommand('gpuRental.instances.focus');
      },
    });
  });
  return toDisposable(() => {
    forgetting.dispose();
    command.dispose();
    own?.dispose();
  });
}

type Action = () => Thenable<unknown>;

/** Shows the actions for this window's machine; each asks its usual questions. */
async function showMenu(deps: WindowDeps, instance: Instance): Promise<void> {
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
          row(
            'debug-stop',
            labelOf('gpuRental.instance.stop'),
            t('storage still costs {0}', diskPriceOf(instance)),
            () => runCommand('gpuRental.instance.stop', target),
          ),
        ]
      : []),
    ...(can.canStart
      ? [
          row('debug-start', labelOf('gpuRental.instance.start'), runningPriceOf(instance), () =>
            runCommand('gpuRental.instance.start', target),
          ),
        ]
      : []),
    row('trash', labelOf('gpuRental.instance.destroy'), t('All data on it is lost.'), () =>
      runCommand('gpuRental.instance.destroy', target),
    ),
    row('list-tree', t('Show Instance'), '', () => runCommand('gpuRental.instance.reveal', target)),
  ];
  const picked = await pickFromList<Action>({
    title: plainLabel(instanceName(instance)),
    placeholder: t('What do you want to do?'),
    rows,
  });
  if (picked.kind === 'picked') {
    await picked.value();
  }
}
