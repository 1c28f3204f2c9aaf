import * as z from 'zod';
import type { Clock } from '../../util/clock';
import type { Disposable } from '../../util/disposable';
import type { WindowHub } from '../windows/windowHub';
import { LeaderRequests } from '../windows/leaderRequests';

export interface FleetRequestsDeps {
  readonly hub: WindowHub;
  readonly clock: Clock;
  /** Reads the list in this window and shares it. */
  readonly readHere: () => Promise<void>;
}

const takenMs = 20_000;
/** In milliseconds; longer than a read with all its retries. */
const doneMs = 150_000;

/** Requests for a fresh list, made by any window and carried out by the leading one. */
export class FleetRequests implements Disposable {
  private readonly requests: LeaderRequests<unknown>;

  constructor(deps: FleetRequestsDeps) {
    this.requests = new LeaderRequests({
      ...deps,
      topic: 'fleet.refresh',
      what: z.unknown(),
      doHere: () => deps.readHere(),
      takenMs,
      doneMs,
    });
  }

  refresh(): Promise<void> {
    return this.requests.ask({});
  }

  dispose(): void {
    this.requests.dispose();
  }
}
