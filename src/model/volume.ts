import { plainLabel } from '../util/plainLabel';
import { text, type Text } from '../util/text';
import { times, type Micros } from './money';
import { hourlyRate, noRate, sumRates, type Rate } from './quote';

/** See docs/service/volumes.md#rent. */
export const volumeNameShape = /^[A-Za-z0-9_]{1,64}$/;

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
  /** Unix seconds, at which the host's listing ends, and the volume with it. */
  readonly endsAt?: number;
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
  /** Unix seconds, at which the host's listing ends, and volumes with it. */
  readonly endsAt?: number;
}

export interface VolumeSearch {
  readonly machineId?: number;
  readonly leastSizeGb?: number;
  /** Leaves out machines that the service has not verified. */
  readonly isVerified?: boolean;
  readonly limit?: number;
}

/** Returns the name that the user gave, or the one that the service made (docs/service/volumes.md#rent). */
export function volumeName({ id, label }: Volume): string {
  const own = plainLabel(label ?? '');
  return own === '' ? `V.${id}` : own;
}

/** Returns why the service would refuse a name, or why a volume could not be found by it. */
export function volumeNameProblem(name: string, taken: readonly Volume[]): Text | undefined {
  if (!volumeNameShape.test(name)) {
    return text('Use 1 to 64 letters, digits and underscores.');
  }
  return taken.some(({ label }) => label === name)
    ? text('You already have a volume with this name. Enter another one.')
    : undefined;
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
