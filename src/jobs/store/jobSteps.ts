import { join } from 'node:path';
import type { Account } from '../../store/accounts/accounts';
import { isCancelled, UserError } from '../../util/errors';
import { localProblem } from '../../util/localProblem';
import { text } from '../../util/text';
import { attemptId } from '../model/attemptIds';
import { isFetchAsked, isFetchPaused } from '../model/fetchAgain';
import { isBeforeStart, isOver, isRenting, type JobPhase, type JobRow, machineOf } from '../model/job';
import { orderedExtension } from '../model/jobExtension';
import { hardLimit, limitInputs, startableMs } from '../model/jobLimits';
import type { JobMachine, StoppedMachine } from '../model/jobMachine';
import { JobMachineError, UnfitMachineError } from '../model/jobMachineError';
import { jobOrder } from '../model/jobOrder';
import { costLimitReached, jobFolderGone } from '../model/jobText';
import type { JobCheck, JobOrder } from '../model/onMachine';
import { isGivenUp } from '../model/outOfReach';
import { bringOutputs, checkAgain, noOutputs, withoutFolder } from './bringOutputs';
import { bringCheckpoint, type CheckpointFetches, sendCheckpoint } from './checkpoints';
import { endMachineOf } from './endOfMachine';
import { followRental } from './jobRental';
import type { JobStepDeps, Step } from './jobStep';
import { isCopied, isEndedUnasked, isStopped, jobTroubleOf } from './jobTrouble';
import { armGuard, armGuardAgain, dearerMachine, extendTime, shortenTime } from './machineLimits';
import { goOnElsewhere, rentAgain } from './nextMachine';
import { acceptedBefore, areOthersDue, isTurnOfAnother, otherJobs, seeOthers } from './otherJobs';
import { trafficOf } from './traffic';

/** How often to check a job whose log is visible, and otherwise (ms). */
const watchedMs = 3_000;
const unwatchedMs = 30_000;
/** A decision of the user ends this wait earlier (ms). */
const pausedMs = 3_600_000;
/** How long the fetch of a job that was over waits for the user's decision (ms). */
const unansweredMs = 30 * 60_000;
/** The most bytes of the log that one check reads: each is a login, while the machine of a long log costs money. */
const pieceBytes = 4_000_000;

/** Phases in which nothing can be done while the machine is stopped. */
const overSsh: readonly JobPhase[] = [
  'connecting',
  'syncing',
  'starting',
  'waiting',
  'settingUp',
  'running',
  'ended',
  'fetching',
];

/** Takes the next step of a job. After a crash, another window can repeat each step. */
export async function runJobStep(
  deps: JobStepDeps,
  account: Account,
  row: JobRow,
  signal: AbortSignal,
  checkpoints: CheckpointFetches,
): Promise<Step> {
  if (isOver(row)) {
    return { event: { kind: 'reopened' } };
  }
  try {
    if (row.state.phase !== 'running') {
      // Its machine costs money until the outputs are here.
      await checkpoints.end(row.job.id);
    }
    const { instanceId } = machineOf(row);
    if (instanceId !== undefined && !isRenting(row.state.phase)) {
      const step = await goOnElsewhere(deps, row, signal);
      if (step) {
        return step;
      }
      if (deps.fleet.hasEnded(instanceId)) {
        return { event: { kind: 'machineGone' } };
      }
    }
    const dearer = dearerMachine(deps, row);
    return dearer ? { event: dearer } : await new Steps(deps, account, row, signal, checkpoints).run();
  } catch (error) {
    if (signal.aborted || isCancelled(error)) {
      throw error;
    }
    deps.log.warn(`A step of job ${row.job.id} failed while ${row.state.phase}: ${String(error)}`);
    const local = localProblem(error);
    // Only after this last try: a machine that answers is released once its outputs are here.
    if (!local && isEndedUnasked(deps, row)) {
      return { event: { kind: 'givenUp' } };
    }
    if (error instanceof UnfitMachineError && isBeforeStart(row.state.phase)) {
      return { event: { kind: 'notStarted', why: error.text } };
    }
    const why = local ?? (error instanceof UserError ? error.text : undefined);
    const trouble = jobTroubleOf(deps, row);
    // A machine that answers, or could not be asked because of this computer, is not out of sight.
    const inSight = local ? 'notSaved' : error instanceof JobMachineError ? 'machineFails' : trouble;
    return { event: { kind: 'failed', trouble: trouble === 'unreachable' ? inSight : trouble, why } };
  }
}

class Steps {
  private readonly id: string;

  constructor(
    private readonly deps: JobStepDeps,
    private readonly account: Account,
    private readonly row: JobRow,
    private readonly signal: AbortSignal,
    private readonly checkpoints: CheckpointFetches,
  ) {
    this.id = attemptId(row.job, row.state);
  }

  /** The machine is known in all phases that need it. */
  private get instanceId(): number {
    const { instanceId } = machineOf(this.row);
    if (instanceId === undefined) {
      throw new Error('The machine of a job is not known yet');
    }
    return instanceId;
  }

  private get place() {
    return { account: this.account, instanceId: this.instanceId };
  }

  private get machine(): JobMachine {
    return this.deps.machine(this.account, this.instanceId);
  }

  /** Returns where files come from: the machine itself, or its host while it is stopped. */
  private get source(): StoppedMachine {
    const { deps, account, row } = this;
    return isCopied(deps, row) ? deps.stoppedMachine(account, this.instanceId, row.job) : this.machine;
  }

  /** The order without secrets: only the start needs them. */
  private get order(): JobOrder {
    return jobOrder(this.row, this.deps.clock.now());
  }

  run(): Promise<Step> | Step {
    const { job, state } = this.row;
    const { phase } = state;
    // First finds out whether a machine was rented, or the order to start was accepted.
    if (
      job.decidedAt.stop !== undefined &&
      isBeforeStart(phase) &&
      !isRenting(phase) &&
      phase !== 'starting'
    ) {
      return { event: { kind: 'notStarted' } };
    }
    if (overSsh.includes(phase) && isStopped(this.deps, this.row) && !isCopied(this.deps, this.row)) {
      return isGivenUp(this.row)
        ? { event: { kind: 'givenUp' } }
        : { event: { kind: 'failed', trouble: 'machineStopped' } };
    }
    if (isFetchAsked(this.row)) {
      return { event: { kind: 'fetchedAgain' } };
    }
    switch (phase) {
      case 'queued':
        return isTurnOfAnother(this.deps.jobs, this.row)
          ? { waitMs: watchedMs }
          : { event: { kind: 'begun' } };
      case 'renting':
      case 'gettingReady':
        return this.rented();
      case 'connecting':
        return this.connect();
      case 'syncing':
        return this.sync();
      case 'starting':
        return this.start();
      case 'waiting':
      case 'settingUp':
      case 'running':
        return this.follow();
      case 'ended':
        return this.readLog();
      case 'fetching':
        return this.fetch();
      case 'fetched':
        return { event: { kind: 'decided' }, waitMs: unwatchedMs };
      case 'keeping':
        return this.keep();
      case 'releasing':
        return endMachineOf(this.deps, this.account, this.row, this.signal);
      case 'over':
        return {};
    }
  }

  private async rented(): Promise<Step> {
    return (await rentAgain(this.deps, this.row, this.signal)) ?? followRental(this.deps, this.row);
  }

  private async connect(): Promise<Step> {
    // Jobs that a machine was rented for arrive here together.
    if (isTurnOfAnother(this.deps.jobs, this.row)) {
      return { waitMs: watchedMs };
    }
    const guardedUntil = this.row.job.rental
      ? await armGuard(this.deps, this.place, this.row, this.signal)
      : undefined;
    await this.machine.begin(this.order, this.signal);
    return { event: { kind: 'connected', guardedUntil, others: await this.others() } };
  }

  private async sync(): Promise<Step> {
    if (isTurnOfAnother(this.deps.jobs, this.row)) {
      return { waitMs: watchedMs };
    }
    const check = await this.check();
    if (check.phase !== 'none') {
      return this.seen(check);
    }
    return sendFiles(this.deps, this.machine, this.row, this.order, this.signal);
  }

  /** The folder on the machine settles a lost answer; the order is never sent twice. */
  private async start(): Promise<Step> {
    const { job } = this.row;
    const check = await this.check();
    if (check.phase !== 'synced') {
      return check.phase === 'none'
        ? { event: { kind: 'notStarted', why: jobFolderGone } }
        : this.seen(check);
    }
    if (job.decidedAt.stop !== undefined) {
      return { event: { kind: 'notStarted' } };
    }
    const limit = hardLimit(...limitInputs(this.row, this.deps.clock.now()));
    if (!limit) {
      return { event: { kind: 'notStarted', why: costLimitReached } };
    }
    const { secrets: names } = job.spec;
    const secrets = names.length === 0 ? {} : await this.deps.secrets(this.account.key, job);
    const missing = names.find((name) => !Object.hasOwn(secrets, name));
    if (missing !== undefined) {
      const why = text('The secret {0} is not in the secret store. Run the job again to enter it.', missing);
      return { event: { kind: 'notStarted', why } };
    }
    const after = acceptedBefore(this.deps.jobs, this.row);
    const others = (await this.others()).filter((one) => one.isAtWork);
    const ids = [...after.map((one) => attemptId(one.job, one.state)), ...others.map(({ id }) => id)];
    await this.machine.start({ ...this.order, secrets, after: ids }, this.signal);
    const { runSeconds } = limit;
    return { event: { kind: 'started', isWaiting: ids.length > 0, limitSeconds: runSeconds } };
  }

  private async follow(): Promise<Step> {
    const { job, state } = this.row;
    if (isCopied(this.deps, this.row)) {
      // The machine accepts no more orders, and shows how the job ended.
      return this.seen(await this.check());
    }
    if (job.decidedAt.stop !== undefined && state.cancelSentAt === undefined) {
      await this.machine.cancel(this.id, this.signal);
      return { event: { kind: 'cancelSent' } };
    }
    const extendedAt = orderedExtension(this.row);
    if (extendedAt !== undefined) {
      return { event: await extendTime(this.machine, this.row, this.id, extendedAt, this.signal) };
    }
    const shortened = await shortenTime(this.machine, this.row, this.id, this.signal);
    if (shortened) {
      return { event: shortened };
    }
    const brought = this.checkpoints.next(this.row, this.deps.clock.now(), (aborted) =>
      bringCheckpoint(this.deps, this.machine, this.row, this.id, aborted),
    );
    if (brought) {
      return { event: brought };
    }
    if (areOthersDue(this.row, this.deps.clock.now())) {
      const guardedUntil = await armGuardAgain(this.deps, this.place, this.row, this.signal);
      const others = await seeOthers(this.deps, this.machine, this.row, this.signal);
      return { event: { kind: 'othersSeen', others, guardedUntil } };
    }
    const check = await this.check();
    const missing = withoutFolder(this.row, check);
    if (missing) {
      return { event: missing };
    }
    const waitMs =
      this.deps.jobs.isWatched(job.id) || job.decidedAt.stop !== undefined ? watchedMs : unwatchedMs;
    const step = await this.seen(check);
    return check.log.piece.length < pieceBytes && !check.end ? { ...step, waitMs } : step;
  }

  private async readLog(): Promise<Step> {
    const check = await this.check();
    return check.log.piece.length === 0 ? { event: { kind: 'logRead' } } : this.seen(check);
  }

  private async fetch(): Promise<Step> {
    const { job, state } = this.row;
    if (isFetchPaused(job)) {
      if (state.reopened) {
        return { event: { kind: 'notFetched' } };
      }
      if (isGivenUp(this.row)) {
        return { event: { kind: 'givenUp' } };
      }
      const event = { kind: 'failed', trouble: 'fetchPaused' } as const;
      return state.trouble?.kind === 'fetchPaused' ? { waitMs: pausedMs } : { event, waitMs: pausedMs };
    }
    if (state.trouble?.kind === 'largeOutputs') {
      if (isGivenUp(this.row)) {
        return { event: { kind: 'givenUp' } };
      }
      // A machine that was left, or started for this, does not wait without end.
      if (state.reopened && this.deps.clock.now() - state.trouble.since >= unansweredMs) {
        return { event: { kind: 'notFetched', why: state.trouble.why } };
      }
    }
    if (state.end?.why === 'gone') {
      return { event: { kind: 'fetched', outputs: noOutputs } };
    }
    if (state.reopened) {
      const event = await checkAgain(this.source, this.row, this.signal);
      if (event) {
        return { event, waitMs: event.kind === 'looked' ? unwatchedMs : 0 };
      }
    }
    const check = await this.check(0);
    // A runner that was killed made no list, so it is made now.
    if (!check.hasOutputsList && check.pidAlive) {
      return { event: { kind: 'looked', check }, waitMs: watchedMs };
    }
    const event = await bringOutputs(this.deps, this.source, this.row, this.id, this.signal);
    const isAsked = event.kind === 'failed';
    return isAsked ? { event, waitMs: state.reopened ? unansweredMs : pausedMs } : { event };
  }

  private keep(): Step {
    const remainingMs = (this.row.state.keepUntil ?? 0) - this.deps.clock.now();
    return remainingMs <= 0
      ? { event: { kind: 'keepOver' } }
      : { event: { kind: 'decided' }, waitMs: Math.min(remainingMs, unwatchedMs) };
  }

  private others() {
    return otherJobs(this.deps.jobs, this.machine, this.signal);
  }

  private check(bytes = pieceBytes): Promise<JobCheck> {
    return this.source.check(this.id, this.row.state.logOffset, bytes, this.signal);
  }

  /** Stores the piece of the log before its offset. */
  private async seen(check: JobCheck): Promise<Step> {
    const { job, state } = this.row;
    if (check.log.piece.length > 0) {
      await this.deps.jobs.writeLog(job.id, state.logSize, check.log.piece);
    }
    return { event: { kind: 'looked', check } };
  }
}

/** The longest timer that this runtime keeps is a little longer (ms). */
const longestMs = 2_000_000_000;

/**
 * Sends the files of a job. As long as they arrive, its machine does not stop by itself, so the sending ends once the
 * dollars of the job no longer pay for a start.
 */
async function sendFiles(
  deps: JobStepDeps,
  machine: JobMachine,
  row: JobRow,
  order: JobOrder,
  signal: AbortSignal,
): Promise<Step> {
  const { clock, jobs } = deps;
  const { job } = row;
  const over = new AbortController();
  const remainingMs = () => startableMs(row, clock.now());
  const timer = clock.schedule(() => over.abort(), Math.min(remainingMs(), longestMs));
  const inTime = AbortSignal.any([signal, over.signal]);
  try {
    const root = {
      path: join(job.workspace, ...job.spec.workdir.split('/')),
      root: { opened: job.workspace },
    };
    const tree = job.spec.sync && { root, names: await jobs.names(job.id) };
    const traffic = trafficOf(deps, row, 'sending');
    await sendCheckpoint(deps, machine, row, inTime, traffic);
    await jobs.moves.report(job.id, 'sending', (onProgress) =>
      machine.sync(order, tree, { signal: inTime, onProgress: traffic.noting(onProgress) }),
    );
    return { event: { kind: 'synced', traffic: traffic.cost } };
  } catch (error) {
    if (!signal.aborted && remainingMs() === 0) {
      return { event: { kind: 'notStarted', why: costLimitReached } };
    }
    throw error;
  } finally {
    timer.dispose();
  }
}
