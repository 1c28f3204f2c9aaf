import { randomBytes } from 'node:crypto';
import { runCommand } from '../../editor/commands';
import { confirm } from '../../editor/confirm';
import { t } from '../../editor/localize';
import { message, suggest } from '../../editor/message';
import { withCancellableProgress } from '../../editor/progress';
import { HostKeyError } from '../../ssh/hostKey';
import { assertNever } from '../../util/errors';
import {
  armTimer,
  checkTimer,
  disarmTimer,
  type TimerOrder,
  type TimerVerdict,
} from '../machine/machineTimer';
import {
  machineLaterMs,
  timerSeconds,
  type ArmedTimer,
  type Schedule,
  type TimerSeconds,
} from '../model/schedule';
import type { ScheduleDeps, Scheduled } from './deps';
import { extendedHereOnly, idleItself, itselfWhen } from './scheduleText';

/** Starts the timer on the machine and reports whether it proved that it can act. */
export async function arm(deps: ScheduleDeps, scheduled: Scheduled): Promise<void> {
  const { schedules, clock, ssh } = deps;
  const { instanceId, name, account } = scheduled;
  account();
  const schedule = schedules.find(instanceId)?.schedule;
  if (!schedule || !(await mayActItself(schedule, name, clock.now()))) {
    return;
  }
  const { term } = schedule;
  const at = itselfAt(schedule);
  const { key: accountKey, serviceUrl } = account();
  const alias = await runCommand('gpuRental.prepareSsh', { instanceId, accountKey });
  if (alias === undefined) {
    return;
  }
  const token = randomBytes(8).toString('hex');
  if (term.kind === 'at' && term.at <= clock.now()) {
    // A timer whose time has passed would act at once.
    message('warning', t('Could not arm {0}: its time has passed. Choose another time first.', name));
    return;
  }
  const verdict = await withCancellableProgress(t('Connecting to {0}', name), (signal) => {
    return armTimer(
      ssh,
      alias,
      orderOf(schedule, serviceUrl, token, timerSeconds(term, clock.now())),
      signal,
    );
  }).catch(async (error: unknown) => {
    if (error instanceof HostKeyError) {
      throw error;
    }
    // The timer may have started on the machine in spite of the error.
    await endOrphan(deps, alias, schedule, { token, at, provedAt: clock.now(), isDoubtful: true }, name);
    throw error;
  });
  if (verdict.kind === 'armed') {
    if (!(await schedules.setArmed(schedule, { token, at, provedAt: clock.now() }))) {
      await endOrphan(deps, alias, schedule, undefined, name);
      return;
    }
    const when = itselfWhen(schedule, { at }, clock.now());
    message(
      'info',
      schedule.action === 'stop'
        ? t(
            '{0} stops itself {1}, also when no editor is open: its own timer runs, and its key was accepted.',
            name,
            when,
          )
        : t(
            '{0} destroys itself {1}, also when no editor is open: its own timer runs, and its key was accepted.',
            name,
            when,
          ),
    );
    return;
  }
  if (verdict.kind === 'notKnown') {
    // It may have started, or start yet.
    await endOrphan(deps, alias, schedule, { token, at, provedAt: clock.now(), isDoubtful: true }, name);
    if (schedules.find(instanceId)?.schedule.armed?.token === token) {
      return;
    }
  }
  tryAgain(t('Could not arm {0}. {1}', name, reason(verdict, name)), () => arm(deps, scheduled));
}

/** Checks whether the timer is alive; if not, the schedule is no longer shown as armed. */
export async function check(deps: ScheduleDeps, scheduled: Scheduled): Promise<void> {
  const { schedules, clock, ssh } = deps;
  const { instanceId, name, account } = scheduled;
  const { key: accountKey, serviceUrl } = account();
  const schedule = schedules.find(instanceId)?.schedule;
  const alias = await runCommand('gpuRental.prepareSsh', { instanceId, accountKey });
  if (!schedule?.armed || alias === undefined) {
    return;
  }
  const { token, at } = schedule.armed;
  const verdict = await withCancellableProgress(t('Connecting to {0}', name), (signal) =>
    checkTimer(ssh, alias, orderOf(schedule, serviceUrl, token, { seconds: 0 }), signal),
  );
  if (verdict.kind === 'armed') {
    await schedules.setArmed(schedule, { token, at, provedAt: clock.now() });
    message(
      'info',
      t(
        'The timer on {0} runs and acts {1}. Its key was accepted.',
        name,
        itselfWhen(schedule, { at }, clock.now()),
      ),
    );
    return;
  }
  // Only an ended process is certain not to act; other problems may resolve before its time.
  const isGone = verdict.kind === 'notAlive';
  if (isGone) {
    await schedules.setArmed(schedule, undefined);
  }
  const why = reason(verdict, name);
  tryAgain(
    isGone
      ? t('The timer on {0} has ended. {1}', name, why)
      : t(
          'Could not verify the timer on {0}, so it may still act {1}. {2}',
          name,
          itselfWhen(schedule, schedule.armed, clock.now()),
          why,
        ),
    () => (isGone ? arm(deps, scheduled) : check(deps, scheduled)),
  );
}

/** Ends the timer on the machine. Returns `done` once none can act; otherwise reports it and asks what to do. */
export async function disarm(deps: ScheduleDeps, scheduled: Scheduled): Promise<'done' | 'hereOnly' | 'no'> {
  const { instanceId, name } = scheduled;
  const schedule = deps.schedules.find(instanceId)?.schedule;
  if (!schedule?.armed || (await endArmed(deps, scheduled, schedule))) {
    return 'done';
  }
  const answer = await suggest<'done' | 'hereOnly' | 'no'>(
    'warning',
    t(
      'Could not reach {0}, so nothing has changed: its own timer still acts {1}.',
      name,
      itselfWhen(schedule, schedule.armed, deps.clock.now()),
    ),
    { label: t('Retry'), run: () => disarm(deps, scheduled) },
    { label: t('Cancel Here Only'), run: () => 'hereOnly' },
  );
  return answer ?? 'no';
}

/**
 * Starts the timer of an extended schedule in place of the one that acts at the old time, which is ended first: the user
 * may not want a new one, and its start may fail. Calls `onEnded` in between.
 */
export async function armExtended(
  deps: ScheduleDeps,
  scheduled: Scheduled,
  schedule: Schedule,
  onEnded: () => void,
): Promise<void> {
  const isEnded = await endArmed(deps, scheduled, schedule).catch((error: unknown) => {
    deps.report.error(error);
    return false;
  });
  const present = deps.schedules.find(schedule.instanceId)?.schedule;
  if (present?.id !== schedule.id) {
    return;
  }
  if (isEnded) {
    onEnded();
    await arm(deps, scheduled);
  } else if (present.armed) {
    tryAgain(extendedHereOnly(present, present.armed, scheduled.name, deps.clock.now()), () =>
      armExtended(deps, scheduled, schedule, onEnded),
    );
  }
}

/** Returns whether the timer on the machine has ended for certain. */
async function endArmed(
  deps: ScheduleDeps,
  { instanceId, name, account }: Scheduled,
  schedule: Schedule,
): Promise<boolean> {
  const alias = await runCommand('gpuRental.prepareSsh', { instanceId, accountKey: account().key });
  const isEnded =
    alias !== undefined &&
    (await withCancellableProgress(t('Connecting to {0}', name), (signal) =>
      endTimer(deps, alias, instanceId, signal),
    ));
  return isEnded && deps.schedules.setArmed(schedule, undefined).then(() => true);
}

/**
 * Ends a timer whose start was interrupted or not confirmed, or whose schedule was canceled or changed in the meantime. One
 * that could not be ended counts as armed (`possible`), so that it is shown, and proved or found gone later.
 */
async function endOrphan(
  deps: ScheduleDeps,
  alias: string,
  schedule: Schedule,
  possible: ArmedTimer | undefined,
  name: string,
): Promise<void> {
  const isEnded = await endTimer(deps, alias, schedule.instanceId).catch(() => false);
  if (isEnded || possible) {
    await deps.schedules.setArmed(schedule, isEnded ? undefined : possible);
  }
  if (!isEnded) {
    tryAgain(
      t('Could not start the timer on {0}. It may be running, because it could not be ended.', name),
      () => endOrphan(deps, alias, schedule, possible, name),
    );
  }
}

/** Returns true once the machine confirmed it. A changed host key is reported beside the question about the timer. */
async function endTimer(
  { ssh, report }: ScheduleDeps,
  alias: string,
  instanceId: number,
  signal?: AbortSignal,
): Promise<boolean> {
  try {
    return await disarmTimer(ssh, alias, instanceId, signal);
  } catch (error) {
    if (!(error instanceof HostKeyError)) {
      throw error;
    }
    report.error(error);
    return false;
  }
}

/** Asks separately, because the timer gives no warning and defines idle in its own way. */
async function mayActItself(schedule: Schedule, name: string, now: number): Promise<boolean> {
  const { action, term, isAgreed } = schedule;
  const isStop = action === 'stop';
  if (isStop && (term.kind === 'at' || isAgreed === true)) {
    return true;
  }
  const when = itselfWhen(schedule, { at: itselfAt(schedule) }, now);
  return confirm({
    message: isStop
      ? t('Let “{0}” stop itself {1}?', name, when)
      : t('Let “{0}” destroy itself {1}?', name, when),
    detail: [
      term.kind === 'idle' ? idleItself() : '',
      isStop
        ? t('It does so even when no editor is open, without a warning.')
        : t('It does so even when no editor is open, without a warning. All data on it is lost.'),
    ]
      .filter((line) => line !== '')
      .join('\n\n'),
    button: isStop ? t('Let It Stop Itself') : t('Let It Destroy Itself'),
  });
}

/** Returns when the machine acts, if that is at a fixed time. */
function itselfAt({ term }: Schedule): number | undefined {
  return term.kind === 'at' ? term.at + machineLaterMs : undefined;
}

function orderOf(
  { instanceId, action, term }: Schedule,
  serviceUrl: string,
  token: string,
  times: TimerSeconds,
): TimerOrder {
  return { serviceUrl, instanceId, action, token, mode: term.kind, ...times };
}

function reason(verdict: Exclude<TimerVerdict, { kind: 'armed' }>, name: string): string {
  switch (verdict.kind) {
    case 'noTool':
      return t(
        'It has none of curl, python3 and GNU wget to call the service with. Install curl on it and try again.',
      );
    case 'busy':
      return t('Another window is changing the timer there.');
    case 'noGpuUse':
      return t(
        "Its nvidia-smi does not report GPU use, so it can't detect when it is idle. Choose a time instead.",
      );
    case 'noLoginSeen':
      return t("It does not show SSH logins, so it can't detect when it is idle. Choose a time instead.");
    case 'noKey':
      return t('It has no CONTAINER_API_KEY, the restricted key of the instance itself.');
    case 'refused':
      return t('The service did not let its own key read the instance (HTTP {0}).', verdict.status);
    case 'noAnswer':
      return t('It could not reach the service.');
    case 'notAlive':
      return t('The timer process is not running on it.');
    case 'notKnown':
      return t('{0} did not answer. Connect to it once, then try again.', name);
    default:
      return assertNever(verdict);
  }
}

/** Shows a warning that says what did not happen, with another try. */
export function tryAgain(words: string, run: () => Promise<void>): void {
  message('warning', words, { label: t('Retry'), run });
}
