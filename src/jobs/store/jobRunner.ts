import { followAccount } from '../../shared/followAccount';
import type { Account, Accounts } from '../../store/accounts/accounts';
import type { Notices } from '../../store/windows/notices';
import { DisposableStore, MutableDisposable, toDisposable, type Disposable } from '../../util/disposable';
import { isCancelled, UserError } from '../../util/errors';
import { localProblem } from '../../util/localProblem';
import { longestPauseMs } from '../model/afterFailure';
import { isFetchPaused } from '../model/fetchAgain';
import { waitsForYou, type Job, type JobRow } from '../model/job';
import { jobNews } from '../model/jobNews';
import { progress } from '../model/jobProgress';
import { atPresent } from '../model/jobTime';
import { isJobOpen, isReopenAsked } from '../model/reopenedJob';
import { CheckpointFetches } from './checkpoints';
import { jobNoticeKind, type JobNotice } from './jobNotice';
import type { JobStepDeps, Step } from './jobStep';
import { runJobStep } from './jobSteps';

export interface JobRunnerDeps extends JobStepDeps {
  readonly accounts: Pick<Accounts, 'active' | 'onDidChange'>;
  readonly notices: Notices;
}

/** Milliseconds before a step that failed on this computer is retried. */
const brokenMs = 30_000;

/** Runs jobs in the leading window. Without a job there is no timer. */
export class JobRunner implements Disposable {
  private readonly owned = new DisposableStore();
  private readonly following = this.owned.add(new MutableDisposable<Disposable>());

  constructor(deps: JobRunnerDeps) {
    const { accounts, hub } = deps;
    const follow = (account: Account | undefined) => {
      this.following.value = undefined;
      this.following.value = account && hub.isLeader ? new AccountJobs(deps, account) : undefined;
    };
    this.owned.add(
      followAccount(accounts, (account) => {
        follow(account);
        return undefined;
      }),
    );
    this.owned.add(hub.onDidChangeLeader(() => follow(accounts.active)));
  }

  dispose(): void {
    this.owned.dispose();
  }
}

interface Followed {
  /** When the state on disk was written, by `Clock.elapsed`. */
  writtenAt: number;
  /** The user's decisions at the start of the step. */
  decisions: string;
  /** Ends the pause. */
  wake: () => void;
  /** Ends a transfer that a decision of the user makes pointless. */
  cut: (job: Job) => void;
}

/** The jobs of one account, each followed separately. */
class AccountJobs implements Disposable {
  private readonly owned = new DisposableStore();
  private readonly stop = new AbortController();
  private readonly followed = new Map<string, Followed>();
  private readonly posted = new Set<string>();
  private readonly checkpoints = new CheckpointFetches(this.stop.signal);

  constructor(
    private readonly deps: JobRunnerDeps,
    private readonly account: Account,
  ) {
    const { jobs, fleet } = deps;
    this.owned.add(toDisposable(() => this.stop.abort()));
    this.owned.add(jobs.onDidChange(() => this.check()));
    this.owned.add(jobs.onDidChangeWatched(() => this.wakeAll()));
    this.owned.add(
      fleet.onDidChange(() => (jobs.open.length === 0 ? void jobs.findUnannounced() : undefined)),
    );
    this.check();
  }

  dispose(): void {
    this.owned.dispose();
    this.wakeAll();
  }

  private check(): void {
    for (const { job } of this.deps.jobs.open) {
      const known = this.followed.get(job.id);
      if (!known) {
        this.followed.set(job.id, {
          writtenAt: this.deps.clock.elapsed(),
          decisions: '',
          wake: () => undefined,
          cut: () => undefined,
        });
        void this.follow(job.id).finally(() => this.checkDecision(job.id));
      } else if (known.decisions !== decisionsOf(job)) {
        known.cut(job);
        known.wake();
      }
    }
  }

  /** Checks again for a decision that arrived while the last step of a job ended. */
  private checkDecision(jobId: string): void {
    this.followed.delete(jobId);
    const row = this.deps.jobs.find(jobId);
    if (row && isReopenAsked(row) && !this.stop.signal.aborted) {
      this.check();
    }
  }

  private wakeAll(): void {
    this.followed.forEach(({ wake }) => {
      wake();
    });
  }

  /** Follows a job to its end; never rejects. */
  private async follow(jobId: string): Promise<void> {
    let isWoken = false;
    while (!this.stop.signal.aborted) {
      const waitMs: number | undefined = await this.step(jobId, isWoken).catch((error: unknown) => {
        if (!isCancelled(error)) {
          this.deps.log.error(`Job ${jobId} could not be carried on`, error);
          this.noteUnsaved(jobId, error);
        }
        return brokenMs;
      });
      if (waitMs === undefined) {
        return;
      }
      isWoken = waitMs > 0 && (await this.pause(jobId, waitMs));
    }
  }

  /** Returns the wait before the next step (ms); `undefined` if there is none. */
  private async step(jobId: string, isWoken: boolean): Promise<number | undefined> {
    const { jobs, clock } = this.deps;
    const row = await jobs.reread(jobId);
    if (!row || !isJobOpen(row)) {
      return undefined;
    }
    const followed = this.followed.get(jobId);
    if (followed) {
      followed.decisions = decisionsOf(row.job);
    }
    const remainingMs = this.untilNextTry(row);
    if (remainingMs > 0 && !isWoken) {
      return remainingMs;
    }
    const { event, waitMs = 0 } = await this.runStep(this.present(row), followed);
    if (this.stop.signal.aborted) {
      return waitMs;
    }
    if (!event) {
      jobs.showSaved(jobId);
      this.postNews(this.present(row));
      return waitMs;
    }
    const now = clock.now();
    const before = this.present(row).state;
    const state = progress(row.job, before, event, now);
    if (state !== before) {
      const writtenAt = clock.elapsed();
      await jobs.putState(state);
      if (followed) {
        followed.writtenAt = writtenAt;
      }
    } else {
      jobs.showSaved(jobId);
    }
    this.postNews({ job: row.job, state });
    if (event.kind === 'failed' && !waitsForYou(event.trouble)) {
      return Math.max(1, (state.trouble?.nextTryAt ?? now) - now);
    }
    return state.phase === row.state.phase ? waitMs : 0;
  }

  /**
   * Shows and reports that the disk of this computer refused the state of a job; nothing can be stored about that.
   */
  private noteUnsaved(jobId: string, error: unknown): void {
    const { jobs, clock } = this.deps;
    const known = jobs.find(jobId);
    if (!known || this.stop.signal.aborted) {
      return;
    }
    const { job, state } = this.present(known);
    const why = localProblem(error) ?? (error instanceof UserError ? error.text : undefined);
    const next = progress(job, state, { kind: 'failed', trouble: 'notSaved', why }, clock.now());
    const followed = this.followed.get(jobId);
    if (followed) {
      followed.writtenAt = clock.elapsed();
    }
    jobs.showUnsaved(next);
    this.postNews({ job, state: next });
  }

  /** Returns what is on disk with the time that has passed since it was written. */
  private present({ job, state }: JobRow): JobRow {
    const { clock } = this.deps;
    const passed = clock.elapsed();
    const since = this.followed.get(job.id)?.writtenAt ?? passed;
    return { job, state: atPresent(state, clock.now(), passed - since) };
  }

  private async runStep(row: JobRow, followed: Followed | undefined): Promise<Step> {
    const cut = new AbortController();
    if (followed) {
      followed.cut = (job) => {
        if (endsTransfer({ job, state: row.state })) {
          cut.abort();
        }
      };
    }
    try {
      const signal = AbortSignal.any([this.stop.signal, cut.signal]);
      return await runJobStep(this.deps, this.account, row, signal, this.checkpoints);
    } catch (error) {
      if (cut.signal.aborted && !this.stop.signal.aborted) {
        return {};
      }
      throw error;
    }
  }

  private untilNextTry({ state }: JobRow): number {
    const { trouble } = state;
    const remainingMs = trouble && !waitsForYou(trouble.kind) ? trouble.nextTryAt - this.deps.clock.now() : 0;
    // A longer one comes from a clock that was set back.
    return remainingMs > longestPauseMs ? 0 : remainingMs;
  }

  /** Waits; returns true if the user decided something before the time was up. */
  private pause(jobId: string, waitMs: number): Promise<boolean> {
    return new Promise((resolve) => {
      const followed = this.followed.get(jobId);
      const row = this.deps.jobs.find(jobId);
      if (row && followed?.decisions !== decisionsOf(row.job)) {
        // The decision arrived during the step.
        resolve(true);
        return;
      }
      const end = (isWoken: boolean) => {
        timer.dispose();
        if (followed) {
          followed.wake = () => undefined;
        }
        resolve(isWoken);
      };
      const timer = this.deps.clock.schedule(() => {
        end(false);
      }, waitMs);
      if (followed) {
        followed.wake = () => {
          end(true);
        };
      }
      if (this.stop.signal.aborted) {
        end(false);
      }
    });
  }

  private postNews(row: JobRow): void {
    const { job } = row;
    const { notices, clock } = this.deps;
    for (const { kind, turn } of jobNews(row, clock.now())) {
      const key = `${this.account.key}:job:${job.id}:${kind}:${turn}`;
      if (!this.posted.has(key)) {
        this.posted.add(key);
        const data: JobNotice = { kind, jobId: job.id, why: row.state.trouble?.why };
        notices.post({ key, accountKey: this.account.key, kind: jobNoticeKind, data });
      }
    }
  }
}

function endsTransfer({ job, state }: JobRow): boolean {
  return state.phase === 'syncing' || state.phase === 'running'
    ? job.decidedAt.stop !== undefined
    : state.phase === 'fetching' && isFetchPaused(job);
}

/** Returns what the user has decided, as one text for comparison. */
function decisionsOf({ decidedAt }: Job): string {
  return JSON.stringify(decidedAt);
}
