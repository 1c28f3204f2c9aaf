import { t } from '../../editor/localize';
import { message } from '../../editor/message';
import { interrupting } from '../../editor/quickInput';
import { pickOne } from '../../editor/quickPick';
import { titleOf } from '../../editor/titles';
import type { Services } from '../../services';
import { NotSignedInError } from '../../shared/notSignedIn';
import type { Account } from '../../store/accounts/accounts';
import { SecondFactorNeededError } from '../../store/accounts/secondFactor';
import type { StartOptions } from '../../store/accounts/sessionRenewal';
import { readAfter } from '../../store/readAfter';
import { DisposableStore, type Disposable } from '../../util/disposable';
import { addMethod, type AuthorizedUntil } from './addMethod';
import { logIn } from './login';
import { regenerateBackupCodes, removeMethod, updateMethod } from './manageMethods';
import { whileReading } from './waiting';

type Deps = Pick<Services, 'accounts' | 'secondFactor' | 'commands' | 'clock' | 'redactor' | 'extensionUri'>;

/** Registers two-factor authentication: asks for codes, and adds, changes and removes methods. */
export function register(deps: Deps): Disposable {
  const store = new DisposableStore();
  const { accounts, commands } = deps;
  const authorized: AuthorizedUntil = new Map();
  store.add(deps.secondFactor.setPrompt((...asked) => logIn(deps, ...asked)));
  store.add(
    commands.register('gpuRental.tfa.signIn', async () => {
      const before = activeAccount(deps).user;
      // 2FA may have been set up elsewhere since. If the key is refused, the read reports it.
      const user =
        before.tfaStatus === 'disabled' ? await whileReading(() => accounts.refreshUser()) : before;
      if (user.tfaStatus === 'disabled') {
        showNotNeeded();
        return;
      }
      const hasCode = await interrupting(async () => {
        const session = user.isAdmin ? await askSession() : {};
        return session ? accounts.enterSecondFactor(session).catch(unlessDeclined) : 'declined';
      });
      if (hasCode === 'declined') {
        return;
      }
      if (hasCode) {
        // Refresh the lists that failed without a code.
        await commands.run('gpuRental.refresh', []);
      } else {
        // Throws if the service refuses the key.
        await accounts.refreshUser();
        showNotNeeded();
      }
    }),
  );
  const changing = (change: (account: Account) => Promise<boolean>) => async () => {
    await readAfter(change(activeAccount(deps)), async () => {
      try {
        await accounts.refreshUser();
      } finally {
        await commands.run('gpuRental.refreshAccount', []);
      }
    });
  };
  store.add(
    commands.register(
      'gpuRental.tfa.addMethod',
      changing((account) => addMethod(deps, account, authorized)),
    ),
  );
  store.add(
    commands.register('gpuRental.tfa.updateMethod', (target) =>
      changing((account) => updateMethod(account, target?.methodId))(),
    ),
  );
  store.add(
    commands.register('gpuRental.tfa.removeMethod', (target) =>
      changing((account) => removeMethod(deps, account, target?.methodId))(),
    ),
  );
  store.add(
    commands.register(
      'gpuRental.tfa.regenerateBackupCodes',
      changing((account) => regenerateBackupCodes(deps, account)),
    ),
  );
  return store;
}

/** If the user closes the question, the command ends without an error. The views still show what is missing. */
function unlessDeclined(error: unknown): 'declined' {
  if (error instanceof SecondFactorNeededError) {
    return 'declined';
  }
  throw error;
}

function showNotNeeded(): void {
  message('info', t('This account does not use 2FA, so no code is needed.'));
}

/** An admin session can do more harm, so it starts only when the user picks it. */
async function askSession(): Promise<StartOptions | undefined> {
  const picked = await pickOne(
    [
      { label: t('Ordinary Session'), admin: false },
      {
        label: t('Admin Session'),
        detail: t('With administrator rights at the service'),
        admin: true,
      },
    ],
    { title: titleOf('gpuRental.tfa.signIn'), placeHolder: t('Which one?') },
  );
  return picked && (picked.admin ? { admin: true } : {});
}

function activeAccount({ accounts }: Deps): Account {
  if (!accounts.active) {
    throw new NotSignedInError();
  }
  return accounts.active;
}
