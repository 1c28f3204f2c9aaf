import type { Account } from '../../store/accounts/accounts';
import type { Fleet } from '../../store/instances/fleetStore';
import type { WorkLoss } from '../../store/instances/workOnInstances';
import type { ReplaceResult } from '../../store/rentals/replacement';
import type { WindowHub } from '../../store/windows/windowHub';
import type { Clock } from '../../util/clock';
import type { Log } from '../../util/log';
import type { Job } from '../model/job';
import type { JobMachine, StoppedMachine } from '../model/jobMachine';
import type { JobEvent } from '../model/jobProgress';
import type { JobRentalDeps } from './jobRental';
import type { Jobs } from './jobs';
import type { FreeBytes } from './traffic';

export interface JobStepDeps extends Pick<JobRentalDeps, 'rentals'> {
  readonly fleet: Fleet;
  readonly hub: WindowHub;
  readonly jobs: Jobs;
  readonly clock: Clock;
  readonly log: Log;
  readonly machine: (account: Account, instanceId: number) => JobMachine;
  /** The same machine while stopped, as far as its host serves its files. */
  readonly stoppedMachine: (account: Account, instanceId: number, job: Job) => StoppedMachine;
  /** Writes the SSH entry of a machine that no window has connected to, without a question. */
  readonly firstContact: (instanceId: number, signal: AbortSignal) => Promise<void>;
  /** The room on the disk of this computer; that of its real disk if left out. */
  readonly freeBytes?: FreeBytes;
  /** Replaces a machine that was rented for a job, within its price limit; the data on it is lost. */
  readonly replaceMachine: (instanceId: number, signal: AbortSignal) => Promise<ReplaceResult>;
  /** Whether files of a machine are being saved elsewhere, so that no job may end it. */
  readonly isSaving: (accountKey: string, instanceId: number, loss: WorkLoss) => Promise<boolean>;
  /** The guard on the machine, which acts without an editor. */
  readonly guard: JobGuard;
  /** Returns the values of the secrets that this job was given, by name. */
  readonly secrets: (accountKey: string, job: Job) => Promise<Readonly<Record<string, string>>>;
}

/** A process on the machine of a job that stops it with the machine's own key; it never destroys. */
export interface JobGuard {
  /** Returns true once the process runs and its key was proved. */
  arm(account: Account, instanceId: number, seconds: number, signal: AbortSignal): Promise<boolean>;
  /** Returns true once the machine reports that no guard is left. */
  disarm(account: Account, instanceId: number, signal: AbortSignal): Promise<boolean>;
}

/** The result of a step, and the wait before the next one (ms). */
export interface Step {
  readonly event?: JobEvent;
  readonly waitMs?: number;
}
