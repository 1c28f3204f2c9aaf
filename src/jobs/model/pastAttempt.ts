import type { JobEnd } from './onMachine';

/** An attempt that was followed by another one. */
export interface PastAttempt {
  /** Why another attempt followed: `interrupted`, `machineLost`, or an exit code. */
  readonly cause: string;
  /** When it ended, in milliseconds since 1970. */
  readonly at: number;
  readonly machine: string;
  /** The result of its command, if it ended there. */
  readonly end?: JobEnd | undefined;
  readonly startedAt?: number | undefined;
}
