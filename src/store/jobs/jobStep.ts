import type { Job } from '../../model/jobs/job';
import type { JobEvent } from '../../model/jobs/jobProgress';
import type { Clock } from '../../util/clock';
import type { Log } from '../../util/log';
import type { Account, Fleet, WindowHub } from '../ports';
import type { ReplaceResult } from '../rentals/replacement';
import type { JobRentalDeps } from './jobRental';
import type { Jobs } from './jobs';
import type { MachinePort, StoppedMachinePort } from './machinePort';

export interface JobStepDeps extends Pick<JobRentalDeps, 'rentals'> {
  readonly fleet: Fleet;
  readonly hub: WindowHub;
  readonly jobs: Jobs;
  readonly clock: Clock;
  readonly log: Log;
  readonly machine: (account: Account, instanceId: number) => MachinePort;
  /** The same while it is stopped, as far as its host gives its files away. */
  readonly stoppedMachine: (account: Account, instanceId: number, job: Job) => StoppedMachinePort;
  /** Writes the SSH entry of a machine that no window has connected to, without a question. */
  readonly firstContact: (instanceId: number, signal: AbortSignal) => Promise<unknown>;
  /** Rents another in place of a machine that was rented for a job, within its limit of price; the data on it is lost. */
  readonly replaceMachine: (instanceId: number, signal: AbortSignal) => Promise<ReplaceResult>;
  /** What the machine of a job does without an editor. */
  readonly guard: JobGuard;
  /** Values of secrets by name, as far as they are kept. */
  readonly secrets: (
    accountKey: string,
    names: readonly string[],
  ) => Promise<Readonly<Record<string, string>>>;
}

/** Stops a machine that was rented for a job by the machine's own key; it never destroys. */
export interface JobGuard {
  /** True once its process lives there and its key was proved. */
  arm(account: Account, instanceId: number, seconds: number, signal: AbortSignal): Promise<boolean>;
  /** True once the machine said that none is left. */
  disarm(account: Account, instanceId: number, signal: AbortSignal): Promise<boolean>;
}

/** What one step found out, and how long to wait before the next, in ms. */
export interface Step {
  readonly event?: JobEvent;
  readonly waitMs?: number;
}
