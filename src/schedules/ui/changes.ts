import { confirm, isPerson } from '../../editor/confirm';
import { t } from '../../editor/localize';
import { message, suggest } from '../../editor/message';
import { pricePerDay } from '../../editor/priceText';
import { whileSending } from '../../editor/progress';
import { needsEditor } from '../../editor/scheduleText';
import { momentText } from '../../editor/timeText';
import { stoppedCostPerDay } from '../../model/instances/instanceCost';
import { instanceName } from '../../model/instances/instanceLabel';
import { actionsFor } from '../../model/instances/instanceState';
import { accountFor } from '../../store/accounts/sameAccount';
import { plainLabel } from '../../util/plainLabel';
import type { Schedule, ScheduleAction, ScheduleTerm } from '../model/schedule';
import type { ScheduleDeps } from './deps';
import { arm, armExtended, disarm, tryAgain } from './machineTimers';
import { canceledHereOnly, idleMeaning, willText } from './scheduleText';

const extendByMs = 3_600_000;

/** The action of a warning, and the title of the list that it opens. */
export function keepUntil(): string {
  return t('Keep Until…');
}

export function nameOfInstance({ fleet }: Pick<ScheduleDeps, 'fleet'>, instanceId: number): string {
  const instance = fleet.find(instanceId);
  return instance ? plainLabel(instanceName(instance)) : `#${instanceId}`;
}

/** Returns whether the machine can be logged in to, so that it can run the timer itself. */
export function canArm({ fleet, clock }: ScheduleDeps, schedule: Schedule): boolean {
  const instance = fleet.find(schedule.instanceId);
  return (
    (schedule.term.kind === 'idle' || schedule.term.at > clock.now()) &&
    instance !== undefined &&
    actionsFor(instance, fleet.facts(instance.id), clock.now()).canConnect
  );
}

/** Sets a schedule, after a question if data would be lost. */
export async function setSchedule(
  deps: ScheduleDeps,
  instanceId: number,
  action: ScheduleAction,
  term: ScheduleTerm,
): Promise<void> {
  const asked = accountFor(deps.accounts);
  const name = nameOfInstance(deps, instanceId);
  const now = deps.clock.now();
  const will = willText({ id: '', instanceId, action, term, setAt: now }, now);
  if (action === 'destroy' && !(await confirmDestroy(name, will, term))) {
    return;
  }
  const before = deps.schedules.find(instanceId)?.schedule;
  if (before && !(await mayRunLonger(name))) {
    return;
  }
  if ((await disarm(deps, { instanceId, name, account: asked })) === 'no') {
    return;
  }
  asked();
  const { schedule, sentAt } = await deps.schedules.set(instanceId, action, term);
  warnIfLate(deps, name, before, sentAt);
  await suggest(
    'info',
    t('{0} {1}, by {2}.', name, will, needsEditor()),
    !schedule.armed &&
      canArm(deps, schedule) && {
        label: t('Let the Instance Do It…'),
        run: () => arm(deps, { instanceId, name, account: asked }),
      },
  );
}

async function confirmDestroy(name: string, will: string, term: ScheduleTerm): Promise<boolean> {
  return confirm({
    message: t('Destroy “{0}” later?', name),
    detail: [
      t(
        '{0} {1}, and all data on it is lost. You are warned a few minutes before and can cancel.',
        name,
        will,
      ),
      ...(term.kind === 'idle' ? [idleMeaning()] : []),
      t(
        'This is done by {0}. If none is open at that time, the instance is not destroyed, still costs money, and you are asked at the next start.',
        needsEditor(),
      ),
    ].join('\n\n'),
    button: t('Destroy Later'),
  });
}

/** Postpones a schedule to at least this time without a question. Later and idle schedules stay. */
export async function extendUntil(deps: ScheduleDeps, instanceId: number, until: number): Promise<void> {
  await deps.schedules.ready;
  const term = deps.schedules.find(instanceId)?.schedule.term;
  if (term?.kind === 'at' && term.at < until) {
    await prolong(deps, instanceId, until - Math.max(term.at, deps.clock.now()));
  }
}

/** Asks the user: the end of an instance limits its costs, so no agent may move it. */
function mayRunLonger(name: string): Promise<boolean> {
  return isPerson({
    message: t('Change when “{0}” stops or is destroyed?', name),
    detail: t('It may then run longer and cost more.'),
    button: t('Change Schedule'),
  });
}

export async function extend(deps: ScheduleDeps, instanceId: number, byMs = extendByMs): Promise<void> {
  const asked = accountFor(deps.accounts);
  if (await mayRunLonger(nameOfInstance(deps, instanceId))) {
    asked();
    await prolong(deps, instanceId, byMs);
  }
}

/** Keeps an instance for this time from now; its schedule acts no sooner, and a later one stays. */
export async function keepFor(deps: ScheduleDeps, instanceId: number, ms: number): Promise<void> {
  const asked = accountFor(deps.accounts);
  if (!(await mayRunLonger(nameOfInstance(deps, instanceId)))) {
    return;
  }
  asked();
  const now = deps.clock.now();
  const term = deps.schedules.find(instanceId)?.schedule.term;
  if (term?.kind === 'at') {
    await extendUntil(deps, instanceId, now + ms);
  } else {
    await prolong(deps, instanceId, ms, { keeps: true });
  }
}

/** Extends here first: where the machine can't be reached, at least no editor acts at the old time. */
async function prolong(
  deps: ScheduleDeps,
  instanceId: number,
  byMs: number,
  how?: { readonly keeps: boolean },
): Promise<void> {
  const account = accountFor(deps.accounts);
  const before = deps.schedules.find(instanceId)?.schedule;
  const held = deps.timetable.find(instanceId)?.startTime;
  const changed = await deps.schedules.extend(instanceId, byMs, how);
  if (!changed) {
    return;
  }
  const { schedule, sentAt } = changed;
  const name = nameOfInstance(deps, instanceId);
  if (warnIfLate(deps, name, before, sentAt)) {
    return;
  }
  if (held !== undefined) {
    void awaitMove(deps, instanceId, name, held);
  }
  const confirmChange = () => {
    message('info', t('{0} {1}, by {2}.', name, willText(schedule, deps.clock.now()), needsEditor()));
  };
  if (schedule.armed) {
    await armExtended(deps, { instanceId, name, account }, schedule, confirmChange);
  } else {
    confirmChange();
  }
}

export async function cancel(deps: ScheduleDeps, instanceId: number): Promise<void> {
  const { schedules, clock } = deps;
  const asked = accountFor(deps.accounts);
  const name = nameOfInstance(deps, instanceId);
  const before = schedules.find(instanceId)?.schedule;
  if (!(await mayRunLonger(name))) {
    return;
  }
  const scheduled = { instanceId, name, account: asked };
  if ((await disarm(deps, scheduled)) === 'no') {
    return;
  }
  asked();
  const sentAt = await schedules.keepOnInstance(instanceId);
  const isLate = warnIfLate(deps, name, before, sentAt);
  const left = schedules.find(instanceId)?.schedule;
  if (left?.armed) {
    message('warning', canceledHereOnly(left, left.armed, name, clock.now()));
  } else if (!isLate) {
    await awaitRemoval(deps, instanceId, name);
  }
}

/** Waits until the service holds no stop of a schedule that was canceled here. */
async function awaitRemoval(deps: ScheduleDeps, instanceId: number, name: string): Promise<void> {
  const { clock, timetable } = deps;
  const removal = await whileSending(timetable.removal(instanceId));
  const record = timetable.find(instanceId);
  if (removal === 'noAnswer' && record) {
    tryAgain(
      t(
        'Canceled here only: the service may still stop {0} at {1}, because no window has changed its timetable yet. Close or reload other windows, and retry.',
        name,
        momentText(timetable.timeOf(record.startTime), clock.now()),
      ),
      () => awaitRemoval(deps, instanceId, name),
    );
  } else if (removal !== 'refused') {
    message('info', t('{0} will not stop by itself. It still costs money.', name));
  }
}

/** Waits until the service holds the stop of a schedule no more that was extended here. Never rejects. */
async function awaitMove(
  deps: ScheduleDeps,
  instanceId: number,
  name: string,
  startTime: number,
): Promise<void> {
  const { clock, timetable } = deps;
  const wish = timetable.wish(instanceId);
  if (wish?.kind === 'stop' && wish.startTime === startTime) {
    return;
  }
  if ((await timetable.removal(instanceId, startTime)) === 'noAnswer') {
    tryAgain(
      t(
        'Changed here only: the service may still stop {0} at {1}, because no window has changed its timetable yet. Close or reload other windows, and retry.',
        name,
        momentText(timetable.timeOf(startTime), clock.now()),
      ),
      () => awaitMove(deps, instanceId, name, startTime),
    );
  }
}

/** Warns if the request of the previous schedule had already left when the user changed or canceled it. */
function warnIfLate(
  { clock }: Pick<ScheduleDeps, 'clock'>,
  name: string,
  before: Schedule | undefined,
  sentAt: number | undefined,
): boolean {
  if (!before || sentAt === undefined) {
    return false;
  }
  const at = momentText(sentAt, clock.now());
  message(
    'warning',
    before.action === 'stop'
      ? t(
          'Too late: the request to stop {0} was sent at {1}. The list shows whether it is stopped.',
          name,
          at,
        )
      : t(
          'Too late: the request to destroy {0} was sent at {1}. The list shows whether it is destroyed.',
          name,
          at,
        ),
  );
  return true;
}

/** Returns a price such as `$0.12/day`, or that the record states none. */
export function diskPrice({ fleet }: Pick<ScheduleDeps, 'fleet'>, instanceId: number): string {
  const instance = fleet.find(instanceId);
  return pricePerDay(instance && stoppedCostPerDay(instance));
}
