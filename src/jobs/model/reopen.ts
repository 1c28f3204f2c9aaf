import type { Text } from '../../util/text';
import type { MachineOfJob, Outcome } from './job';

/** The user's decision to fetch the outputs of a job that is over. */
export interface Reopen {
  /** Milliseconds since 1970. */
  readonly at: number;
  /** When the end began that the user saw; the decision has no effect on another end. */
  readonly since: number;
  /** The machine was started for the fetch, as confirmed, and is stopped again afterwards. */
  readonly isStarted?: boolean | undefined;
  /** The machine, if the job itself no longer knows it. */
  readonly machine?: MachineOfJob | undefined;
}

/** The last fetch of outputs that the user asked for once the job was over. */
export interface Reopened {
  /** When the user asked (ms since 1970). */
  readonly at: number;
  /** What had happened to the machine, and when outputs had been fetched (ms since 1970). */
  readonly outcome: Outcome;
  readonly fetchedAt?: number | undefined;
  readonly isFetched?: boolean | undefined;
  /** Why nothing was fetched. */
  readonly why?: Text | undefined;
}
