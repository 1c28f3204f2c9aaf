import * as vscode from 'vscode';
import type { PageTarget } from '../../commandSpecs';
import { t } from '../../editor/localize';
import { message } from '../../editor/message';
import type { PickRow } from '../../editor/plainRow';
import { inView } from '../../editor/progress';
import { pickOne } from '../../editor/quickPick';
import { labelOf } from '../../editor/titles';
import { consoleAddress, consolePages, type ConsolePage } from '../../model/accounts/webConsole';
import type { Services } from '../../services';
import { watchAccounts } from '../../shared/followAccount';
import { DisposableStore, type Disposable } from '../../util/disposable';
import { plainLabel } from '../../util/plainLabel';
import { AccountParts } from './accountParts';
import { AccountTree } from './accountTree';

type Deps = Pick<
  Services,
  | 'accounts'
  | 'fleet'
  | 'hub'
  | 'keptSecrets'
  | 'volumes'
  | 'clock'
  | 'log'
  | 'commands'
  | 'trees'
  | 'accountGroups'
  | 'keyAccess'
  | 'settings'
  | 'ssh'
>;

/** Registers the account view and the lists that it reads. */
export function register(deps: Deps): Disposable {
  const store = new DisposableStore();
  const { commands } = deps;
  const parts = store.add(new AccountParts(deps));
  const tree = store.add(new AccountTree(deps, parts));
  deps.trees['gpuRental.account'].setProvider(tree);
  store.add(
    commands.register('gpuRental.refreshAccount', () => inView('gpuRental.account', () => parts.refresh())),
  );
  store.add(
    commands.register('gpuRental.secret.reveal', (target) => {
      if (target) {
        tree.reveal(target.secretName);
      }
    }),
  );
  // A user who has just signed out may still have to delete the key there.
  let serviceUrl: string = deps.settings.get('gpuRental.service.url');
  store.add(commands.register('gpuRental.openConsole', (target) => openConsole(serviceUrl, target)));
  const describe = () => {
    const account = deps.accounts.active;
    serviceUrl = account?.serviceUrl ?? serviceUrl;
    // With the view closed, its title still shows the account.
    deps.trees['gpuRental.account'].view.description = account ? plainLabel(account.name) : '';
  };
  store.add(watchAccounts(deps.accounts, describe));
  describe();
  return store;
}

/** Opens the service's console, where money, e-mail and keys are managed. */
async function openConsole(serviceUrl: string, target: PageTarget | undefined): Promise<void> {
  if (consoleAddress(serviceUrl, consolePages.user) === undefined) {
    message('info', t('This marketplace runs on your computer and has no web console.'));
    return;
  }
  const page = pageOf(target) ?? (await pickPage());
  const address = page && consoleAddress(serviceUrl, page);
  if (address !== undefined) {
    await vscode.env.openExternal(vscode.Uri.parse(address));
  }
}

function pageOf(target: PageTarget | undefined): ConsolePage | undefined {
  const name = target?.part ?? target?.kind;
  return typeof name === 'string' && Object.hasOwn(consolePages, name)
    ? consolePages[name as keyof typeof consolePages]
    : undefined;
}

async function pickPage(): Promise<ConsolePage | undefined> {
  const rows: readonly (PickRow & { readonly page: ConsolePage })[] = [
    { icon: 'credit-card', label: t('Add Credit'), page: consolePages.credit },
    { icon: 'mail', label: t('Account and E-Mail Verification'), page: consolePages.user },
    { icon: 'key', label: t('API Keys'), page: consolePages.apiKeys },
  ];
  const picked = await pickOne(rows, {
    title: labelOf('gpuRental.openConsole'),
    placeHolder: t('Opens in your browser, where you sign in separately'),
  });
  return picked?.page;
}
