import { commandAction } from '../../editor/commands';
import { offerDamagedFiles } from '../../editor/damagedFiles';
import { t } from '../../editor/localize';
import type { Services } from '../../services';
import { watchAccounts } from '../../shared/followAccount';
import type { Disposable } from '../../util/disposable';

/** Names each account whose file is damaged once: it is gone from here, and its instances cost money all the same. */
export function tellOfDamagedAccounts({
  accounts,
  oneWindow,
  log,
}: Pick<Services, 'accounts' | 'oneWindow' | 'log'>): Disposable {
  const tell = async () => {
    const damaged = await accounts.damaged();
    const active = damaged.active === undefined ? [] : [damaged.active];
    offerDamagedFiles(oneWindow, 'activeAccount', active, {
      sentence: (path) =>
        t(
          'No account is in use, because the file with your last choice is damaged. Until you choose an account, schedules are carried out, but budgets, prices, starts and jobs are not watched. The file is kept as {0}.',
          path,
        ),
      next: commandAction(t('Switch Account'), 'gpuRental.switchAccount'),
    });
    offerDamagedFiles(oneWindow, 'account', [...damaged.accounts.values()], {
      sentence: (path) =>
        t(
          'An account could not be read because its file is damaged. Its instances may cost money, and its schedules, jobs and budget are not followed. Sign in with its API key again. The file is kept as {0}.',
          path,
        ),
      next: commandAction(t('Sign In'), 'gpuRental.signIn'),
    });
  };
  let told = 'loading';
  const look = () => {
    const now = `${accounts.state.kind} ${accounts.active?.key ?? ''}`.trim();
    // A changed credit is no reason to read the folder.
    if (now !== told) {
      told = now;
      tell().catch((error: unknown) => {
        log.error('Damaged files of accounts could not be looked for', error);
      });
    }
  };
  look();
  return watchAccounts(accounts, look);
}
