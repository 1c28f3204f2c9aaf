import * as vscode from 'vscode';
import { chooseInstance } from '../../editor/chooseInstance';
import { titledAction } from '../../editor/commands';
import { t } from '../../editor/localize';
import { message } from '../../editor/message';
import { pricePerHour } from '../../editor/priceText';
import { whileReadingInstances } from '../../editor/progress';
import { sshAuthority } from '../../editor/remoteAuthority';
import { aliasInArguments, hostInAuthority } from '../../ssh/alias';
import { accountFor } from '../../store/accounts/sameAccount';
import { listedInstances } from '../../store/instances/listed';
import type { InstanceWork } from '../../store/instances/workOnInstances';
import { DisposableStore, type Disposable } from '../../util/disposable';
import { Emitter } from '../../util/emitter';
import { plainLabel } from '../../util/plainLabel';
import { text } from '../../util/text';
import type { Services } from '../services';
import { otherAccountKind, otherAccountNotice, type OtherAccountNotice } from '../store/otherMachines';
import type { ScheduleRow } from '../store/scheduleFiles';
import { noticeOf } from '../store/scheduleNotice';
import { extendUntil } from './changes';
import type { ScheduleDeps } from './deps';
import { ScheduleMenu } from './scheduleMenu';
import { registerNotifications } from './scheduleNotifications';
import { neverNote, scheduleNote } from './scheduleText';
import { registerTimetable } from './serviceTimetable';
import { reportUnreadable } from './unreadableSchedules';

/** Schedules that stop or destroy instances, and the signs of use that postpone idle ones. */
export function register(deps: ScheduleDeps): Disposable {
  const store = new DisposableStore();
  const { schedules, fleet, clock } = deps;
  store.add(watchPresence(deps));
  store.add(registerNotifications(deps));
  store.add(reportUnreadable(deps));
  store.add(deps.work.add(workOfSchedules(deps)));
  store.add(showOtherAccountMessages(deps));
  const changed = store.add(new Emitter<void>());
  // The leader reads the schedules with each list, and mostly finds what it knows.
  let shown = schedules.text;
  store.add(
    schedules.onDidChange(() => {
      if (schedules.text !== shown) {
        shown = schedules.text;
        changed.fire();
      }
    }),
  );
  store.add(
    deps.instanceGroups.addInstanceNotes({
      note: (instanceId) => {
        const row = schedules.find(instanceId);
        if (row) {
          return scheduleNote(row, clock.now(), fleet.facts(instanceId));
        }
        return deps.rentals.find(instanceId)?.endSetFor === 'running' ? neverNote() : undefined;
      },
      onDidChange: changed.event,
    }),
  );
  store.add(registerTimetable(deps));
  store.add(
    deps.commands.register('gpuRental.instance.setSchedule', async (target) => {
      const account = accountFor(deps.accounts);
      const instanceId = await chooseInstance(
        target,
        () => listedInstances(fleet, whileReadingInstances),
        'gpuRental.instance.setSchedule',
        t('You have no instances.'),
      );
      if (instanceId !== undefined) {
        await schedules.ready;
        await new ScheduleMenu(deps, { instanceId, account }).show();
      }
    }),
  );
  store.add(
    deps.commands.register('gpuRental.instance.extendSchedule', ({ instanceId, until }) =>
      extendUntil(deps, instanceId, until),
    ),
  );
  return store;
}

/** An instance with a schedule is not forgotten. Only the leading window knows those of other accounts. */
function workOfSchedules({ clock, notices, otherSchedules, schedules }: ScheduleDeps): InstanceWork {
  return {
    ready: () => schedules.ready,
    endsInstance: (instanceId) => schedules.find(instanceId) !== undefined,
    reportEnd: (accountKey, instance) => {
      // A schedule outlives its instance for a day.
      const row = schedules.find(instance.id);
      if (!row || !mayHaveEndedIt(row)) {
        return false;
      }
      notices.post(noticeOf(accountKey, row, 'destroyed', { instance, now: clock.now() }));
      return true;
    },
    afterSignOut: () =>
      schedules.rows.every(({ state }) => state.endedAt !== undefined)
        ? undefined
        : text(
            'Scheduled stops and destructions no longer happen, unless the instance can carry them out itself.',
          ),
    isPending: () =>
      schedules.rows.length > 0 || otherSchedules.hasWork === true
        ? true
        : schedules.error !== undefined || otherSchedules.hasWork === undefined
          ? undefined
          : false,
    onDidChange: (listener) => {
      const store = new DisposableStore();
      store.add(schedules.onDidChange(listener));
      store.add(otherSchedules.onDidChange(listener));
      return store;
    },
  };
}

/** Returns whether the schedule of an instance explains its end: by the instance's own timer, or by the user in time. */
function mayHaveEndedIt({ schedule: { action, armed }, state }: ScheduleRow): boolean {
  return armed ? (armed.action ?? action) === 'destroy' : state.missedAt !== undefined;
}

type Deps = Pick<Services, 'accounts' | 'notices' | 'oneWindow'>;

/** Shows what the daily look at accounts that are not active has found. */
function showOtherAccountMessages(deps: Deps): Disposable {
  const { accounts, notices, oneWindow } = deps;
  return notices.onDidPost(({ key, kind, accountKey, data }) => {
    const notice = kind === otherAccountKind ? otherAccountNotice.safeParse(data).data : undefined;
    if (notice) {
      oneWindow.offer(key, () => showNotice(deps, accountKey, notice), {
        isStillSo: () => accountKey !== accounts.active?.key,
      });
    }
  });
}

async function showNotice({ accounts }: Deps, accountKey: string, notice: OtherAccountNotice): Promise<void> {
  const account = (await accounts.known()).find(({ key }) => key === accountKey);
  if (account) {
    const action = titledAction('gpuRental.switchAccount');
    message('warning', sentence(plainLabel(account.name), notice), action);
  }
}

function sentence(account: string, notice: OtherAccountNotice): string {
  if (notice.kind === 'ended') {
    return t('{0} of {1} no longer exists, and its data is lost.', plainLabel(notice.name), account);
  }
  const names = notice.names.map((name) => plainLabel(name)).join(', ');
  const price = pricePerHour(notice.perHour);
  return notice.isPartial
    ? t(
        'Instances of {0} are still running: {1}. The account is charged at least {2}.',
        account,
        names,
        price,
      )
    : t('Instances of {0} are still running: {1}. The account is charged {2}.', account, names, price);
}

/** Reports the uses of instances by this window: its remote connection and its terminals. */
export function watchPresence({ presence }: Pick<ScheduleDeps, 'presence'>): Disposable {
  const store = new DisposableStore();
  const update = () => {
    const host = hostInAuthority(sshAuthority());
    presence.set('window', host ? [host.alias] : []);
    presence.set('terminal', vscode.window.terminals.flatMap(aliasOfTerminal));
  };
  store.add(vscode.window.onDidOpenTerminal(update));
  store.add(vscode.window.onDidCloseTerminal(update));
  store.add(vscode.workspace.onDidChangeWorkspaceFolders(update));
  update();
  return store;
}

function aliasOfTerminal({ creationOptions, exitStatus }: vscode.Terminal): string | [] {
  const alias = 'shellArgs' in creationOptions ? aliasInArguments(creationOptions.shellArgs) : undefined;
  return alias !== undefined && exitStatus === undefined ? alias : [];
}
