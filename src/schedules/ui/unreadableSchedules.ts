import { runCommand, titledAction } from '../../editor/commands';
import { damagedText, showDamagedFile } from '../../editor/damagedFiles';
import { reasonOf, t } from '../../editor/localize';
import { message } from '../../editor/message';
import { DisposableStore, type Disposable } from '../../util/disposable';
import { plainLabel } from '../../util/plainLabel';
import type { UnreadableSchedule } from '../store/scheduleFiles';
import { unreadableSchedule, unreadableScheduleKind, unreadableNotice } from '../store/unreadableNotice';
import { nameOfInstance } from './changes';
import type { ScheduleDeps } from './deps';

const dayMs = 24 * 3_600_000;

/** Reports schedules that can't be read and so won't be carried out, once a day in one window. */
export function reportUnreadable(deps: ScheduleDeps): Disposable {
  const store = new DisposableStore();
  const { schedules, accounts, clock, notices, oneWindow } = deps;
  const check = () => {
    const account = accounts.active?.key;
    if (account === undefined) {
      return;
    }
    const now = clock.now();
    for (const one of schedules.unreadable) {
      const { key } = unreadableNotice(account, one, { name: '', now });
      oneWindow.offer(key, () => reportSchedule(deps, one));
    }
    const { error } = schedules;
    if (error !== undefined) {
      oneWindow.offer(`${account}:scheduleFolder:${Math.floor(now / dayMs)}`, () =>
        reportFolder(deps, error),
      );
    }
  };
  store.add(schedules.onDidChange(check));
  store.add(
    notices.onDidPost(({ key, kind, accountKey, data }) => {
      const one = kind === unreadableScheduleKind ? unreadableSchedule.safeParse(data).data : undefined;
      if (one) {
        oneWindow.offer(key, () => showForOtherAccount(deps, accountKey, one), {
          isStillSo: () => accountKey !== accounts.active?.key,
        });
      }
    }),
  );
  return store;
}

function reportSchedule(deps: ScheduleDeps, one: UnreadableSchedule): void {
  const { instanceId, path, kind } = one;
  const name = nameOfInstance(deps, instanceId);
  if (kind === 'damaged') {
    showDamagedFile(path, {
      effect: effectText(name),
      startOver: () => runCommand('gpuRental.instance.setSchedule', { instanceId }),
    });
    return;
  }
  const reason = sentence(name, one);
  message('warning', reason, {
    label: t('Retry'),
    run: async () => {
      await deps.schedules.refresh();
      const still = deps.schedules.unreadable.find((other) => other.path === path);
      if (still) {
        reportSchedule(deps, still);
      }
    },
  });
}

/** Shows a message about an account that is not active, to which the user has to switch first. */
async function showForOtherAccount(
  { accounts }: ScheduleDeps,
  accountKey: string,
  one: UnreadableSchedule & { readonly name: string },
): Promise<void> {
  const account = (await accounts.known()).find(({ key }) => key === accountKey);
  if (account) {
    const name = t('{0} of {1}', plainLabel(one.name), plainLabel(account.name));
    const action = titledAction('gpuRental.switchAccount');
    message('warning', sentence(name, one), action);
  }
}

function sentence(name: string, { path, kind }: UnreadableSchedule): string {
  return kind === 'damaged'
    ? damagedText(effectText(name))
    : t(
        'Could not read the schedule of {0}, so {0} will not stop or be destroyed by itself. Check the permissions of {1}.',
        name,
        path,
      );
}

function effectText(name: string): string {
  return t('{0} will not stop or be destroyed by itself.', name);
}

function reportFolder(deps: ScheduleDeps, error: unknown): void {
  const why = reasonOf(error) ?? t('See the log for details.');
  message(
    'warning',
    t('Could not read the schedules, so nothing will stop or be destroyed by itself. {0}', why),
    {
      label: t('Retry'),
      run: async () => {
        await deps.schedules.refresh();
        if (deps.schedules.error !== undefined) {
          reportFolder(deps, deps.schedules.error);
        }
      },
    },
  );
}
