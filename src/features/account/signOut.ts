import { confirm } from '../../editor/confirm';
import { localize, t } from '../../editor/localize';
import { message } from '../../editor/message';
import { openRentalText, signOutText, stillCostsText } from '../../model/accounts/signOutText';
import type { Services } from '../../services';
import { BlockLeftError } from '../../ssh/userConfig';
import { instanceCount, hasOpenRental } from './leftBehind';
import { unsavedTemplates } from './unsavedTemplates';
import { plainLabel } from '../../util/plainLabel';

type Deps = Pick<
  Services,
  'accounts' | 'accountCleanup' | 'fleet' | 'log' | 'rentals' | 'report' | 'ssh' | 'templateStores' | 'work'
>;

/** Asks, then removes the data of the account in all windows, and reports what was removed. */
export async function signOut(deps: Deps): Promise<void> {
  const { accounts, fleet } = deps;
  const { state } = accounts;
  const account = state.kind === 'signedIn' || state.kind === 'unreadable' ? state.account : undefined;
  if (!account) {
    return;
  }
  const name = plainLabel(account.name);
  const removed = t(
    'This removes the key, cached lists, rental records, watched searches, remembered templates with their secrets, and SSH entries of this account from this computer.',
  );
  const { question, button, done } = signOutText({ isDemo: account.isDemo, name });
  const cost = stillCostsText(account.isDemo, instanceCount(fleet.state));
  const unsaved = unsavedTemplates(deps, account.key);
  const details = [
    ...(cost === undefined ? [] : [cost, ...deps.work.afterSignOut].map(localize)),
    hasOpenRental(deps) ? localize(openRentalText()) : '',
    unsaved.length === 0 ? '' : t('Save these templates first to keep them: {0}.', unsaved.join(', ')),
    removed,
  ];
  const wantsTo = await confirm({
    message: localize(question),
    detail: details.filter((part) => part !== '').join(' '),
    button: localize(button),
  });
  if (!wantsTo) {
    return;
  }
  const entries = await deps.ssh.entries(account).catch(() => []);
  const problems = await everyStep([
    () => deps.ssh.removeAll(account),
    () => accounts.signOut(account.key),
    () => deps.accountCleanup.remove(account.key),
    () => deps.templateStores.secrets.forgetAccount(account.key),
  ]);
  for (const problem of problems) {
    deps.report.error(problem);
  }
  if (problems.every((problem) => problem instanceof BlockLeftError)) {
    tell(localize(done), entries.length, accounts.active?.name);
  }
}

/** Runs every step, even if an earlier one fails; returns the errors. */
async function everyStep(steps: readonly (() => Promise<unknown>)[]): Promise<readonly unknown[]> {
  const problems: unknown[] = [];
  for (const step of steps) {
    try {
      await step();
    } catch (error) {
      problems.push(error);
    }
  }
  return problems;
}

function tell(done: string, sshEntries: number, next: string | undefined): void {
  const words = [
    done,
    sshEntries === 0
      ? t('Its key, cached lists and records were removed.')
      : t('Its key, cached lists and records were removed, and its SSH entries ({0}).', sshEntries),
    next === undefined ? '' : t('{0} is active now.', plainLabel(next)),
  ];
  message('info', words.filter((part) => part !== '').join(' '));
}
