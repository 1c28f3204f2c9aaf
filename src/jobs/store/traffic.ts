import { machineOf, type JobMove, type JobRow } from '../model/job';
import { times, zero, type Micros } from '../../model/money';
import type { Fleet } from '../../store/instances/fleetStore';
import type { MoveProgress } from '../model/jobMachine';

/** Measures what transfers of a job move, and what the host of its machine charges for that. */
export class Traffic {
  private moved = 0;
  private last: number | undefined;

  constructor(private readonly perGb: Micros | undefined) {}

  /** Notes the progress of a transfer, and passes it on. What is there already is not moved. */
  noting(onProgress?: (progress: MoveProgress) => void): (progress: MoveProgress) => void {
    this.last = undefined;
    return (progress) => {
      const { bytes } = progress;
      this.moved += Math.max(0, bytes - (this.last ?? bytes));
      this.last = bytes;
      onProgress?.(progress);
    };
  }

  /** Zero if the service states no price. */
  get cost(): Micros {
    return this.costOf(this.moved);
  }

  costOf(bytes: number): Micros {
    return times(this.perGb ?? zero, bytes / 1e9);
  }
}

export interface TrafficDeps {
  readonly fleet: Pick<Fleet, 'find'>;
}

export function trafficOf({ fleet }: TrafficDeps, row: JobRow, way: JobMove['way']) {
  const { instanceId } = machineOf(row);
  const instance = instanceId === undefined ? undefined : fleet.find(instanceId);
  return new Traffic(way === 'sending' ? instance?.inetDownPerGb : instance?.inetUpPerGb);
}
