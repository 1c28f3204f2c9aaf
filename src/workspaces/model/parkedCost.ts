import type { Instance } from '../../model/instances/instance';
import { stoppedCostPerDay } from '../../model/instances/instanceCost';
import { times, type Micros } from '../../model/money';
import { durationText } from '../../util/duration';
import type { Text } from '../../util/text';
import type { FolderLook } from './parkedSet';

/** What parking a folder costs, and when that is less than keeping the instance stopped. */
export interface ParkedCost {
  /** The traffic from the old instance and to the next one, as far as the service states its prices. */
  readonly traffic: Micros | undefined;
  /** Whole days after which it costs less than the storage of the whole disk. */
  readonly paysAfterDays: number | undefined;
}

export function parkedCost(instance: Instance, bytes: number): ParkedCost {
  const { inetUpPerGb, inetDownPerGb } = instance;
  if (inetUpPerGb === undefined || inetDownPerGb === undefined) {
    return { traffic: undefined, paysAfterDays: undefined };
  }
  const traffic = times((inetUpPerGb + inetDownPerGb) as Micros, bytes / 1e9);
  const perDay = stoppedCostPerDay(instance);
  return {
    traffic,
    paysAfterDays:
      perDay === undefined || perDay === 0 ? undefined : Math.max(1, Math.ceil(traffic / perDay)),
  };
}

/** Returns the bytes of a folder that are saved: without what is left out, and without the holes of sparse files. */
export function savedBytes({ bytes, caches, sparse }: FolderLook, leftOut: readonly string[]): number {
  const isLeftOut = new Set(leftOut);
  const without = caches.reduce((sum, cache) => sum - (isLeftOut.has(cache.name) ? cache.bytes : 0), bytes);
  return Math.max(
    0,
    sparse.reduce((sum, { size, usedBytes }) => sum - (size - usedBytes), without),
  );
}

/** Returns how long a transfer takes at least, if the speed of a line is known and it is worth saying. */
export function transferText(bytes: number, mbit: number | undefined): Text | undefined {
  const ms = mbit === undefined || mbit <= 0 ? 0 : (bytes * 8) / (mbit * 1000);
  return ms < 60_000 ? undefined : durationText(ms);
}

/** Space on the disk of the next instance beside the files (GB). */
const reserveGb = 10;

/** Returns the disk that an instance needs for a set (GB). */
export function diskFor(bytes: number, diskGb: number): number {
  return Math.max(diskGb, Math.ceil(bytes / 1e9 + reserveGb));
}
