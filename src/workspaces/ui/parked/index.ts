import type { ParkedTarget } from '../../../commandSpecs';
import { runCommand, signedIn, titledAction } from '../../../editor/commands';
import { choose, confirm } from '../../../editor/confirm';
import { reportDamagedFiles } from '../../../editor/damagedFiles';
import { localize, t } from '../../../editor/localize';
import { message } from '../../../editor/message';
import { pricePerHour } from '../../../editor/priceText';
import { withCancellableProgress } from '../../../editor/progress';
import { showFolder } from '../../../editor/showFolder';
import { titleOf } from '../../../editor/titles';
import { bytesText } from '../../../util/bytes';
import { DisposableStore, type Disposable } from '../../../util/disposable';
import { UserError } from '../../../util/errors';
import { text } from '../../../util/text';
import { shownName } from '../../machine/rawPath';
import {
  accountOf,
  canContinue,
  canResume,
  isAtRest,
  isResumable,
  keepsOldMachine,
  some,
  type ParkedRow,
} from '../../model/parking';
import type { Services } from '../../services';
import { parkingNotice, parkingNoticeKind } from '../../store/parkingNotice';
import { park, type ParkDeps } from './park';
import { ParkedRows } from './parkedRows';
import { nameOfSet, priceOfOld, secondCopyOf } from './parkedText';
import { rentForSet } from './rentalOfSet';
import { UnsavedThere } from './unsavedThere';

type Deps = Omit<ParkDeps, 'unsavedThere'> &
  Pick<Services, 'commands' | 'hub' | 'instanceGroups' | 'notices' | 'oneWindow' | 'provedHere'>;

/** How long after a set is on an instance its start may still be checked (ms). */
const stillStartsMs = 10 * 60_000;

/** Parked workspaces: their rows, commands and messages. */
export function registerParked(deps: Deps): Disposable {
  const store = new DisposableStore();
  const { commands, instanceGroups, parkings, work } = deps;
  const all = { ...deps, unsavedThere: store.add(new UnsavedThere(deps)) };
  store.add(instanceGroups.addGroup(new ParkedRows(deps)));
  store.add(
    reportDamagedFiles(deps, parkings, 'parked', {
      effect: t('A parked workspace is missing from the list. Its files are kept.'),
    }),
  );
  store.add(
    work.add({
      ready: () => parkings.ready,
      atRisk: (instanceId, loss) => {
        const account = deps.accounts.active?.key ?? '';
        const row = parkings.onInstance(account, instanceId);
        const kept = loss === 'disk' ? parkings.keptOn(account, instanceId) : undefined;
        return row
          ? [text('{0} is being parked, moved or resumed.', nameOfSet(row))]
          : kept
            ? [text('{0} was moved by names and sizes. Compare the contents first.', nameOfSet(kept))]
            : [];
      },
      awaits: (instanceId) =>
        parkings.rows.some((row) => {
          const { next, resumed } = row.state;
          return (
            accountOf(row) === deps.accounts.active?.key &&
            (resumed?.instanceId === instanceId
              ? // The check of the instance may take longer than a small set.
                deps.clock.now() - resumed.at < stillStartsMs
              : next?.instanceId === instanceId && !isAtRest(row))
          );
        }),
      isSaving: (accountKey, instanceId, loss) => parkings.isSaving(accountKey, instanceId, loss),
      isPending: () => parkings.open.length > 0,
      onDidChange: (listener) => parkings.onDidChange(listener),
    }),
  );
  store.add(showNews(deps));
  store.add(commands.register('gpuRental.instance.park', (target) => park(all, 'park', target)));
  store.add(commands.register('gpuRental.instance.move', (target) => park(all, 'move', target)));
  const on = (
    id: `gpuRental.parked.${'resume' | 'stop' | 'continue' | 'showFolder' | 'delete'}`,
    run: (row: ParkedRow) => Promise<unknown>,
  ) => store.add(commands.register(id, async (target?: ParkedTarget) => run(await rowOf(deps, target))));
  on('gpuRental.parked.resume', (row) => resume(deps, row));
  on('gpuRental.parked.stop', (row) => stop(deps, row));
  on('gpuRental.parked.continue', ({ set }) => parkings.goOn(set.id));
  on('gpuRental.parked.showFolder', async ({ set }) => {
    if (!(await showFolder(parkings.folderOf(set.id)))) {
      message('info', t('Nothing of it was saved yet.'));
    }
  });
  on('gpuRental.parked.delete', (row) => remove(deps, row));
  return store;
}

async function rowOf({ parkings }: Deps, target: ParkedTarget | undefined): Promise<ParkedRow> {
  await parkings.ready;
  const row = target && parkings.find(target.parkedId);
  if (!row) {
    throw new UserError(text('This workspace is no longer parked here.'));
  }
  return row;
}

/** A second copy can be left out, and the rest of it carried on. */
async function stop({ parkings }: Deps, row: ParkedRow): Promise<unknown> {
  const { set, state } = row;
  if (state.phase !== 'copying' || !set.cloud) {
    return parkings.stop(set.id);
  }
  return choose<unknown>(
    {
      message: t('Stop the copy of {0} to {1}?', nameOfSet(row), set.cloud.name),
      detail: t(
        'Everything is saved on this computer. The service ends a copy to a cloud only with the instance, and files that arrived are kept.',
      ),
      keep: t('Keep Copying'),
    },
    { label: t('Destroy Without It'), run: () => parkings.goOn(set.id) },
    { label: t('Keep Instance'), run: () => parkings.stop(set.id) },
  );
}

/** Searches an instance on which a set continues; the user confirms its rental at the end. */
async function resume(deps: Deps, row: ParkedRow): Promise<void> {
  const { accounts, parkings } = deps;
  const account = await signedIn(accounts);
  const { set, state } = row;
  if (!account) {
    return;
  }
  const isReady = (one: ParkedRow | undefined) => one !== undefined && isResumable(one, row);
  if (!isReady(row)) {
    throw new UserError(text('{0} can’t be resumed now.', nameOfSet(row)));
  }
  const wrong = await withCancellableProgress(t('Checking {0}…', nameOfSet(row)), (signal) =>
    deps.provedHere(set.id, signal),
  );
  if (wrong.length > 0) {
    const names = some(wrong.map((name) => (name === '' ? 'manifest.jsonl' : shownName(name))));
    throw new UserError(text('{0} is damaged on this computer: {1}', nameOfSet(row), names));
  }
  await rentForSet({
    name: nameOfSet(row),
    label: set.from.name,
    accountKey: account.key,
    like: await parkings.likeOf(set),
    bytes: state.bytes ?? 0,
    whyNot: async () =>
      isReady(await parkings.reread(set.id)) ? undefined : t('It already continues on another instance.'),
    note: (marker) => parkings.noteRental(row, { marker, accountKey: account.key }),
  });
}

async function remove({ fleet, parkings }: Deps, row: ParkedRow): Promise<void> {
  const { set, state } = row;
  if (!isAtRest(row)) {
    throw new UserError(text('{0} is being worked on. Stop that first.', nameOfSet(row)));
  }
  const hasOldEnded =
    state.endedAt !== undefined || (keepsOldMachine(row) && fleet.hasEnded(set.from.instanceId));
  const isOnly =
    hasOldEnded && (state.bytes ?? 0) > 0 && (!state.resumed || fleet.hasEnded(state.resumed.instanceId));
  const isSure = await confirm({
    message: t('Delete {0}?', nameOfSet(row)),
    detail: [
      t(
        'Deletes {0} with {1} from this computer. This can’t be undone.',
        shownName(set.root),
        bytesText(state.bytes ?? 0),
      ),
      ...(set.cloud && state.copy?.endedAt !== undefined
        ? [t('The second copy on {0} is kept, and was not compared.', set.cloud.name)]
        : isOnly
          ? [t('It is the only copy: its instance is destroyed.')]
          : []),
    ].join(' '),
    button: t('Delete'),
  });
  if (isSure) {
    await parkings.remove(set.id);
  }
}

/** Says what became of a set, once over all windows. */
function showNews(deps: Deps): Disposable {
  const { accounts, notices, oneWindow, parkings } = deps;
  return notices.onDidPost(({ key, kind, accountKey, data }) => {
    const notice = parkingNotice.safeParse(data);
    if (kind === parkingNoticeKind && notice.success && accountKey === accounts.active?.key) {
      oneWindow.offer(key, async () => {
        await parkings.ready;
        const row = parkings.find(notice.data.setId);
        if (row) {
          showOne(row, notice.data.news);
        }
      });
    }
  });
}

function parkedText(row: ParkedRow): string {
  const { set } = row;
  const name = nameOfSet(row);
  const copy = secondCopyOf(row);
  return [
    set.hasVolume === true
      ? t('{0} is parked here, and {1} is destroyed. Its volume still costs money.', name, set.from.name)
      : t('{0} is parked here, and {1} is destroyed. It costs nothing.', name, set.from.name),
    ...(copy === undefined ? [] : [t('Second copy: {0}.', copy.replace(/\.$/, ''))]),
  ].join(' ');
}

function showOne(row: ParkedRow, news: 'parked' | 'resumed' | 'incomplete' | 'trouble'): void {
  const { set, state } = row;
  const name = nameOfSet(row);
  const act = (id: 'resume' | 'continue' | 'showFolder') => ({
    label: titleOf(`gpuRental.parked.${id}`),
    run: () => runCommand(`gpuRental.parked.${id}`, { parkedId: set.id }),
  });
  switch (news) {
    case 'parked':
      message(state.copy?.why ? 'warning' : 'info', parkedText(row), act('showFolder'));
      return;
    case 'resumed':
      showResumed(row);
      return;
    case 'incomplete':
      message(
        'warning',
        canResume(state)
          ? t(
              '{0} ended before {1} was compared again. Everything that was listed is here.',
              set.from.name,
              name,
            )
          : t(
              '{0} ended before {1} was saved. Missing: {2} files.',
              set.from.name,
              name,
              state.lacking?.length ?? 0,
            ),
        act('showFolder'),
      );
      return;
    case 'trouble': {
      const why = state.trouble ? localize(state.trouble.why) : '';
      const { next } = state;
      const costs =
        state.phase === 'proved' && set.plan === 'park'
          ? t('It is saved, but {0} still costs {1}.', set.from.name, priceOfOld(set))
          : set.plan !== 'park' && next
            ? t(
                'Both instances still cost money: {0} {1}, {2} {3}.',
                set.from.name,
                priceOfOld(set),
                next.name,
                pricePerHour(next.perHour),
              )
            : '';
      message(
        state.phase === 'proved' ? 'error' : 'warning',
        [t('{0}: {1}', name, why), costs].join(' ').trim(),
        ...(isAtRest(row) && canResume(state) ? [act('resume')] : canContinue(row) ? [act('continue')] : []),
      );
    }
  }
}

function showResumed(row: ParkedRow): void {
  const {
    set,
    state: { resumed },
  } = row;
  if (!resumed) {
    return;
  }
  const name = nameOfSet(row);
  const isOldKept = keepsOldMachine(row);
  message(
    'info',
    isOldKept
      ? t(
          '{0} is on {1}, as the host sent it, without hashes. The old instance #{2} stays stopped for {3} until you destroy it: compare the contents first.',
          name,
          resumed.name,
          set.from.instanceId,
          priceOfOld(set),
        )
      : t('{0} is on {1}, proved file by file.', name, resumed.name),
    {
      label: t('Open'),
      run: () =>
        runCommand('gpuRental.instance.openFolder', {
          instanceId: resumed.instanceId,
          folder: shownName(resumed.root),
        }),
    },
    isOldKept && titledAction('gpuRental.instance.destroy', { instanceId: set.from.instanceId }),
  );
}
