import { titledAction } from '../../editor/commands';
import { localize, t } from '../../editor/localize';
import { type Action, message, type MessageLevel } from '../../editor/message';
import { pricePerDay, pricePerHour } from '../../editor/priceText';
import { needsEditor } from '../../editor/scheduleText';
import { momentText } from '../../editor/timeText';
import { dayMs } from '../../model/rentals/agreedEnd';
import { accountFor } from '../../store/accounts/sameAccount';
import { DisposableStore, type Disposable } from '../../util/disposable';
import { durationText } from '../../util/duration';
import { assertNever } from '../../util/errors';
import { plainLabel } from '../../util/plainLabel';
import { scheduleNotice, scheduleNoticeKind, type ScheduleNotice } from '../store/scheduleNotice';
import { canArm, cancel, extend, keepFor, keepUntil } from './changes';
import type { ScheduleDeps } from './deps';
import { arm } from './machineTimers';
import { ScheduleMenu } from './scheduleMenu';

const keptMs = 2 * 3_600_000;

/** Shows messages about schedules, each in one window only. */
export function registerNotifications(deps: ScheduleDeps): Disposable {
  const store = new DisposableStore();
  store.add(
    deps.notices.onDidPost(({ key, kind, accountKey, data }) => {
      const parsed = scheduleNotice.safeParse(data);
      if (kind !== scheduleNoticeKind || !parsed.success) {
        return;
      }
      const notice = { ...parsed.data, name: plainLabel(parsed.data.name) };
      const isActive = accountKey === deps.accounts.active?.key;
      deps.oneWindow.offer(
        key,
        () => (isActive ? showNotice(deps, notice) : showForOtherAccount(deps, accountKey, notice)),
        {
          isStillSo: () => notice.kind !== 'unwatched' || accountKey !== deps.accounts.active?.key,
        },
      );
    }),
  );
  return store;
}

/** Shows a message about an inactive account; its actions need a switch to that account. */
async function showForOtherAccount(
  deps: ScheduleDeps,
  accountKey: string,
  notice: ScheduleNotice,
): Promise<void> {
  const account = (await deps.accounts.known()).find(({ key }) => key === accountKey);
  if (!account) {
    return;
  }
  const name = t('{0} of {1}', notice.name, plainLabel(account.name));
  const { level = 'info', sentence } = messageOf(deps, { ...notice, name });
  message(level, sentence, titledAction('gpuRental.switchAccount'));
}

async function showNotice(deps: ScheduleDeps, notice: ScheduleNotice): Promise<void> {
  const { instanceId, scheduleId } = notice;
  await deps.schedules.ready;
  const isCurrent = deps.schedules.find(instanceId)?.schedule.id === scheduleId;
  const needsAnswer = ['soon', 'failed', 'missed', 'timerGone', 'silent'].includes(notice.kind);
  if (needsAnswer && !isCurrent) {
    return;
  }
  const { level = 'info', sentence, actions = [] } = messageOf(deps, notice);
  const ifCurrent = ({ label, run }: Action): Action => ({
    label,
    run: () => {
      if (needsAnswer && deps.schedules.find(instanceId)?.schedule.id !== scheduleId) {
        message('info', t('{0} has already changed. The list shows its current state.', notice.name));
        return undefined;
      }
      return run();
    },
  });
  message(level, sentence, ...actions.map(ifCurrent));
}

function messageOf(
  deps: ScheduleDeps,
  notice: ScheduleNotice,
): { readonly level?: MessageLevel; readonly sentence: string; readonly actions?: readonly Action[] } {
  const { kind, name, instanceId } = notice;
  const now = deps.clock.now();
  const at = momentText(notice.at, now);
  const more = {
    label: notice.idleMinutes === undefined ? t('Extend by 1 Hour') : t('Start Counting Again'),
    run: () => extend(deps, instanceId),
  };
  const week = { label: t('Keep for 7 Days'), run: () => extend(deps, instanceId, 7 * dayMs) };
  const keep = { label: t('Cancel, and Keep It'), run: () => cancel(deps, instanceId) };
  const destroy = titledAction('gpuRental.instance.destroy', { instanceId });
  const stop = titledAction('gpuRental.instance.stop', { instanceId });
  const start = titledAction('gpuRental.instance.start', { instanceId });
  switch (kind) {
    case 'soon':
      return {
        level: 'warning',
        sentence: soonText(notice, now),
        actions: notice.isAgreed === true ? keepActions(deps, notice) : [more, keep],
      };
    case 'stopped':
      return {
        sentence:
          notice.isLate === true
            ? t(
                '{0} was scheduled to stop at {1}, when no editor was open or the computer was asleep. It is now stopped, and storage still costs {2}.',
                name,
                at,
                pricePerDay(notice.diskPerDay),
              )
            : t(
                '{0} is stopped, as scheduled. Storage still costs {1}.',
                name,
                pricePerDay(notice.diskPerDay),
              ),
        actions: [start, destroy],
      };
    case 'stoppedItself':
      return {
        sentence: t(
          '{0} is stopped, and its own timer was set to stop it. Storage still costs {1}.',
          name,
          pricePerDay(notice.diskPerDay),
        ),
        actions: [start, destroy],
      };
    case 'destroyed':
      return { sentence: t('{0} is destroyed, as scheduled. The service no longer lists it.', name) };
    case 'gone':
      return { sentence: t('{0} was to be stopped, and the service no longer lists it.', name) };
    case 'failed': {
      const why =
        notice.problem === undefined
          ? t('The service accepted the request but still shows the instance unchanged.')
          : localize(notice.problem);
      return {
        level: 'warning',
        sentence: t('{0} has not ended yet and still costs money. Retrying… {1}', name, why),
        actions: [keep],
      };
    }
    case 'missed':
      return {
        level: 'warning',
        sentence: missedText(deps, notice, at),
        actions: notice.isAgreed === true ? [destroy, week, keep] : [destroy, more, keep],
      };
    case 'timerGone':
      return { level: 'warning', sentence: timerGoneText(notice), actions: armAgain(deps, notice) };
    case 'silent':
      return { level: 'warning', sentence: silentText(notice), actions: [stop, keep] };
    case 'unwatched':
      return { level: 'warning', sentence: unwatchedEndText(notice) };
    default:
      return assertNever(kind);
  }
}

/** In the order of use; a stopped instance has to be started before anything is downloaded. */
function keepActions(deps: ScheduleDeps, { instanceId, action }: ScheduleNotice): readonly Action[] {
  const account = accountFor(deps.accounts);
  return [
    {
      label: t('Keep 2 h'),
      run: () => (action === 'stop' ? keepFor(deps, instanceId, keptMs) : extend(deps, instanceId, keptMs)),
    },
    { label: keepUntil(), run: () => new ScheduleMenu(deps, { instanceId, account }).showKeep() },
    ...(action === 'stop' ? [titledAction('gpuRental.instance.download', { instanceId })] : []),
  ];
}

function missedText({ fleet, clock }: ScheduleDeps, notice: ScheduleNotice, at: string): string {
  const { name, instanceId, diskPerDay } = notice;
  if (notice.isAgreed !== true) {
    return t(
      '{0} was scheduled to be destroyed at {1}, but was not destroyed in time: no editor was open, or the computer was asleep. It still exists and costs money.',
      name,
      at,
    );
  }
  const now = clock.now();
  return t(
    '{0} has been stopped for {1}, and storage still costs {2}. Destroy it?',
    name,
    localize(durationText(now - (fleet.facts(instanceId).stoppedAt ?? now))),
    pricePerDay(diskPerDay),
  );
}

function silentText({ name, action, runningPerHour, isAgreed }: ScheduleNotice): string {
  const price = pricePerHour(runningPerHour);
  if (isAgreed === true) {
    return t(
      '{0} did not stop when idle: it does not answer whether it is in use. It costs {1}.',
      name,
      price,
    );
  }
  return action === 'stop'
    ? t(
        '{0} did not stop when idle: its Jupyter server does not answer, so a cell may be running. It costs {1}.',
        name,
        price,
      )
    : t(
        '{0} was not destroyed when idle: its Jupyter server does not answer, so a cell may be running. It costs {1}.',
        name,
        price,
      );
}

function unwatchedEndText({ name, action }: ScheduleNotice): string {
  return action === 'stop'
    ? t(
        '{0} may not stop when idle, because the list of its account could not be read. You are still charged for it.',
        name,
      )
    : t(
        '{0} may not be destroyed when idle, because the list of its account could not be read. You are still charged for it.',
        name,
      );
}

function timerGoneText({ name, action }: ScheduleNotice): string {
  return action === 'stop'
    ? t('The timer on {0} has ended. The scheduled stop now needs {1}.', name, needsEditor())
    : t('The timer on {0} has ended. The scheduled destruction now needs {1}.', name, needsEditor());
}

/** Not offered while the machine can't be logged in to. */
function armAgain(deps: ScheduleDeps, { instanceId, name }: ScheduleNotice): readonly Action[] {
  const account = accountFor(deps.accounts);
  const schedule = deps.schedules.find(instanceId)?.schedule;
  return schedule && canArm(deps, schedule)
    ? [{ label: t('Arm Again'), run: () => arm(deps, { instanceId, name, account }) }]
    : [];
}

function soonText({ name, action, at, idleMinutes, isAgreed }: ScheduleNotice, now: number): string {
  const remaining = localize(durationText(at - now));
  const time = momentText(at, now);
  const text =
    action === 'stop'
      ? t('{0} will be stopped in {1}, at {2}.', name, remaining, time)
      : t('{0} will be destroyed in {1}, at {2}. All data on it is lost.', name, remaining, time);
  if (action === 'destroy' && isAgreed === true) {
    return `${text} ${t('It had no unsaved work when it was stopped.')}`;
  }
  return idleMinutes === undefined
    ? text
    : `${text} ${t('It has been idle since {0}.', momentText(at - idleMinutes * 60_000, now))}`;
}
