import type { KernelUse } from '../../notebooks/model/kernelUse';
import type { Account } from '../../store/accounts/accounts';
import type { Fleet } from '../../store/instances/fleetStore';
import type { IdleWatch } from '../../store/instances/idleWatch';
import type { Notices } from '../../store/windows/notices';
import type { Clock } from '../../util/clock';
import { isCancelled } from '../../util/errors';
import type { Log } from '../../util/log';
import type { Schedule } from '../model/schedule';
import type { ScheduleRow } from './scheduleFiles';
import { noticeOf } from './scheduleNotice';

/** Logs in to an instance and asks what its kernels do, before a schedule acts; never asks the user. */
export type AskKernels = (account: Account, schedule: Schedule, signal: AbortSignal) => Promise<KernelUse>;

interface KernelUseDeps {
  readonly kernelUse: AskKernels;
  readonly idle: Pick<IdleWatch, 'noteUse'>;
  readonly fleet: Pick<Fleet, 'find'>;
  readonly notices: Notices;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * Returns whether kernels use an instance, right before its schedule for idle time warns or acts: a cell may run that
 * no window here is connected to. A silent server counts as use, and the user is informed, because that may last. A
 * machine that can't be asked is judged by what is seen from here (docs/decisions/0046-a-silent-notebook-server.md).
 */
export async function isUsedByKernels(
  deps: KernelUseDeps,
  account: Account,
  row: ScheduleRow,
  signal: AbortSignal,
): Promise<boolean> {
  const { schedule } = row;
  if (schedule.term.kind !== 'idle') {
    return false;
  }
  const use = await ask(deps, account, schedule, signal);
  if (use !== 'busy' && use !== 'silent') {
    return false;
  }
  deps.idle.noteUse(schedule.instanceId);
  if (use === 'silent') {
    const about = { instance: deps.fleet.find(schedule.instanceId), now: deps.clock.now() };
    deps.notices.post(noticeOf(account.key, row, 'silent', about));
  }
  return true;
}

async function ask(
  { kernelUse, log }: KernelUseDeps,
  account: Account,
  schedule: Schedule,
  signal: AbortSignal,
): Promise<KernelUse> {
  const { instanceId } = schedule;
  try {
    const use = await kernelUse(account, schedule, signal);
    log.info(`The kernels of ${instanceId}, before its schedule goes on: ${use}`);
    return use;
  } catch (error) {
    if (isCancelled(error)) {
      throw error;
    }
    log.warn(`The kernels of ${instanceId} could not be asked: ${String(error)}`);
    return 'unknown';
  }
}
