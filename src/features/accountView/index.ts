import * as vscode from 'vscode';
import type { Services } from '../../services';
import { DisposableStore, type Disposable } from '../../util/disposable';
import { AccountParts } from './accountParts';
import { AccountTree } from './accountTree';

type Deps = Pick<Services, 'accounts' | 'fleet' | 'clock' | 'log' | 'commands' | 'trees' | 'accountGroups'>;

/** The account view and what is read for it. */
export function register(deps: Deps): Disposable {
  const store = new DisposableStore();
  const { commands } = deps;
  const parts = store.add(new AccountParts(deps));
  const tree = store.add(new AccountTree(deps, parts));
  deps.trees['gpuRental.account'].setProvider(tree);
  store.add(commands.register('gpuRental.refreshAccount', () => parts.refresh()));
  store.add(
    commands.register('gpuRental.secret.reveal', (target) => {
      if (target) {
        tree.reveal(target.secretName);
      }
    }),
  );
  store.add(commands.register('gpuRental.openConsole', () => openConsole(deps)));
  return store;
}

/** Money, e-mail and keys are settled in the service's own console; a key never goes into the link. */
async function openConsole({ accounts }: Deps): Promise<void> {
  const url = accounts.active && new URL(accounts.active.serviceUrl);
  if (url?.protocol === 'https:') {
    await vscode.env.openExternal(vscode.Uri.parse(`https://${url.host}/billing/`));
  } else {
    void vscode.window.showInformationMessage(
      vscode.l10n.t('This marketplace runs on your computer and has no web console.'),
    );
  }
}
