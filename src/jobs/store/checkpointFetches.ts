import type { JobRow } from '../model/job';
import type { JobEvent } from '../model/jobProgress';
import { isCheckpointDue } from './checkpoints';

interface Fetch {
  readonly stop: AbortController;
  readonly settled: Promise<void>;
  event?: JobEvent | undefined;
  isOver: boolean;
}

/**
 * The checkpoints that are fetched at present, by job. A large one takes minutes, in which the log, the limits and the end
 * of its job are followed as before. Each job has one at a time.
 */
export class CheckpointFetches {
  private readonly fetches = new Map<string, Fetch>();

  /** @param stop Ends all of them. */
  constructor(private readonly stop: AbortSignal) {}

  /** Returns what came of a fetch that is over, once; begins the next one when it is due. */
  next(row: JobRow, now: number, fetch: (signal: AbortSignal) => Promise<JobEvent>): JobEvent | undefined {
    const { id } = row.job;
    const known = this.fetches.get(id);
    if (known?.isOver) {
      this.fetches.delete(id);
      return known.event;
    }
    if (!known && isCheckpointDue(row, now)) {
      this.fetches.set(id, this.begin(fetch));
    }
    return undefined;
  }

  /** Ends the fetch of a job, and waits until nothing is written any more. */
  async end(jobId: string): Promise<void> {
    const fetch = this.fetches.get(jobId);
    fetch?.stop.abort();
    await fetch?.settled;
    this.fetches.delete(jobId);
  }

  private begin(fetch: (signal: AbortSignal) => Promise<JobEvent>): Fetch {
    const stop = new AbortController();
    const settled = fetch(AbortSignal.any([this.stop, stop.signal])).then(
      (event) => {
        begun.event = event;
        begun.isOver = true;
      },
      // Only the end of the fetch rejects it, and then nothing came of it.
      () => {
        begun.isOver = true;
      },
    );
    const begun: Fetch = { stop, settled, isOver: false };
    return begun;
  }
}
