import { localize, t } from '../../editor/localize';
import { needsEditor } from '../../editor/scheduleText';
import { momentText } from '../../editor/timeText';
import type { InstanceNote } from '../../editor/treeGroups';
import type { InstanceFacts } from '../../model/instances/instanceState';
import { neverEnds } from '../../model/rentals/agreedEnd';
import { durationText } from '../../util/duration';
import {
  asksFirst,
  dueAt,
  fireAt,
  isBeingCarriedOut,
  silentKernelMs,
  type ArmedTimer,
  type Schedule,
} from '../model/schedule';
import type { ScheduleRow } from '../store/scheduleFiles';

/** `stops 17:30`, for the row of an instance. */
function rowText({ schedule, state }: ScheduleRow, now: number, facts: InstanceFacts): string {
  const isStop = schedule.action === 'stop';
  if (schedule.isOnlyOnInstance === true && schedule.armed) {
    const when = itselfWhen(schedule, schedule.armed, now);
    return isStop ? t('stops itself {0}', when) : t('destroys itself {0}', when);
  }
  if (isBeingCarriedOut(state, now)) {
    return isStop ? t('being stopped') : t('being destroyed');
  }
  if (asksFirst(schedule, facts)) {
    return t('asks to destroy {0}', momentText(dueAt(schedule, state) ?? now, now));
  }
  if (state.missedAt !== undefined) {
    return t('was scheduled to be destroyed {0}', momentText(dueAt(schedule, state) ?? state.missedAt, now));
  }
  if (state.nextTryAt !== undefined) {
    const at = momentText(state.nextTryAt, now);
    return isStop
      ? t('could not be stopped, next try {0}', at)
      : t('could not be destroyed, next try {0}', at);
  }
  const at = fireAt(schedule, state);
  if (schedule.term.kind === 'idle') {
    const span = localize(durationText(schedule.term.minutes * 60_000));
    if (at === undefined) {
      return isStop ? t('stops when idle {0}', span) : t('destroyed when idle {0}', span);
    }
    return ifIdle(schedule, at, now);
  }
  const time = momentText(at ?? schedule.term.at, now);
  return isStop ? t('stops {0}', time) : t('destroyed {0}', time);
}

export function scheduleNote(row: ScheduleRow, now: number, facts: InstanceFacts = {}): InstanceNote {
  const { schedule } = row;
  const { armed } = schedule;
  const text = rowText(row, now, facts);
  const other =
    armed?.action !== undefined && armed.action !== row.schedule.action
      ? otherTimer(row.schedule, armed, now)
      : undefined;
  const who = () =>
    other !== undefined
      ? t('{0}. Its own timer could not be ended: {1}', needsEditor(), other)
      : row.schedule.isOnlyOnInstance === true && armed
        ? t('the instance itself: its own timer could not be ended')
        : armed
          ? armed.isDoubtful === true
            ? t(
                'possibly the instance itself {0}, because it did not confirm its timer, and an open editor before that',
                itselfWhen(row.schedule, armed, now),
              )
            : t(
                'the instance itself {0} (verified {1}), and an open editor before that',
                itselfWhen(row.schedule, armed, now),
                momentText(armed.provedAt, now),
              )
          : needsEditor();
  return {
    row:
      other !== undefined
        ? t('{0}, but {1}', text, other)
        : armed
          ? `${text} (${armed.isDoubtful === true ? t('possibly armed') : t('armed, checked {0}', momentText(armed.provedAt, now))})`
          : schedule.isAgreed === true && schedule.action === 'stop'
            ? t('{0} (not armed)', text)
            : text,
    lines: () => [
      [t('Schedule'), text],
      [t('Carried out by'), who()],
    ],
  };
}

/** Returns the note of a running instance whose rental has an end, if nothing is set to stop or destroy it. */
export function neverNote(): InstanceNote {
  const never = localize(neverEnds);
  return { row: never, lines: () => [[t('Schedule'), never]] };
}

/** Describes a timer that still belongs to an earlier schedule. */
function otherTimer(schedule: Schedule, armed: ArmedTimer, now: number): string {
  const when = itselfWhen(schedule, armed, now);
  return armed.action === 'stop'
    ? t('the instance stops itself {0}', when)
    : t('the instance destroys itself {0}', when);
}

/** Warns that a timer on the machine could not be ended, although the schedule was canceled here. */
export function canceledHereOnly(...of: Parameters<typeof stillActs>): string {
  return t('Canceled here only. {0}', stillActs(...of));
}

/** The same for a schedule that was extended here. */
export function extendedHereOnly(...of: Parameters<typeof stillActs>): string {
  return t('Extended here only. {0}', stillActs(...of));
}

function stillActs(
  schedule: Schedule,
  armed: Pick<ArmedTimer, 'at' | 'action'>,
  name: string,
  now: number,
): string {
  const when = itselfWhen(schedule, armed, now);
  return (armed.action ?? schedule.action) === 'stop'
    ? t('{0} still stops itself {1}: its own timer could not be ended.', name, when)
    : t('{0} still destroys itself {1}: its own timer could not be ended.', name, when);
}

/** Returns when the timer on the machine acts, such as `at 17:30` or `once it is idle for 45 min`. */
export function itselfWhen(
  { term }: Pick<Schedule, 'term'>,
  { at }: Pick<ArmedTimer, 'at'>,
  now: number,
): string {
  return at === undefined && term.kind === 'idle'
    ? t('once it is idle for {0}', localize(durationText(term.minutes * 60_000)))
    : t('at {0}', momentText(at ?? now, now));
}

function ifIdle({ action }: Schedule, at: number, now: number): string {
  const time = momentText(at, now);
  return action === 'stop'
    ? t('stops {0} if it stays idle', time)
    : t('destroyed {0} if it stays idle', time);
}

/** Follows the name of an instance, such as `will be stopped at 17:30`. */
export function willText(schedule: Schedule, now: number): string {
  const { action, term } = schedule;
  if (term.kind === 'idle') {
    if ((term.notBefore ?? 0) > now) {
      return ifIdle(schedule, dueAt(schedule, { scheduleId: '', idleSince: now }) ?? now, now);
    }
    const span = localize(durationText(term.minutes * 60_000));
    return action === 'stop'
      ? t('will be stopped once it has been idle for {0}', span)
      : t('will be destroyed once it has been idle for {0}', span);
  }
  const at = momentText(term.at, now);
  return action === 'stop' ? t('will be stopped at {0}', at) : t('will be destroyed at {0}', at);
}

export function idleMeaning(): string {
  return t(
    'Idle means: no remote window, terminal, forwarded port, transfer, command or job of GPU Rental uses it on this computer, no cell of a notebook runs there, and its GPU use is under 5 % where it is reported.',
  );
}

/** Explains what the timer on the machine counts as idle: it sees all logins, but none of the editor's windows. */
export function idleItself(): string {
  return [
    t(
      'Idle on the instance itself means: each GPU under 5 % in every check, every 10 seconds, no SSH login from any computer, no terminal that prints, and no running job or notebook cell of GPU Rental. Other work on its CPU does not count.',
    ),
    t(
      'A kernel whose Jupyter server does not answer counts as running for {0}, and for as long as it uses the CPU. After that the instance is stopped, never destroyed.',
      durationText(silentKernelMs),
    ),
  ].join(' ');
}
