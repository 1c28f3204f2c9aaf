import { runCommand } from '../../editor/commands';
import { choose } from '../../editor/confirm';
import { localize, t } from '../../editor/localize';
import { message } from '../../editor/message';
import { pricePerHour } from '../../editor/priceText';
import type { Instance } from '../../model/instances/instance';
import { intentOf } from '../../model/instances/instanceState';
import { formatMoney } from '../../model/money';
import { perHour, runningRateOf, type Rate } from '../../model/quote';
import { accountFor } from '../../store/accounts/sameAccount';
import { isAtWork, machineEndOf, machineOf, type JobRow, type MachineOfJob } from '../model/job';
import { endsText, machineEndText } from '../model/jobText';
import { mayTryAgain } from '../model/nextAttempt';
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
  const { instanceId } = machineOf(row);
  const instance = instanceId === undefined ? undefined : fleet.find(instanceId);
  if (!instance || intentOf(instance, fleet.facts(instance.id)) !== 'stopped') {
    return instance !== undefined;
  }
  const { job, state } = row;
  const { phase } = state;
  // A job that, as far as known, has not run needs no retries.
  const first = job.decidedAt.stop === undefined && (phase === 'waiting' || phase === 'starting') && phase;
  const mayRunAgain = first !== false || (isAtWork(row) && mayTryAgain(job, state, 'interrupted'));
  const asked = accountFor(accounts);
  const start = async () => {
    asked();
    return (await runCommand('gpuRental.instance.startNow', { instanceId: instance.id })) !== 'failed';
  };
  const mayGoOn = async () => {
    asked();
    return !mayRunAgain || (await jobs.stop(job.id));
  };
  const fetchOnly = async () => (await mayGoOn()) && (await jobs.startForOutputs(job.id)) && start();
  const stopped = async () => (await mayGoOn()) && (await jobs.copyOutputs(job.id));
  const done = await choose(
    howQuestion(row, instance, localize(afterwards(row)), mayRunAgain && runAgainText(first)),
    { label: t('Fetch Without Starting'), run: stopped },
    { label: t('Start and Fetch'), run: fetchOnly },
    mayRunAgain && {
      label: first ? t('Start and Run Job') : t('Start and Run Again'),
      run: start,
    },
  );
  return done === true;
}

/**
 * Fetches the outputs of a job that is over. A running machine is left as it is; a stopped one can be started, at a
 * price that the user sees first, and is then stopped again.
 */
export async function fetchAfterEnd(
  { accounts, fleet, jobs }: Pick<JobDeps, 'accounts' | 'fleet' | 'jobs'>,
  row: JobRow,
  machine: MachineOfJob,
): Promise<void> {
  const { job } = row;
  const asked = accountFor(accounts);
  // The price of a known one stays that of the job, whose cost counts by it.
  const unknownMachine = machineOf(row).instanceId === undefined ? { machine } : {};
  const reopen = async (how: Parameters<typeof jobs.reopen>[1] = {}) => {
    asked();
    const isNew = await jobs.reopen(job.id, { ...how, ...unknownMachine });
    if (!isNew) {
      message('info', t('{0} has already changed. The list shows its current state.', job.spec.name));
    }
    return isNew;
  };
  const instance = fleet.find(machine.instanceId);
  if (!instance || intentOf(instance, fleet.facts(instance.id)) !== 'stopped') {
    await reopen();
    return;
  }
  // The decision comes first, so that the machine is stopped again even if this window is killed right after the start.
  const start = async () => {
    const isWanted = await reopen({ isStarted: true });
    if (
      isWanted &&
      (await runCommand('gpuRental.instance.startNow', { instanceId: instance.id })) === 'failed'
    ) {
      await jobs.pauseFetch(job.id);
      return false;
    }
    return isWanted;
  };
  await choose(
    howQuestion(row, instance, localize(machineEndText('stop'))),
    { label: t('Fetch Without Starting'), run: () => reopen({ isCopied: true }) },
    { label: t('Start and Fetch'), run: start },
  );
}

function runAgainText(first: 'waiting' | 'starting' | false): string {
  switch (first) {
    case 'waiting':
      return t('The job was waiting there, and it can still run there in its turn.');
    case 'starting':
      return t('If the job has not started there, it can still run there.');
    case false:
      return t('The file allows the job to run again there after this interruption.');
  }
}

function howQuestion(row: JobRow, instance: Instance, after: string, runAgain: string | false = false) {
  const { spec } = row.job;
  return {
    message: t('{0} is stopped. How should the outputs of {1} be fetched?', machineOf(row).name, spec.name),
    detail: [
      t('Without a start, its host sends the files over SSH, and the host key is trusted on first contact.'),
      trafficCost(instance),
      ...needsStart(spec.outputs),
      startCost(runningRateOf(instance)),
      t('If another user has the GPU, the start waits until it is free.'),
      ...(runAgain === false ? [] : [runAgain]),
      t('After the fetch: {0}.', after),
    ].join('\n'),
  };
}

function trafficCost({ inetUpPerGb }: Instance): string {
  return inetUpPerGb === undefined
    ? t('The service does not state what the traffic costs.')
    : t('The traffic costs {0}/GB.', formatMoney(inetUpPerGb));
}

/** Returns the patterns that need a start: the host serves only the job's folder, not absolute paths. */
function needsStart(patterns: readonly string[]): readonly string[] {
  const absolute = patterns.filter((pattern) => pattern.startsWith('/'));
  return absolute.length === 0
    ? []
    : [t('Start it to fetch outputs with an absolute path: {0}', absolute.join(', '))];
}

function startCost(rate: Rate | undefined): string {
  return t('Cost once started: {0}.', pricePerHour(rate && perHour(rate)));
}

function afterwards(row: JobRow) {
  const { job, state } = row;
  return state.end || job.machineEnd ? machineEndText(machineEndOf(row)) : endsText(job.ends);
}
