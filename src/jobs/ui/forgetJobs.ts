import type { JobRowTarget } from '../../commandSpecs';
import { allRows } from '../../editor/commands';
import { confirm } from '../../editor/confirm';
import { t } from '../../editor/localize';
import { message } from '../../editor/message';
import { withCancellableProgress } from '../../editor/progress';
import { titleOf } from '../../editor/titles';
import type { Account } from '../../store/accounts/accounts';
import { accountFor } from '../../store/accounts/sameAccount';
import { inParallel } from '../../util/inParallel';
import { attemptIdsHere } from '../model/attemptIds';
import { isOver, lacksOutputs, machineOf, type JobRow } from '../model/job';
import type { JobDeps } from './deps';

/**
 * Deletes what is stored about the jobs of these rows, or about all that have ended, and their folders on running
 * machines.
 */
export async function forgetJobs(
  deps: JobDeps,
  target: JobRowTarget | undefined,
  selected: readonly JobRowTarget[] | undefined,
): Promise<void> {
  const asked = accountFor(deps.accounts);
  const ids = new Set(allRows(target, selected).map(({ jobId }) => jobId));
  const given = ids.size === 0 ? deps.jobs.rows : [...ids].flatMap((id) => deps.jobs.find(id) ?? []);
  const rows = given.filter(isOver);
  const [only] = rows;
  if (!only) {
    message('info', t('No job is in the right state for “{0}”.', titleOf('gpuRental.job.forget')));
    return;
  }
  const names = rows
    .filter((row) => lacksOutputs(row) && instanceOf(deps, row) !== undefined)
    .map(({ job }) => job.spec.name);
  const detail = [
    t('Logs are removed from this computer. The fetched outputs stay.'),
    ...(names.length === 0
      ? []
      : [
          t(
            'Outputs on machines can no longer be fetched. Some may exist only there: {0}.',
            names.join(', '),
          ),
        ]),
  ];
  const question = {
    message:
      rows.length === 1
        ? t('Forget “{0}”?', only.job.spec.name)
        : t('Forget {0} finished jobs?', rows.length),
    detail: detail.join('\n'),
    button: t('Forget'),
  };
  if (await confirm(question)) {
    await forget(deps, asked(), rows);
  }
}

async function forget(deps: JobDeps, account: Account, rows: readonly JobRow[]): Promise<void> {
  // A job whose outputs were requested since is at work again.
  const ended = rows.filter(({ job }) => isOverNow(deps, job.id));
  for (const { job } of ended) {
    await deps.jobs.forget(job.id);
  }
  await withCancellableProgress(t('Removing their folders from the machines…'), async (stop) => {
    const signal = AbortSignal.any([stop, AbortSignal.timeout(removeMs)]);
    await inParallel(ended, atOnce, (row) => removeFolders(deps, account, row, signal));
  });
}

function isOverNow({ jobs }: JobDeps, jobId: string): boolean {
  const row = jobs.find(jobId);
  return row !== undefined && isOver(row);
}

const atOnce = 4;
/** For all of them: a machine that does not answer ends the removal (ms). */
const removeMs = 60_000;

/** A remaining folder of an attempt would look like a job of another computer. Never rejects. */
async function removeFolders(
  deps: JobDeps,
  account: Account,
  row: JobRow,
  signal: AbortSignal,
): Promise<void> {
  const instance = instanceOf(deps, row);
  if (instance?.actualStatus !== 'running') {
    return;
  }
  const machine = deps.jobMachine(account, instance.id);
  try {
    await Promise.all(attemptIdsHere(row.job, row.state).map((id) => machine.remove(id, signal)));
  } catch (error) {
    deps.log.warn(`A folder of job ${row.job.id} stays on its machine: ${String(error)}`);
  }
}

function instanceOf({ fleet }: JobDeps, row: JobRow) {
  const { instanceId } = machineOf(row);
  return instanceId === undefined ? undefined : fleet.find(instanceId);
}
