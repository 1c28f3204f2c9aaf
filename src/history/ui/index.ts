import type { PastTarget } from '../../commandSpecs';
import { runCommand } from '../../editor/commands';
import { confirm, type Question } from '../../editor/confirm';
import { reportDamagedFiles } from '../../editor/damagedFiles';
import { t } from '../../editor/localize';
import { message } from '../../editor/message';
import { pickFromList } from '../../editor/quickPick';
import { titleOf } from '../../editor/titles';
import { listedFrom } from '../../model/accounts/charge';
import { chargedFor, hasFinalCharges, type PastRental } from '../../model/rentals/pastRental';
import { accountStill } from '../../store/accounts/sameAccount';
import { DisposableStore, type Disposable } from '../../util/disposable';
import { UserError } from '../../util/errors';
import { safeFileName } from '../../util/fileName';
import { text } from '../../util/text';
import type { Services } from '../services';
import { HistoryGroup } from './historyGroup';
import { descriptionOfPast, nameOfPast } from './historyText';
import { UnseenEnds, type UnseenEndDeps } from './unseenEnds';

type Deps = UnseenEndDeps &
  Pick<Services, 'history' | 'machineProofs' | 'instanceGroups' | 'commands' | 'clock' | 'log' | 'work'>;

/** Registers the history of past rentals: costs, ends, logs, and renting again. */
export function register(deps: Deps): Disposable {
  const store = new DisposableStore();
  const { commands } = deps;
  store.add(deps.instanceGroups.addGroup(new HistoryGroup(deps)));
  store.add(new UnseenEnds(deps));
  store.add(
    deps.work.add({ past: deps.history, onDidChange: (listener) => deps.history.onDidChange(listener) }),
  );
  store.add(
    reportDamagedFiles(deps, deps.history, 'pastRental', {
      effect: t('A past rental is missing from the history.'),
    }),
  );
  const ofOne = (run: (past: PastRental) => PromiseLike<unknown>) => async (target?: PastTarget) => {
    const past = await chosen(deps, target);
    if (past) {
      await run(past);
    }
  };
  store.add(
    commands.register(
      'gpuRental.history.show',
      ofOne((past) => showDetails(deps, past)),
    ),
  );
  store.add(
    commands.register(
      'gpuRental.history.showDetails',
      ofOne((past) => showDetails(deps, past)),
    ),
  );
  store.add(
    commands.register(
      'gpuRental.history.showLog',
      ofOne((past) => showLog(deps, past)),
    ),
  );
  store.add(
    commands.register(
      'gpuRental.history.rentAgain',
      ofOne(({ instance }) => runCommand('gpuRental.instance.rentAnother', { instanceId: instance.id })),
    ),
  );
  store.add(
    commands.register('gpuRental.history.remove', async (target, all) => {
      const targets = all !== undefined && all.length > 0 ? all : [target];
      const pasts = await Promise.all(targets.map((one) => chosen(deps, one)));
      await remove(
        deps,
        pasts.filter((past) => past !== undefined),
      );
    }),
  );
  store.add(commands.register('gpuRental.history.clear', () => clear(deps)));
  return store;
}

async function chosen(
  { history, clock }: Deps,
  target: PastTarget | undefined,
): Promise<PastRental | undefined> {
  await history.ready;
  if (target) {
    const past = history.find(target.pastId);
    if (!past) {
      throw new UserError(text('The rental of instance #{0} is no longer in the history.', target.pastId));
    }
    return past;
  }
  const rows = history.rows.map((past) => ({
    id: String(past.instance.id),
    icon: 'history',
    label: nameOfPast(past),
    description: descriptionOfPast(past, clock.now()),
    value: past,
  }));
  if (rows.length === 0) {
    throwIfUnread(history);
  }
  const answer = await pickFromList<PastRental>({
    title: t('Rental History'),
    placeholder: t('Which one?'),
    rows: rows.length === 0 ? [{ label: t('No rental has ended yet.') }] : rows,
  });
  return answer.kind === 'picked' ? answer.value : undefined;
}

/** A history that the disk refuses is not empty, and not all of it could be cleared. */
function throwIfUnread({ error }: Deps['history']): void {
  if (error instanceof Error) {
    throw error;
  }
}

/** Opens the page, which shows the charges once they are read. */
async function showDetails(deps: Deps, past: PastRental): Promise<void> {
  await runCommand('gpuRental.instance.open', { instanceId: past.instance.id });
  await readCharges(deps, past);
}

/** Reads the charges when the user opens the page, as long as they can still change. */
async function readCharges({ accounts, history, clock, log }: Deps, past: PastRental): Promise<void> {
  const account = accounts.active;
  const { instance, endedAt } = past;
  if (!account || hasFinalCharges(past)) {
    return;
  }
  try {
    const now = clock.now();
    const from = listedFrom(instance.startedAt ?? endedAt / 1000 - 30 * 86_400);
    const { items, skipped, isComplete } = await account.client.charges.list({
      from,
      to: Math.ceil(now / 1000),
    });
    const amount = chargedFor(instance, items);
    accountStill(accounts, account.key);
    // It may have been removed since.
    if (amount !== undefined && skipped === 0 && isComplete && history.find(instance.id)) {
      await history.put({ ...past, charged: { amount, at: now } });
    }
  } catch (error) {
    // Without charges, the page shows an estimate.
    log.info(`The charges of ${instance.id} could not be read: ${String(error)}`);
  }
}

async function showLog({ history }: Deps, past: PastRental): Promise<void> {
  const content = await history.logOf(past.instance.id);
  if (content === undefined) {
    message('info', t('The log of {0} was not read before the instance ended.', nameOfPast(past)));
    return;
  }
  await runCommand('gpuRental.showText', { title: `${fileName(past)}.log`, content });
}

function fileName(past: PastRental): string {
  return safeFileName(nameOfPast(past), String(past.instance.id));
}

async function remove(deps: Deps, pasts: readonly PastRental[]): Promise<void> {
  const [only] = pasts;
  if (!only) {
    return;
  }
  const question = {
    message:
      pasts.length === 1
        ? t('Remove “{0}” from the history?', nameOfPast(only))
        : t('Remove {0} rentals from the history?', pasts.length),
    detail: t("This deletes its record and log from this computer. This can't be undone."),
    button: t('Remove'),
  };
  await removeOnceSure(deps, pasts, question);
}

async function clear(deps: Deps): Promise<void> {
  const { history } = deps;
  await history.ready;
  throwIfUnread(history);
  const { rows } = history;
  if (rows.length === 0) {
    message('info', t('The history is empty.'));
    return;
  }
  const question = {
    message: t('Clear the rental history?'),
    detail: t(
      "This deletes all past rentals ({0}) and their logs from this computer. This can't be undone.",
      rows.length,
    ),
    button: titleOf('gpuRental.history.clear'),
  };
  await removeOnceSure(deps, rows, question);
}

/**
 * Removes rentals after a question. Services may use the same ids, so the account must not change during the question.
 */
async function removeOnceSure(
  { accounts, history }: Deps,
  pasts: readonly PastRental[],
  question: Question,
): Promise<void> {
  const key = accounts.active?.key;
  if (await confirm(question)) {
    accountStill(accounts, key);
    await history.remove(pasts.map(({ instance }) => instance.id));
  }
}
