import { plainLabel } from '../util/plainLabel';
import { times, type Micros } from './money';
import { hourlyRate, noRate, sumRates, type Rate } from './quote';

/** Disk that outlives instances and stays on its machine (docs/service/volumes.md#record). */
export interface Volume {
  readonly id: number;
  readonly label?: string;
  readonly sizeGb?: number;
  readonly status?: string;
  readonly machineId?: number;
  readonly location?: string;
  /** Instances that use it; absent if the record does not state them. */
  readonly instanceIds?: readonly number[];
  readonly perHour?: Micros;
  /** Unix seconds. */
  readonly createdAt?: number;
}

/** Disk on the market. */
export interface VolumeOffer {
  readonly id: number;
  readonly machineId?: number;
  /** The most that can be had. */
  readonly sizeGb?: number;
  readonly diskMbPerSecond?: number;
  readonly perGbMonth?: Micros;
  readonly reliability?: number;
  readonly location?: string;
  readonly durationSeconds?: number;
}

export interface VolumeSearch {
  readonly machineId?: number;
  readonly leastSizeGb?: number;
  readonly limit?: number;
}

/** Returns the name that the user gave, or the one that the service made (docs/service/volumes.md#rent). */
export function volumeName({ id, label }: Volume): string {
  const own = plainLabel(label ?? '');
  return own === '' ? `V.${id}` : own;
}

/** What it costs a day, used or not; undefined if the record does not state it. */
export function volumePerDay({ perHour }: Volume): Micros | undefined {
  return perHour === undefined ? undefined : times(perHour, 24);
}

/** What they cost together; `isPartial` if the price of one is not stated, or they were not read. */
export function volumesRate(volumes: readonly Volume[] | undefined): {
  readonly rate: Rate;
  readonly isPartial: boolean;
} {
  const prices = (volumes ?? []).map(({ perHour }) => perHour);
  return {
    rate: sumRates(...prices.map((price) => (price === undefined ? noRate : hourlyRate(price)))),
    isPartial: volumes === undefined || prices.includes(undefined),
  };
}

export function isAttached({ instanceIds }: Volume): boolean {
  return (instanceIds ?? []).length > 0;
}
