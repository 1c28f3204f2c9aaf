import { runCommand } from '../../editor/commands';
import { choose } from '../../editor/confirm';
import { localize, t } from '../../editor/localize';
import { isAtWork, machineEndOf, machineOf, type JobRow } from '../../model/jobs/job';
import { endsText, machineEndText } from '../../model/jobs/jobWords';
import { mayTryAgain } from '../../model/jobs/nextAttempt';
import { formatMoney } from '../../model/money';
import { perHour, runningRateOf, type Rate } from '../../model/quote';
import { accountFor } from '../../store/accounts/sameAccount';
import type { JobDeps } from './deps';

/**
 * Fetches the outputs of a job from its stopped machine: through the host, or by starting it at a price that the user
 * sees first. The job then continues by itself. A job that could run again after the interruption does so only if the
 * user chose that.
 */
export async function startToFetch(
  { accounts, fleet, jobs }: Pick<JobDeps, 'accounts' | 'fleet' | 'jobs'>,
  row: JobRow,
): Promise<boolean> {
  const { name, instanceId } = machineOf(row);
  const instance = instanceId === undefined ? undefined : fleet.find(instanceId);
  if (!instance || instance.intendedStatus !== 'stopped') {
    return instance !== undefined;
  }
  const { job, state } = row;
  const mayRunAgain = isAtWork(row) && mayTryAgain(job, state, 'interrupted');
  const asked = accountFor(accounts);
  const start = async () => {
    asked();
    return (await runCommand('gpuRental.instance.startNow', { instanceId: instance.id })) !== 'failed';
  };
  const mayGoOn = async () => {
    asked();
    return !mayRunAgain || (await jobs.stop(job.id));
  };
  const fetchOnly = async () => (await mayGoOn()) && start();
  const stopped = async () => (await mayGoOn()) && (await jobs.copyOutputs(job.id));
  const done = await choose(
    {
      message: t('{0} is stopped. How should the outputs of {1} be fetched?', name, job.spec.name),
      detail: [
        t(
          'Without a start, its host sends the files over SSH, and the host key is trusted on first contact. The traffic may cost money.',
        ),
        ...needsStart(job.spec.outputs),
        startCost(runningRateOf(instance)),
        t('If another user has its GPU, the start waits until it is free.'),
        ...(mayRunAgain ? [t('The file allows the job to run again there after this interruption.')] : []),
        t('After the fetch: {0}.', localize(afterwards(row))),
      ].join('\n'),
    },
    { label: t('Fetch Without Starting'), run: stopped },
    { label: t('Start and Fetch'), run: fetchOnly },
    mayRunAgain && { label: t('Start and Run Again'), run: start },
  );
  return done === true;
}

/** Returns the patterns that need a start: the host serves only the job's folder, not absolute paths. */
function needsStart(patterns: readonly string[]): readonly string[] {
  const absolute = patterns.filter((pattern) => pattern.startsWith('/'));
  return absolute.length === 0
    ? []
    : [t('Start it to fetch outputs with an absolute path: {0}', absolute.join(', '))];
}

function startCost(rate: Rate | undefined): string {
  return rate === undefined
    ? t('Once started, it costs money. The service does not state the price.')
    : t('Once started, it costs {0}/h.', formatMoney(perHour(rate)));
}

function afterwards(row: JobRow) {
  const { job, state } = row;
  return state.end || job.machineEnd ? machineEndText(machineEndOf(row)) : endsText(job.ends);
}
