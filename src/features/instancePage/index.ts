import type * as vscode from 'vscode';
import { chooseInstance } from '../../editor/chooseInstance';
import { t } from '../../editor/localize';
import { whileReadingInstances } from '../../editor/progress';
import type { Services } from '../../services';
import { followAccount } from '../../shared/followAccount';
import { accountFor } from '../../store/accounts/sameAccount';
import { listedInstances } from '../../store/instances/listed';
import { DisposableStore, type Disposable } from '../../util/disposable';
import { keptPage } from '../../webview/report/protocol';
import { InstancePage, type PageDeps } from './instancePage';

/** Registers the page of an instance: one for each, opened by a click on its row. */
export function register(deps: PageDeps & Pick<Services, 'commands'>): Disposable {
  const store = new DisposableStore();
  const pages = new Map<number, InstancePage>();
  const open = (instanceId: number, accountKey: string, restored?: vscode.WebviewPanel) => {
    const page = new InstancePage(deps, { instanceId, accountKey }, restored, () => pages.delete(instanceId));
    pages.set(instanceId, page);
  };
  // What one account rents never shows under the name of another.
  store.add(
    followAccount(deps.accounts, () => ({
      dispose: () => [...pages.values()].forEach((page) => page.dispose()),
    })),
  );
  store.add(
    deps.commands.register('gpuRental.instance.open', async (target) => {
      const account = accountFor(deps.accounts);
      const instanceId = await chooseInstance(
        target,
        () => listedInstances(deps.fleet, whileReadingInstances),
        'gpuRental.instance.open',
        t('You have no instances.'),
      );
      if (instanceId === undefined) {
        return;
      }
      const { key } = account();
      const opened = pages.get(instanceId);
      if (opened) {
        opened.reveal();
      } else {
        open(instanceId, key);
      }
    }),
  );
  store.add(
    deps.commands.register('gpuRental.instance.restorePage', ({ panel, state }) => {
      const kept = keptPage.safeParse(state).data?.restore;
      if (kept && kept.accountKey === deps.accounts.active?.key && !pages.has(kept.instanceId)) {
        open(kept.instanceId, kept.accountKey, panel);
      } else {
        panel.dispose();
      }
    }),
  );
  return store;
}
