import * as vscode from 'vscode';
import { stepKeys } from '../../contributions';
import { runCommand, titledAction } from '../../editor/commands';
import { offerDamagedFiles } from '../../editor/damagedFiles';
import { t } from '../../editor/localize';
import { message, type Action } from '../../editor/message';
import type { PickRow } from '../../editor/plainRow';
import { askLine, pickOne } from '../../editor/quickPick';
import { labelOf, titleOf } from '../../editor/titles';
import { spendable, type AccountRef } from '../../model/accounts/account';
import { formatMoney } from '../../model/money';
import type { Services } from '../../services';
import { watchAccounts } from '../../shared/followAccount';
import { NotSignedInError } from '../../shared/notSignedIn';
import { KeyNotKeptError } from '../../store/accounts/accountErrors';
import type { Account } from '../../store/accounts/accounts';
import { DisposableStore, MutableDisposable, type Disposable } from '../../util/disposable';
import { plainLabel } from '../../util/plainLabel';
import { adaptToKey, replaceKey, reportKeyTrouble } from './accountKey';
import { signOut, switching } from './leaveAccount';
import { signIn } from './signIn';

type Deps = Pick<
  Services,
  | 'accounts'
  | 'accountCleanup'
  | 'clock'
  | 'commands'
  | 'contextKeys'
  | 'demo'
  | 'fleet'
  | 'oneWindow'
  | 'keyAccess'
  | 'log'
  | 'notices'
  | 'rentals'
  | 'report'
  | 'secondFactor'
  | 'settings'
  | 'ssh'
  | 'templateStores'
  | 'work'
>;

/**
 * Within this time (ms) a first refused call, perhaps in another window, shows that a new account requires a second
 * factor.
 */
const signInMs = 60_000;

/** Registers sign-in, sign-out, several accounts, the demo, and their context keys. */
export function register(deps: Deps): Disposable {
  const store = new DisposableStore();
  const { accounts, commands } = deps;
  const signedIn = store.add(new MutableDisposable());
  store.add(reportDamagedAccounts(deps));
  const enter = async (run: () => Promise<Account | undefined>) => {
    const account = await switching(deps, run);
    if (account?.isKept === false) {
      deps.report.error(new KeyNotKeptError());
    } else if (account) {
      // A user who signed in to continue does not wait for the welcome message.
      welcome(account);
    }
    if (account) {
      // A user who signs in expects the question immediately.
      const wish = new DisposableStore();
      wish.add(deps.secondFactor.want(account.key));
      wish.add(deps.clock.schedule(() => wish.dispose(), signInMs));
      signedIn.value = wish;
    }
  };
  store.add(commands.register('gpuRental.signIn', () => enter(() => signIn(deps))));
  store.add(commands.register('gpuRental.tryDemo', () => switching(deps, () => tryDemo(deps))));
  store.add(commands.register('gpuRental.switchAccount', () => switchAccount(deps)));
  store.add(commands.register('gpuRental.renameAccount', () => renameAccount(deps)));
  store.add(
    commands.register('gpuRental.replaceKey', () =>
      replaceKey({ ...deps, addAccount: (key) => enter(() => accounts.signIn(key)) }),
    ),
  );
  store.add(commands.register('gpuRental.signOut', () => signOut(deps)));
  store.add(adaptToKey(deps));
  store.add(reportKeyTrouble(deps));
  store.add(
    commands.register('gpuRental.getStarted', () =>
      deps.contextKeys.setAgain(stepKeys, () =>
        vscode.commands.executeCommand(
          'workbench.action.openWalkthrough',
          'gpu-rental.gpu-rental#gpuRental.start',
          false,
        ),
      ),
    ),
  );
  store.add(
    watchAccounts(accounts, () => {
      showState(deps);
    }),
  );
  showState(deps);
  return store;
}

function showState({ accounts, contextKeys }: Deps): void {
  const { state } = accounts;
  contextKeys.set('gpuRental.loaded', state.kind !== 'loading');
  contextKeys.set('gpuRental.signedIn', state.kind === 'signedIn');
  if (state.kind === 'signedIn') {
    contextKeys.set('gpuRental.done.signIn', true);
  }
  contextKeys.set('gpuRental.unreadable', state.kind === 'unreadable');
  contextKeys.set('gpuRental.demo', accounts.active?.isDemo ?? false);
}

function welcome(account: Account): void {
  const { user } = account;
  const credit = spendable(user);
  message(
    'info',
    credit === undefined
      ? t('Signed in as {0}.', account.name)
      : t('Signed in as {0}. Credit: {1}.', account.name, formatMoney(credit, 2)),
    searchAction(),
  );
}

function searchAction(): Action {
  return titledAction('gpuRental.searchOffers');
}

/** Opens the demo, which needs neither an account nor a network. */
async function tryDemo(deps: Deps): Promise<void> {
  deps.contextKeys.set('gpuRental.busy', true);
  try {
    await vscode.window.withProgress(
      {
        location: vscode.ProgressLocation.Notification,
        title: t('Starting the demo marketplace on this computer…'),
      },
      async () => {
        const { accounts } = deps;
        const { active } = accounts;
        const known =
          active?.isDemo === true ? active : (await accounts.others()).find(({ isDemo }) => isDemo);
        if (known) {
          try {
            // Until the demo answers, the account before it is watched.
            await known.client.users.current({});
            await accounts.switchTo(known.key);
            await accounts.refreshUser();
            return;
          } catch (error) {
            // The demo's key or port is gone: another sign-in to the same market repairs both.
            deps.log.warn(`The demo account could not be used again: ${String(error)}`);
          }
        }
        const { serviceUrl, apiKey } = await deps.demo.prepare();
        await deps.accounts.signIn({ serviceUrl, apiKey, isDemo: true });
      },
    );
  } finally {
    deps.contextKeys.set('gpuRental.busy', false);
  }
  message(
    'info',
    t(
      'This is the demo marketplace: offers, money and machines are simulated, and you are not charged. SSH is real and stays on this computer.',
    ),
    searchAction(),
    titledAction('gpuRental.openSample'),
  );
}

/** Sets the user's own name for the active account, which only this computer knows. */
async function renameAccount({ accounts }: Deps): Promise<void> {
  const { active } = accounts;
  if (!active) {
    throw new NotSignedInError();
  }
  const name = await askLine({
    title: titleOf('gpuRental.renameAccount'),
    prompt: t('Name of the account on this computer. Leave it empty to use its name at the service.'),
    placeholder: active.user.email ?? active.user.name ?? '',
    value: active.name,
    problem: (value) => (value.trim().length > 60 ? t('At most {0} characters.', 60) : undefined),
  });
  if (name !== undefined) {
    await accounts.rename(active.key, plainLabel(name));
  }
}

async function switchAccount(deps: Deps): Promise<void> {
  const known = await deps.accounts.known();
  const active = deps.accounts.active?.key;
  const add = { label: t('Sign In to Another Account…'), account: undefined };
  const demo = { label: labelOf('gpuRental.tryDemo'), account: undefined };
  const items: (PickRow & { account: AccountRef | undefined })[] = [
    ...known.map((account) => ({
      icon: account.key === active ? 'check' : undefined,
      label: account.isDemo ? t('Demo Marketplace') : account.name,
      description: account.key === active ? t('active') : '',
      detail: account.isDemo ? t('Simulated on this computer') : account.serviceUrl,
      account,
    })),
    add,
    ...(known.some((account) => account.isDemo) ? [] : [demo]),
  ];
  const picked = await pickOne(items, {
    title: titleOf('gpuRental.switchAccount'),
    placeHolder: t('Which account should this editor use?'),
  });
  if (picked === add) {
    await runCommand('gpuRental.signIn');
  } else if (picked === demo) {
    await runCommand('gpuRental.tryDemo');
  } else if (picked?.account && picked.account.key !== active) {
    const { key } = picked.account;
    await switching(deps, () => deps.accounts.switchTo(key));
  }
}

/** Names each account whose file is damaged once: it is gone from here, but its instances still cost money. */
function reportDamagedAccounts({
  accounts,
  oneWindow,
  log,
}: Pick<Services, 'accounts' | 'oneWindow' | 'log'>): Disposable {
  const report = async () => {
    const damaged = await accounts.damaged();
    const active = damaged.active === undefined ? [] : [damaged.active];
    offerDamagedFiles(oneWindow, 'activeAccount', active, {
      effect: t('No account is in use, so budgets, prices, starts and jobs are not watched.'),
      startOver: () => runCommand('gpuRental.switchAccount'),
    });
    offerDamagedFiles(oneWindow, 'account', [...damaged.accounts.values()], {
      effect: t(
        'An account is missing. Its instances may cost money, and its schedules, jobs and budget are not followed.',
      ),
      startOver: () => runCommand('gpuRental.signIn'),
    });
  };
  let reported = 'loading';
  const check = () => {
    const now = `${accounts.state.kind} ${accounts.active?.key ?? ''}`.trim();
    // A changed credit is no reason to read the folder.
    if (now !== reported) {
      reported = now;
      report().catch((error: unknown) => {
        log.error('Damaged files of accounts could not be looked for', error);
      });
    }
  };
  check();
  return watchAccounts(accounts, check);
}
