import * as vscode from 'vscode';
import { runCommand } from '../../editor/commands';
import { t } from '../../editor/localize';
import { message } from '../../editor/message';
import { sshAuthority } from '../../editor/remoteAuthority';
import { toDisposable, type Disposable } from '../../util/disposable';
import { hostInAuthority } from '../../ssh/alias';
import { ConnectedWindow } from './connectedWindow';
import type { WindowDeps } from './deps';
import { showMenu } from './menu';
import { WindowOwners } from './windowOwners';

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
