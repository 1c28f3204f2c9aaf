import type { JobRowTarget } from '../../commandSpecs';
import { confirm, type Question } from '../../editor/confirm';
import { t } from '../../editor/localize';
import { message } from '../../editor/message';
import { withCancellableProgress } from '../../editor/progress';
import type { Account } from '../../store/accounts/accounts';
import { accountFor } from '../../store/accounts/sameAccount';
import { inParallel } from '../../util/inParallel';
import { attemptIdsHere } from '../model/attemptIds';
import { isOver, lacksOutputs, machineOf, type JobRow } from '../model/job';
import type { JobDeps } from './deps';
import { chooseRow } from './jobCommands';

const none = () => t('Only a job that has ended can be forgotten.');

/** Deletes what is stored about a job, and its folder on a running machine. */
export async function forgetJob(deps: JobDeps, target: JobRowTarget | undefined): Promise<void> {
  const asked = accountFor(deps.accounts);
  const row = await chooseRow(deps, target, { title: t('Forget Which Job?'), none: none() }, isOver);
  if (row) {
    await forget(deps, asked, [row], {
      message: t('Forget “{0}”?', row.job.spec.name),
      detail: t('Its log is removed from this computer. The fetched outputs stay.'),
      button: t('Forget'),
    });
  }
}

/** The same for all jobs that have ended. */
export async function forgetFinishedJobs(deps: JobDeps): Promise<void> {
  const asked = accountFor(deps.accounts);
  const rows = deps.jobs.rows.filter(isOver);
  const [only] = rows;
  if (rows.length > 1) {
    await forget(deps, asked, rows, {
      message: t('Forget {0} finished jobs?', rows.length),
      detail: t('Their logs are removed from this computer. The fetched outputs stay.'),
      button: t('Forget All'),
    });
  } else if (only) {
    await forgetJob(deps, { jobId: only.job.id });
  } else {
    message('info', none());
  }
}

async function forget(
  deps: JobDeps,
  asked: () => Account,
  rows: readonly JobRow[],
  question: Question & { readonly detail: string },
): Promise<void> {
  const lost = rows.filter((row) => lacksOutputs(row) && instanceOf(deps, row) !== undefined);
  const [first] = lost;
  const loss =
    first === undefined
      ? []
      : lost.length === 1
        ? [
            t(
              'Some outputs of {0} may exist only on its machine. They can no longer be fetched.',
              first.job.spec.name,
            ),
          ]
        : [
            t(
              'Some outputs of {0} of these jobs may exist only on their machines. They can no longer be fetched.',
              lost.length,
            ),
          ];
  if (!(await confirm({ ...question, detail: [question.detail, ...loss].join('\n') }))) {
    return;
  }
  const account = asked();
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
