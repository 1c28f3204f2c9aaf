import type { CommandId, JobRowTarget } from '../../commandSpecs';
import { commandAction, runCommand, titledAction } from '../../editor/commands';
import { choose, confirm, isPerson, type Question } from '../../editor/confirm';
import { localize, t } from '../../editor/localize';
import { message } from '../../editor/message';
import { pickOne } from '../../editor/quickPick';
import { showFolder } from '../../editor/showFolder';
import { momentText } from '../../editor/timeText';
import { labelOf, titleOf } from '../../editor/titles';
import { accountFor } from '../../store/accounts/sameAccount';
import { bytesText } from '../../util/bytes';
import { outputsFolder } from '../machine/outputPatterns';
import { attemptId } from '../model/attemptIds';
import { isFetchRepeatable } from '../model/fetchAgain';
import { askedFetch } from '../model/fetchSize';
import { isAtWork, isOver, isRetried, isStranded, machineOf, type JobRow } from '../model/job';
import type { MachineEnd } from '../model/jobSpec';
import { otherJobText } from '../model/jobText';
import { canReleaseMachine, isLeftStopped } from '../model/outOfReach';
import { isCopied } from '../store/jobTrouble';
import { remainingMachine } from '../store/remainingMachine';
import type { JobDeps } from './deps';
import { hasLogs } from './jobItems';
import { instanceAction } from './jobMessage';
import { sourceAgain } from './jobSource';
import { isTrusted, runSource } from './runJob';
import { fetchAfterEnd, startToFetch } from './startToFetch';

/** Returns the job of the command's target, or lets the user pick one. */
export async function chooseRow(
  { jobs, clock }: Pick<JobDeps, 'jobs' | 'clock'>,
  target: JobRowTarget | undefined,
  command: CommandId,
  fits: (row: JobRow) => boolean,
): Promise<JobRow | undefined> {
  const none = t('No job is in the right state for “{0}”.', titleOf(command));
  if (target) {
    const row = jobs.find(target.jobId);
    if (row && fits(row)) {
      return row;
    }
    message(
      'info',
      row ? t('{0} has already changed. The list shows its current state.', row.job.spec.name) : none,
    );
    return undefined;
  }
  const rows = jobs.rows.filter(fits).map((row) => ({
    label: row.job.spec.name,
    description: momentText(row.job.orderedAt, clock.now()),
    row,
  }));
  if (rows.length === 0) {
    message('info', none);
    return undefined;
  }
  return rows.length === 1
    ? rows[0]?.row
    : (await pickOne(rows, { title: titleOf(command), placeHolder: t('Which job?') }))?.row;
}

export async function stopJob(deps: JobDeps, target: JobRowTarget | undefined): Promise<void> {
  const asked = accountFor(deps.accounts);
  const row = await chooseRow(
    deps,
    target,
    'gpuRental.job.stop',
    (one) => isAtWork(one) && one.job.decidedAt.stop === undefined,
  );
  if (row?.job.serves) {
    await runCommand('gpuRental.model.stop', { jobId: row.job.id });
    return;
  }
  const question = row && {
    message: t('Stop {0}?', row.job.spec.name),
    detail: t('Its command ends. Its log and outputs are still fetched.'),
    button: titleOf('gpuRental.job.stop'),
  };
  if (row && question && (await confirm(question))) {
    asked();
    await deps.jobs.stop(row.job.id);
  }
}

export async function fetchJobOutputs(deps: JobDeps, target: JobRowTarget | undefined): Promise<void> {
  const asked = accountFor(deps.accounts);
  const fits = (one: JobRow) =>
    ['ended', 'fetching'].includes(one.state.phase) ||
    isStranded(one) ||
    isFetchRepeatable(one) ||
    askedFetch(one) !== undefined ||
    remainingMachine(deps, one) !== undefined;
  const row = await chooseRow(deps, target, 'gpuRental.job.fetchOutputs', fits);
  const large = row && askedFetch(row);
  if (large) {
    if (await confirm(largeQuestion(row, large))) {
      asked();
      await deps.jobs.allowFetch(row.job.id, large.bytes);
    }
    return;
  }
  const remaining = row && remainingMachine(deps, row);
  if (remaining) {
    await fetchAfterEnd(deps, row, remaining);
    return;
  }
  if (row && (!isStranded(row) || (await startToFetch(deps, row)))) {
    asked();
    await deps.jobs.retry(row.job.id);
  }
}

function largeQuestion(
  { job, state }: JobRow,
  { bytes, why }: NonNullable<ReturnType<typeof askedFetch>>,
): Question {
  return {
    message:
      state.phase === 'running'
        ? t('Fetch checkpoints of {0}?', job.spec.name)
        : t('Fetch the outputs of {0}?', job.spec.name),
    detail: localize(why),
    button: t('Fetch {0}', bytesText(bytes)),
  };
}

/** Tries at once what is retried after a pause that grows. */
export async function retryJob(deps: JobDeps, target: JobRowTarget | undefined): Promise<void> {
  const row = await chooseRow(deps, target, 'gpuRental.job.retry', isRetried);
  if (row) {
    await deps.jobs.retry(row.job.id);
  }
}

export async function openOutputs(deps: JobDeps, target: JobRowTarget | undefined): Promise<void> {
  const row = await chooseRow(
    deps,
    target,
    'gpuRental.job.openOutputs',
    ({ state }) => (state.outputs?.files ?? 0) > 0,
  );
  if (!row) {
    return;
  }
  const { id, outputsTo, spec } = row.job;
  if (!(await showFolder(outputsTo))) {
    const sentence = t('{0} isn’t there. The outputs of {1} were moved or deleted.', outputsTo, spec.name);
    const target = { jobId: id };
    message(
      'warning',
      sentence,
      (isFetchRepeatable(row) || remainingMachine(deps, row) !== undefined) &&
        titledAction('gpuRental.job.fetchOutputs', target),
      isOver(row)
        ? titledAction('gpuRental.job.rerun', target)
        : commandAction(labelOf('gpuRental.job.keepMachine'), 'gpuRental.job.keepNow', target),
      ...(isOver(row) && isListed(deps, row) ? instanceAction(row) : []),
    );
  }
}

/** Returns the folder of the outputs of a job on its machine, relative to the home folder unless it is absolute. */
export async function outputsOnMachine(
  deps: JobDeps,
  target: JobRowTarget,
): Promise<{ readonly instanceId: number; readonly folder: string } | undefined> {
  const row = await chooseRow(deps, target, 'gpuRental.openTensorBoard', hasLogs);
  const folder = row && outputsFolder(row.job.spec.outputs);
  const instanceId = row && (remainingMachine(deps, row) ?? machineOf(row)).instanceId;
  if (!row || folder === undefined || instanceId === undefined) {
    return undefined;
  }
  const own = `.gpu-rental/jobs/${attemptId(row.job, row.state)}/src`;
  return { instanceId, folder: folder.startsWith('/') ? folder : `${own}/${folder}` };
}

/** The machine of a job that is over may still hold what was fetched. */
function isListed({ fleet }: Pick<JobDeps, 'fleet'>, row: JobRow): boolean {
  const { instanceId } = machineOf(row);
  return instanceId !== undefined && fleet.find(instanceId) !== undefined;
}

/** Runs a finished job again. */
export async function rerun(deps: JobDeps, target: JobRowTarget | undefined): Promise<void> {
  const row = await chooseRow(deps, target, 'gpuRental.job.rerun', isOver);
  if (row?.job.serves) {
    await runCommand('gpuRental.model.serveAgain', { jobId: row.job.id });
    return;
  }
  if (row && isTrusted()) {
    await runSource(deps, await sourceAgain(row.job));
  }
}

/** Returns a job whose machine can still be kept, because its end is not decided yet. */
function chooseToKeep(deps: JobDeps, target: JobRowTarget | undefined): Promise<JobRow | undefined> {
  return chooseRow(deps, target, 'gpuRental.job.keepMachine', (one) => !isOver(one));
}

export async function keepMachine(deps: JobDeps, target: JobRowTarget | undefined): Promise<void> {
  const asked = accountFor(deps.accounts);
  const row = await chooseToKeep(deps, target);
  if (row && (await confirm(keepQuestion(row)))) {
    asked();
    await keep(deps, row);
  }
}

/** Keeps the machine without a question, for a caller that already showed what is about to end. */
export async function keepNow(deps: JobDeps, target: JobRowTarget): Promise<void> {
  const asked = accountFor(deps.accounts);
  const row = await chooseToKeep(deps, target);
  if (row && (await isPerson(keepQuestion(row)))) {
    asked();
    await keep(deps, row);
  }
}

function keepQuestion(row: JobRow): Question {
  return {
    message: t('Keep “{0}” after “{1}”?', machineOf(row).name, row.job.spec.name),
    detail: t('It costs money until you stop or destroy it.'),
    button: labelOf('gpuRental.job.keepMachine'),
  };
}

async function keep(deps: JobDeps, row: JobRow): Promise<void> {
  const { spec } = row.job;
  const machine = machineOf(row);
  const isInTime = await deps.jobs.endMachine(row.job.id, 'keep');
  message(
    'info',
    isInTime
      ? t('{0} will not be stopped or destroyed by {1}. It still costs money.', machine.name, spec.name)
      : t('{0} has already changed. The list shows its current state.', spec.name),
  );
}

export async function releaseMachine(deps: JobDeps, target: JobRowTarget | undefined): Promise<void> {
  const asked = accountFor(deps.accounts);
  const row = await chooseRow(deps, target, 'gpuRental.job.releaseMachine', canReleaseMachine);
  if (!row) {
    return;
  }
  const machine = machineOf(row);
  const others = (row.state.others ?? []).map((one) => `⚠ ${localize(otherJobText(one))}`);
  const isLeft = isLeftStopped(row) || isCopied(deps, row);
  const end = (how: MachineEnd) => () => {
    asked();
    return deps.jobs.endMachine(row.job.id, how);
  };
  await choose(
    {
      message: t('What should happen to “{0}”?', machine.name),
      detail: [...others, ...uncheckedSentence(row), lossSentence(row, isLeft)].join('\n'),
    },
    { label: isLeft ? t('Leave Stopped') : titleOf('gpuRental.instance.stop'), run: end('stop') },
    { label: titleOf('gpuRental.instance.destroy'), run: end('destroy') },
  );
}

/** Explains why it is not released yet, such as jobs of other computers that could not be checked. */
function uncheckedSentence({ state: { trouble } }: JobRow): readonly string[] {
  return trouble?.kind === 'release' && trouble.why ? [`⚠ ${localize(trouble.why)}`] : [];
}

/** Returns what is lost with the machine. */
function lossSentence(row: JobRow, isLeft: boolean): string {
  const { name } = row.job.spec;
  if (isLeft && row.state.startedAt === undefined) {
    return t(
      'It is stopped, and it is unknown whether {0} started there. If you destroy it, all data on it is lost.',
      name,
    );
  }
  if (isLeft) {
    return t(
      'It is stopped, so the outputs of {0} can’t be fetched first. If you leave it stopped, you can fetch them later. If you destroy it, all data on it is lost, including these outputs.',
      name,
    );
  }
  if (isAtWork(row)) {
    return t(
      'It does not answer, so {0} may still run there. If you destroy it, all data on it is lost, including the outputs of {0}.',
      name,
    );
  }
  if (row.state.trouble?.kind === 'fetchPaused' || row.state.trouble?.kind === 'largeOutputs') {
    return t(
      'The fetch of the outputs of {0} is paused. If you stop the machine, you can fetch them later. If you destroy it, all data on it is lost, including outputs that were not fetched.',
      name,
    );
  }
  return row.state.fetchedAt !== undefined && row.state.outputs?.leftOut === 0
    ? t('The outputs of {0} are on this computer. If you destroy it, all other data on it is lost.', name)
    : t(
        'Some outputs of {0} may exist only on this machine. If you destroy it, they are fetched first if possible, and all other data is lost.',
        name,
      );
}
