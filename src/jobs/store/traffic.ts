import { stat, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { type Micros, times, zero } from '../../model/money';
import type { Fleet } from '../../store/instances/fleetStore';
import { inParallel } from '../../util/inParallel';
import type { FetchSize } from '../model/fetchSize';
import { type JobMove, type JobRow, machineOf } from '../model/job';
import type { MoveProgress } from '../model/jobMachine';
import type { JobOutput } from '../model/onMachine';

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

/** Returns the bytes that a folder of this computer has room for; `undefined` if its disk does not report it. */
export type FreeBytes = (folder: string) => Promise<number | undefined>;

export const freeBytes: FreeBytes = async (folder) => {
  const facts = await statfs(folder).catch(() => undefined);
  return facts && facts.bavail * facts.bsize;
};

/** The number of local files that are looked at at a time. */
const width = 8;

/** Returns what a fetch of these files into a folder would bring. */
export async function fetchSizeOf(
  free: FreeBytes | undefined,
  files: readonly JobOutput[],
  folder: string,
  traffic: Traffic,
): Promise<FetchSize> {
  let bytes = 0;
  await inParallel(files, width, async ({ path, size }) => {
    const here = await stat(join(folder, ...path.split('/'))).catch(() => undefined);
    bytes += here?.isFile() === true && here.size === size ? 0 : size;
  });
  return { bytes, traffic: traffic.costOf(bytes), freeBytes: await (free ?? freeBytes)(folder) };
}
