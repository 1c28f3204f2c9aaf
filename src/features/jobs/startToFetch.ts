import { runCommand } from '../../editor/commands';
import { confirm } from '../../editor/confirm';
import { localize, t } from '../../editor/localize';
import { machineEndOf, machineOf, type JobRow } from '../../model/jobs/job';
import { endsText, machineEndText } from '../../model/jobs/jobWords';
import { formatMoney } from '../../model/money';
import { perHour, runningRateOf, type Rate } from '../../model/quote';
import type { JobDeps } from './deps';

/** Starts the machine that holds the outputs of a job, at a price that the user sees first. The job then goes on by itself. */
export async function startToFetch({ fleet }: Pick<JobDeps, 'fleet'>, row: JobRow): Promise<boolean> {
  const { name, instanceId } = machineOf(row);
  const instance = instanceId === undefined ? undefined : fleet.find(instanceId);
  if (!instance || instance.intendedStatus !== 'stopped') {
    return instance !== undefined;
  }
  const isWanted = await confirm({
    message: t('{0} is stopped. Start it to fetch the outputs of {1}?', name, row.job.spec.name),
    detail: [
      startCost(runningRateOf(instance)),
      t('If another user has its GPU, the start waits until it is free.'),
      t('After the fetch: {0}.', localize(afterwards(row))),
    ].join('\n'),
    button: t('Start and Fetch'),
  });
  return (
    isWanted && (await runCommand('gpuRental.instance.startNow', { instanceId: instance.id })) !== 'failed'
  );
}

function startCost(rate: Rate | undefined): string {
  return rate === undefined
    ? t('From then on it costs a price that the service does not state.')
    : t('From then on it costs {0}/h.', formatMoney(perHour(rate)));
}

function afterwards(row: JobRow) {
  const { job, state } = row;
  return state.end || job.machineEnd ? machineEndText(machineEndOf(row)) : endsText(job.ends);
}
