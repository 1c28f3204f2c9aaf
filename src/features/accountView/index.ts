import * as vscode from 'vscode';
import { plainLabel } from '../../editor/quickPick';
import type { Services } from '../../services';
import { DisposableStore, type Disposable } from '../../util/disposable';
import { AccountParts } from './accountParts';
import { AccountTree } from './accountTree';

type Deps = Pick<
  Services,
  | 'accounts'
  | 'fleet'
  | 'volumes'
  | 'clock'
  | 'log'
  | 'commands'
  | 'trees'
  | 'accountGroups'
  | 'keyAccess'
  | 'ssh'
>;

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
  // Whoever has just signed out may still have to delete the key there.
  let serviceUrl: string | undefined;
  store.add(commands.register('gpuRental.openConsole', (target) => openConsole(serviceUrl, target)));
  const describe = () => {
    const account = deps.accounts.active;
    serviceUrl = account?.serviceUrl ?? serviceUrl;
    // With the views closed it still says who is signed in.
    deps.trees['gpuRental.account'].view.description = account ? plainLabel(account.name) : '';
  };
  store.add(deps.accounts.onDidChange(describe));
  describe();
  return store;
}

/** Pages of the service's own console, by the row that leads there. */
const pages = { credit: 'billing', user: 'account', apiKeys: 'manage-keys' } as const;
type Page = (typeof pages)[keyof typeof pages];

/** Money, e-mail and keys are settled in the service's own console; a key never goes into the link. */
async function openConsole(serviceUrl: string | undefined, target: unknown): Promise<void> {
  const url = serviceUrl === undefined ? undefined : new URL(serviceUrl);
  if (url?.protocol !== 'https:') {
    void vscode.window.showInformationMessage(
      vscode.l10n.t('This marketplace runs on your computer and has no web console.'),
    );
    return;
  }
  const page = pageOf(target) ?? (await pickPage());
  if (page !== undefined) {
    await vscode.env.openExternal(vscode.Uri.parse(`https://${url.host}/${page}/`));
  }
}

function pageOf(target: unknown): Page | undefined {
  const node = typeof target === 'object' && target !== null ? target : {};
  const name = 'part' in node ? node.part : 'kind' in node ? node.kind : undefined;
  return name === 'credit' || name === 'user' || name === 'apiKeys' ? pages[name] : undefined;
}

async function pickPage(): Promise<Page | undefined> {
  const rows: readonly (vscode.QuickPickItem & { readonly page: Page })[] = [
    { label: `$(credit-card) ${vscode.l10n.t('Add Credit')}`, page: pages.credit },
    { label: `$(mail) ${vscode.l10n.t('Account and E-Mail Verification')}`, page: pages.user },
    { label: `$(key) ${vscode.l10n.t('API Keys')}`, page: pages.apiKeys },
  ];
  const picked = await vscode.window.showQuickPick(rows, {
    title: vscode.l10n.t('Open Web Console'),
    placeHolder: vscode.l10n.t('Opens in your browser, where you sign in by yourself'),
  });
  return picked?.page;
}
