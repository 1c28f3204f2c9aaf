import * as vscode from 'vscode';
import { confirm } from '../../editor/confirm';
import { localize, t } from '../../editor/localize';
import { message } from '../../editor/message';
import { isShown } from '../../editor/templateTabs';
import { openRentalText, signOutText, stillCostsText } from '../../model/accounts/signOutText';
import { unwatchedText } from '../../model/accounts/unwatchedText';
import { draftParts, parseTemplateUri } from '../../model/templates/templateUri';
import type { Services } from '../../services';
import type { Loaded } from '../../shared/reading';
import { BlockLeftError } from '../../ssh/userConfig';
import type { FleetSnapshot } from '../../store/instances/fleetStore';
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
    showLeft(localize(done), accounts.active?.name);
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

function showLeft(done: string, next: string | undefined): void {
  const sentences = [
    done,
    t('Its key, cached lists, records and SSH entries were removed.'),
    next === undefined ? '' : t('{0} is active now.', plainLabel(next)),
  ];
  message('info', sentences.filter((part) => part !== '').join(' '));
}

type SwitchingDeps = Pick<Services, 'accounts' | 'fleet' | 'rentals'>;

/**
 * Runs what may make another account active. Only schedules are carried out for accounts
 * that are not active, so the user is informed once of what is no longer watched.
 */
export async function switching<T>(deps: SwitchingDeps, run: () => Promise<T>): Promise<T> {
  const { accounts, fleet } = deps;
  const before = accounts.active;
  // The list of the other account replaces this one.
  const previous = before && {
    isDemo: before.isDemo,
    name: plainLabel(before.name),
    instances: instanceCount(fleet.state),
    hasOpenRental: hasOpenRental(deps),
  };
  const result = await run();
  const after = accounts.active?.key;
  const sentence = previous && unwatchedText(previous);
  if (before && sentence && after !== undefined && after !== before.key) {
    const back = () => switching(deps, () => accounts.switchTo(before.key));
    message('warning', localize(sentence), { label: t('Switch Back'), run: back });
  }
  return result;
}

/**
 * Returns the names of open templates of an account that the service does not have as they are shown: drafts, which are removed with
 * the account, and unsaved changes, whose secrets are.
 */
function unsavedTemplates(
  { templateStores }: Pick<Services, 'templateStores'>,
  accountKey: string,
): readonly string[] {
  return vscode.workspace.textDocuments.flatMap(({ uri, isDirty, isClosed }) => {
    const read = isClosed ? undefined : parseTemplateUri(uri);
    const isUnsaved =
      (read?.kind === 'draft' && isShown(uri) && draftParts(read.token).accountKey === accountKey) ||
      (read?.kind === 'own' && isDirty && templateStores.documents.peek(read.id)?.accountKey === accountKey);
    return isUnsaved ? [plainLabel(read.name)] : [];
  });
}

/**
 * Returns the number of instances; `undefined` if the list could not be read, because an error is not an empty list.
 */
function instanceCount(state: Loaded<FleetSnapshot>): number | undefined {
  const count = state.kind === 'ready' ? state.value.instances.length : undefined;
  return count === 0 && state.kind === 'ready' && state.error !== undefined ? undefined : count;
}

function hasOpenRental({ rentals }: Pick<Services, 'rentals'>): boolean {
  return rentals.rentals.some(({ phase }) => phase.kind === 'sent' || phase.kind === 'notKnown');
}
