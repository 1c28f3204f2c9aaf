import { randomBytes } from 'node:crypto';
import type { Accounts } from '../../store/accounts/accounts';
import { DiskList } from '../../store/disk/diskList';
import type { WindowHub } from '../../store/windows/windowHub';
import type { Clock } from '../../util/clock';
import { DisposableStore, type Disposable } from '../../util/disposable';
import { UserError } from '../../util/errors';
import type { Log } from '../../util/log';
import { text } from '../../util/text';
import {
  type Decisions,
  isOver,
  type Job,
  type JobRow,
  type JobState,
  machineOf,
  newJobState,
  type Reopen,
} from '../model/job';
import { withLimits } from '../model/jobExtension';
import type { JobSpec, MachineEnd } from '../model/jobSpec';
import { isLostHere } from '../model/lostProgress';
import { isJobOpen, mayReopen } from '../model/reopenedJob';
import type { JobStorage } from './jobFiles';
import type { LogPiece } from './jobLogFiles';
import { JobMoves, WatchedLogs } from './sharedJobs';

export interface JobsDeps {
  readonly accounts: Pick<Accounts, 'active' | 'onDidChange'>;
  readonly hub: WindowHub;
  readonly clock: Clock;
  readonly log: Log;
  /** Returns the storage of an account. */
  readonly storage: (accountKey: string) => JobStorage;
}

/** The jobs of the active account, on disk and the same in all windows. */
export class Jobs implements Disposable {
  private readonly owned = new DisposableStore();
  private readonly list: DiskList<JobRow, JobStorage>;
  private lastOrderAt = -Infinity;
  /** Files that are named like jobs but are none, so that they are read only once. */
  private readonly unreadable = new Set<string>();
  /** States that the disk of this computer refused, by the id of their job. */
  private readonly unsaved = new Map<string, JobState>();
  private readonly watched: WatchedLogs;

  /** Transfers that are under way. */
  readonly moves: JobMoves;
  constructor(private readonly deps: JobsDeps) {
    this.moves = this.owned.add(new JobMoves(deps.hub, deps.clock));
    this.watched = this.owned.add(new WatchedLogs(deps.hub));
    this.list = this.owned.add(
      new DiskList<JobRow, JobStorage>({
        ...deps,
        topic: 'jobs.changed',
        open: deps.storage,
        unreadable: 'The jobs could not be read',
      }),
    );
    this.owned.add(deps.hub.onDidChangeLeader(() => this.unsaved.clear()));
  }

  get onDidChange() {
    return this.list.onDidChange;
  }

  /** Jobs, newest first. Each stays until the user forgets it, because its log and variables stay on the disk. */
  get rows(): readonly JobRow[] {
    const { rows } = this.list;
    return this.unsaved.size === 0
      ? rows
      : rows.map(({ job, state }) => ({ job, state: this.unsaved.get(job.id) ?? state }));
  }

  /** The error of the last read from disk, of all jobs or of some; rows that were read before are kept. */
  get error(): unknown {
    return this.list.anyError;
  }

  /** The paths of damaged files, each of which held a job. */
  get damaged(): readonly string[] {
    return this.list.damaged;
  }

  /** Fires when a log is first shown in any window, or no longer in any. */
  get onDidChangeWatched() {
    return this.watched.onDidChange;
  }

  /** Settles once the rows belong to the active account. */
  get ready(): Promise<void> {
    return this.list.ready;
  }

  find(jobId: string): JobRow | undefined {
    return this.rows.find(({ job }) => job.id === jobId);
  }

  /** Jobs that are not over, or that the user asked for their outputs since. */
  get open(): readonly JobRow[] {
    return this.rows.filter(isJobOpen);
  }

  ofInstance(instanceId: number): readonly JobRow[] {
    return this.open.filter((row) => machineOf(row).instanceId === instanceId);
  }

  /** Jobs that would lose something with the instance: open ones, and those whose progress is lost. */
  atRiskOn(instanceId: number): readonly JobRow[] {
    return this.rows.filter(
      (row) => (!isOver(row) || isLostHere(row)) && machineOf(row).instanceId === instanceId,
    );
  }

  /**
   * For the leading window: finds jobs that a window ordered without announcing them, because it was killed right
   * after.
   */
  async findUnannounced(): Promise<void> {
    const { files } = this.list;
    const ids = (await files?.ids().catch(() => undefined)) ?? [];
    const isNew = (id: string) => !this.find(id) && !this.unreadable.has(id);
    if (!ids.some(isNew)) {
      return;
    }
    await this.list.publishChange(files);
    if (this.error === undefined) {
      ids.filter(isNew).forEach((id) => this.unreadable.add(id));
    }
  }

  /** Orders a job. It is on disk when this resolves, and the leading window runs it. */
  async order(job: Omit<Job, 'id' | 'orderedAt' | 'decidedAt'>, names: readonly string[]): Promise<Job> {
    const files = this.files();
    const ordered = {
      ...job,
      id: randomBytes(8).toString('hex'),
      orderedAt: this.nextTurn(),
      decidedAt: {},
    };
    await files.putNames(ordered.id, names);
    // First, so that a missing state is never taken for that of a new job.
    await files.putState(newJobState(ordered));
    await files.put(ordered);
    await this.list.publishChange(files);
    return ordered;
  }

  /**
   * Records which rental a job gets, after this window sent rentals for several jobs. On a
   * machine other than its own, the job runs after those that were meant for that machine.
   */
  rentedBy(jobId: string, marker: string): Promise<boolean> {
    return this.record(jobId, (job) =>
      job.rental?.isGivenUp === true
        ? undefined
        : {
            ...job,
            ...(job.rental?.marker === marker ? {} : { orderedAt: this.nextTurn() }),
            rental: { marker },
          },
    );
  }

  /**
   * For the leading window: records that nothing is rented for the job any more. It is no progress, which a window that
   * hung could replace by the one that it read before.
   */
  giveUpRental(jobId: string): Promise<boolean> {
    return this.record(jobId, (job) => job.rental && { ...job, rental: { ...job.rental, isGivenUp: true } });
  }

  /** Returns true while a machine may be rented for the job, by the state on disk. */
  async awaitsRental(jobId: string): Promise<boolean> {
    const row = await this.reread(jobId);
    return (
      row !== undefined &&
      !isOver(row) &&
      row.job.decidedAt.stop === undefined &&
      row.job.rental?.isGivenUp !== true &&
      row.state.unrentedSince === undefined
    );
  }

  /** Records the user's decision to end the job early. */
  stop(jobId: string): Promise<boolean> {
    return this.record(jobId, (job, at) => decided(job, { stop: job.decidedAt.stop ?? at }));
  }

  /** Records higher limits for the job; the leading window passes them to the machine. */
  extend(jobId: string, limits: Pick<JobSpec, 'hours' | 'costDollars'>): Promise<boolean> {
    return this.record(jobId, (job, at) => withLimits(job, limits, at));
  }

  /** Records the user's decision to retry a failure at once. */
  retry(jobId: string): Promise<boolean> {
    return this.record(jobId, (job, at) => decided(job, { retry: at }));
  }

  /**
   * Records the user's decision to fetch the outputs of a job that is over. Earlier decisions about its
   * machine no longer count. Returns false if the job can't be fetched any more, or was asked already.
   */
  async reopen(
    jobId: string,
    { isCopied = false, ...how }: Pick<Reopen, 'isStarted' | 'machine'> & { readonly isCopied?: boolean },
  ): Promise<boolean> {
    const files = this.files();
    const row = await files.read(jobId);
    if (!row || !mayReopen(row)) {
      return false;
    }
    const at = this.nextDecisionAt(row.job);
    const reopen = { ...how, at, since: row.state.since };
    await files.put({
      ...decided(row.job, { retry: at, copy: isCopied ? at : undefined, start: undefined }),
      reopen,
      machineEnd: undefined,
    });
    await this.list.publishChange(files);
    return true;
  }

  /** Records that the user agreed to fetch this many bytes at once. */
  allowFetch(jobId: string, bytes: number): Promise<boolean> {
    return this.record(jobId, (job, at) => ({
      ...decided(job, { retry: at }),
      fetchBytes: Math.max(bytes, job.fetchBytes ?? 0),
    }));
  }

  /** Records the user's decision to fetch from the stopped machine. */
  copyOutputs(jobId: string): Promise<boolean> {
    return this.record(jobId, (job, at) => decided(job, { copy: at }));
  }

  /** Records the user's decision to start the stopped machine and fetch. */
  startForOutputs(jobId: string): Promise<boolean> {
    return this.record(jobId, (job, at) => decided(job, { start: at }));
  }

  /** Records that fetching pauses until *Fetch Outputs*; the machine is kept until then. */
  pauseFetch(jobId: string): Promise<boolean> {
    return this.record(jobId, (job, at) => decided(job, { pauseFetch: at }));
  }

  /** Records the user's decision about the machine, which overrides what was confirmed before. */
  endMachine(jobId: string, machineEnd: MachineEnd): Promise<boolean> {
    return this.record(jobId, (job, at) => ({ ...decided(job, { endMachine: at }), machineEnd }));
  }

  /** Deletes what is stored about a job, including its log; the outputs stay. */
  async forget(jobId: string): Promise<void> {
    const files = this.files();
    await files.remove(jobId);
    await this.list.publishChange(files);
  }

  log(jobId: string, from?: number): Promise<LogPiece> {
    return this.files().readLog(jobId, from);
  }

  /** Returns the path of the whole log on this computer; `undefined` if its beginning was removed. */
  logPath(jobId: string): Promise<string | undefined> {
    return this.files().logPath(jobId);
  }

  /** Announces which logs a part of this window shows now. */
  watch(part: object, jobIds: readonly string[]): void {
    this.watched.watch(part, jobIds);
  }

  isWatched(jobId: string): boolean {
    return this.watched.isWatched(jobId);
  }

  /** For the leading window: reads the job from disk, including the user's last decision. */
  async reread(jobId: string): Promise<JobRow | undefined> {
    return this.list.files?.read(jobId);
  }

  /** For the leading window: stores progress; a forgotten job leaves nothing behind. */
  async putState(state: JobState): Promise<void> {
    const { files } = this.list;
    if (await files?.read(state.jobId)) {
      await files?.putState(state);
      this.unsaved.delete(state.jobId);
      await this.list.publishChange(files);
    }
  }

  /** For the leading window: shows a state that the disk refused, until one is stored or is right as it is there. */
  showUnsaved(state: JobState): void {
    this.unsaved.set(state.jobId, state);
    void this.list.publishChange(this.list.files);
  }

  /** For the leading window: shows the state that is on disk. */
  showSaved(jobId: string): void {
    if (this.unsaved.delete(jobId)) {
      void this.list.publishChange(this.list.files);
    }
  }

  /** For the leading window. */
  async writeLog(jobId: string, at: number, piece: Buffer): Promise<void> {
    await this.list.files?.writeLog(jobId, at, piece);
  }

  names(jobId: string): Promise<readonly string[]> {
    return this.files().names(jobId);
  }

  dispose(): void {
    this.owned.dispose();
  }

  /** Returns a time that is later than those of all decisions before, also after the clock was set back. */
  private nextDecisionAt(job: Job): number {
    const times = Object.values(job.decidedAt).filter((time) => time !== undefined);
    return Math.max(this.deps.clock.now(), ...times.map((time) => time + 1));
  }

  /** Records a decision. Returns false if the job is over or gone, so that it has no effect. */
  private async record(jobId: string, change: (job: Job, at: number) => Job | undefined): Promise<boolean> {
    const files = this.files();
    const row = await files.read(jobId);
    const changed = row && !isOver(row) ? change(row.job, this.nextDecisionAt(row.job)) : undefined;
    if (!changed) {
      return false;
    }
    await files.put(changed);
    await this.list.publishChange(files);
    return true;
  }

  /**
   * Returns an order time that is later than those of all open jobs, and than one that was given right before, so that
   * jobs run in the order of the user, also after the clock was set back.
   */
  private nextTurn(): number {
    const now = this.deps.clock.now();
    const last = this.lastOrderAt - now < 1000 ? [this.lastOrderAt] : [];
    const before = [...last, ...this.open.map(({ job }) => job.orderedAt)];
    this.lastOrderAt = Math.max(now, ...before.map((at) => at + 1));
    return this.lastOrderAt;
  }

  private files(): JobStorage {
    const { files } = this.list;
    if (!files) {
      throw new UserError(text('You are not signed in. Sign in first.'), { nextStep: 'signIn' });
    }
    return files;
  }
}

function decided(job: Job, now: Decisions): Job {
  return { ...job, decidedAt: { ...job.decidedAt, ...now } };
}
