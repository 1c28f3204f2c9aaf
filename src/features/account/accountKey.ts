import { commandSpecs } from '../../commandSpecs';
import { runCommand } from '../../editor/commands';
import { confirm } from '../../editor/confirm';
import { t } from '../../editor/localize';
import { message } from '../../editor/message';
import { QuickInput } from '../../editor/quickInput';
import { titleOf } from '../../editor/titles';
import type { Services } from '../../services';
import { watchAccounts } from '../../shared/followAccount';
import { KeyNotKeptError } from '../../store/accounts/accountErrors';
import { DisposableStore, type Disposable } from '../../util/disposable';
import { UserError } from '../../util/errors';
import { plainLabel } from '../../util/plainLabel';

type Deps = Pick<Services, 'accounts' | 'fleet' | 'report'> & {
  /** Signs in to another account, with all messages of a sign-in. */
  readonly addAccount: (key: { readonly serviceUrl: string; readonly apiKey: string }) => Promise<void>;
};

/** Replaces the key of an account, which keeps its data; a key of another user becomes a separate account. */
export async function replaceKey({ accounts, fleet, report, addAccount }: Deps): Promise<void> {
  const { state } = accounts;
  const account = state.kind === 'signedIn' || state.kind === 'unreadable' ? state.account : undefined;
  if (!account) {
    await runCommand('gpuRental.signIn');
    return;
  }
  if (account.isDemo) {
    await runCommand('gpuRental.tryDemo');
    return;
  }
  const answer = await askForKey({
    title: t('{0}: {1}', titleOf('gpuRental.replaceKey'), plainLabel(account.name)),
    prompt: t(
      'Paste another API key of this account at {0}. Nothing else changes.',
      new URL(account.serviceUrl).host,
    ),
    check: async (apiKey, signal) => ({
      apiKey,
      outcome: await accounts.replaceKey(account.key, apiKey, signal),
    }),
  });
  if (answer?.outcome.kind === 'otherUser') {
    if (
      await confirm({
        message: t('This key belongs to {0}.', plainLabel(answer.outcome.name)),
        detail: t("It can't replace the key of {0}, which is unchanged.", plainLabel(account.name)),
        button: t('Add as Another Account'),
      })
    ) {
      await addAccount({ serviceUrl: account.serviceUrl, apiKey: answer.apiKey });
    }
  } else if (answer) {
    if (answer.outcome.account.isKept) {
      message('info', t('Replaced the key of {0} in all windows.', plainLabel(account.name)));
    } else {
      report.error(new KeyNotKeptError());
    }
    // The old key may not have been allowed to read the list. A failed read shows its reason there.
    await fleet.refresh().catch(() => undefined);
    await runCommand('gpuRental.refreshAccount');
  }
}

type KeyTroubleDeps = Pick<Services, 'accounts' | 'fleet' | 'oneWindow' | 'report' | 'clock'>;

/** A lasting problem is reported again after this time. */
const againMs = 12 * 60 * 60_000;

/**
 * Reports a key that can't be read from the secret store, or that the service refuses during a list: once, in the
 * window in use, with the likely cause and the next step. The last list stays visible.
 */
export function reportKeyTrouble(deps: KeyTroubleDeps): Disposable {
  const store = new DisposableStore();
  const check = () => {
    const trouble = troubleOf(deps);
    if (trouble) {
      const { what, error } = trouble;
      const period = Math.floor(deps.clock.now() / againMs);
      const report = () => {
        deps.report.error(error, { retry: () => runCommand('gpuRental.refresh') });
        return Promise.resolve();
      };
      deps.oneWindow.offer(`${what} ${period}`, report, { isStillSo: () => troubleOf(deps)?.what === what });
    }
  };
  store.add(watchAccounts(deps.accounts, check));
  store.add(deps.fleet.onDidChange(check));
  return store;
}

/** Describes a problem; `what` is the same for the same problem with the same key. */
function troubleOf({
  accounts,
  fleet,
}: KeyTroubleDeps): { readonly what: string; readonly error: UserError } | undefined {
  const { state } = accounts;
  if (state.kind === 'unreadable') {
    const { account, error } = state;
    return error instanceof UserError
      ? { what: `keyTrouble ${String(account?.key)} ${error.name}`, error }
      : undefined;
  }
  const list = fleet.state;
  const error = list.kind === 'failed' || list.kind === 'ready' ? list.error : undefined;
  if (state.kind !== 'signedIn' || !(error instanceof UserError) || error.nextStep !== 'replaceKey') {
    return undefined;
  }
  const lastGood = list.kind === 'ready' ? list.fetchedAt : 0;
  const { key, user } = state.account;
  return { what: `refusedKey ${key} ${String(user.keyId)} ${lastGood}`, error };
}

/** Permissions that `when` clauses use. */
const asked = ['instance_write', 'user_write', 'misc'] as const;

/** Hides icons of actions that the key in use does not allow; chosen by name, such an action explains itself. */
export function adaptToKey({
  commands,
  contextKeys,
  keyAccess,
}: Pick<Services, 'commands' | 'contextKeys' | 'keyAccess'>): Disposable {
  const store = new DisposableStore();
  const show = () => {
    for (const category of asked) {
      contextKeys.set(`gpuRental.lacks.${category}`, keyAccess.lacks(category));
    }
  };
  store.add(
    commands.setGuard((id) => {
      keyAccess.require(commandSpecs[id].needs ?? []);
    }),
  );
  store.add(keyAccess.onDidChange(show));
  show();
  return store;
}

interface KeyBox<T> {
  readonly title: string;
  readonly prompt: string;
  /** Checks the key; the box shows a `UserError`. */
  readonly check: (apiKey: string, signal: AbortSignal) => Promise<T>;
}

/** Asks for a key; the box stays open, with the reason, until a key is accepted or the user cancels. */
export function askForKey<T>({ title, prompt, check }: KeyBox<T>): Promise<T | undefined> {
  const input = new QuickInput<T>();
  return input.open({
    title,
    prompt,
    placeholder: t('API key'),
    password: true,
    ignoreFocusOut: true,
    hint: () => undefined,
    problem: (value) => (value.trim() === '' ? t('Paste your key, or press Escape to cancel.') : undefined),
    accept: async (value, signal) => {
      input.close(await check(value.trim(), signal));
    },
  });
}
