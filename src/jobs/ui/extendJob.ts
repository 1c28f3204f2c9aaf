import type { JobRowTarget } from '../../commandSpecs';
import { runCommand } from '../../editor/commands';
import { isPerson } from '../../editor/confirm';
import { localize, t } from '../../editor/localize';
import { message } from '../../editor/message';
import { pickFromList, type Row } from '../../editor/quickPick';
import { momentText } from '../../editor/timeText';
import { titleOf } from '../../editor/titles';
import { formatMoney, fromDollars } from '../../model/money';
import { AcceptGuard } from '../../model/rentals/acceptGuard';
import { durationText } from '../../util/duration';
import { machineOf, type JobRow } from '../model/job';
import { canExtend, extended, limitAt } from '../model/jobExtension';
import type { JobSpec } from '../model/jobSpec';
import type { JobDeps } from './deps';
import { chooseRow } from './jobCommands';

const choices = [0.5, 1, 2, 4, 8] as const;

/** Time to fetch the outputs after the command ends (ms). */
const spareMs = 3_600_000;

interface Extension {
  readonly limits: Pick<JobSpec, 'hours' | 'costDollars'>;
  readonly endsAt: number;
}

/** Gives a job more time; each row names the price. Also postpones a schedule that would end its machine earlier. */
export async function extendJob(deps: JobDeps, target: JobRowTarget | undefined): Promise<void> {
  const row = await chooseRow(deps, target, 'gpuRental.job.extend', canExtend);
  const chosen = row && (await chooseExtension(deps, row));
  if (!chosen) {
    return;
  }
  const { id, spec } = row.job;
  const isAgreed = await isPerson({
    message: t('Extend {0}?', spec.name),
    detail: t(
      'It can then cost up to {0}, without traffic.',
      formatMoney(fromDollars(chosen.limits.costDollars)),
    ),
    button: titleOf('gpuRental.job.extend'),
  });
  if (!isAgreed) {
    return;
  }
  const { instanceId } = machineOf(row);
  if (!(await deps.jobs.extend(id, chosen.limits))) {
    message('info', t('{0} has already changed. The list shows its current state.', spec.name));
    return;
  }
  if (instanceId !== undefined && scheduleBefore(deps, row, chosen.endsAt) !== undefined) {
    await runCommand('gpuRental.instance.extendSchedule', { instanceId, until: chosen.endsAt + spareMs });
  }
}

async function chooseExtension(deps: JobDeps, row: JobRow): Promise<Extension | undefined> {
  const now = deps.clock.now();
  const before = limitAt(row) ?? now;
  const guard = new AcceptGuard(deps.clock);
  try {
    const answer = await pickFromList<Extension>({
      title: t('Extend {0}', row.job.spec.name),
      placeholder: t('It currently ends at {0} at the latest', momentText(before, now)),
      rows: choices.flatMap((hours) => extensionRow(deps, row, hours, before + hours * 3_600_000)),
      ignoreFocusOut: true,
      guard,
    });
    return answer.kind === 'picked' ? answer.value : undefined;
  } finally {
    guard.dispose();
  }
}

function extensionRow(deps: JobDeps, row: JobRow, hours: number, endsAt: number): readonly Row<Extension>[] {
  const limits = extended(row, hours);
  if (!limits) {
    return [];
  }
  const now = deps.clock.now();
  const most = formatMoney(fromDollars(limits.costDollars));
  const scheduleAt = scheduleBefore(deps, row, endsAt);
  return [
    {
      id: String(hours),
      label: t('{0} More', localize(durationText(hours * 3_600_000))),
      description: t(
        'ends at {0} at the latest, costs {1} at most, without traffic',
        momentText(endsAt, now),
        most,
      ),
      ...(scheduleAt === undefined
        ? {}
        : {
            detail: t(
              'The scheduled end of the machine moves from {0} to {1}.',
              momentText(scheduleAt, now),
              momentText(endsAt + spareMs, now),
            ),
          }),
      value: { limits, endsAt },
      isGuarded: true,
    },
  ];
}

/** Returns when the machine is scheduled to end, if that is before the job ends and its outputs are fetched. */
function scheduleBefore({ schedules }: JobDeps, row: JobRow, endsAt: number): number | undefined {
  const { instanceId } = machineOf(row);
  const term = instanceId === undefined ? undefined : schedules.find(instanceId)?.schedule.term;
  return term?.kind === 'at' && term.at < endsAt + spareMs ? term.at : undefined;
}
