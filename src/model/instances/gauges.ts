import { defined } from '../../util/defined';
import type { Instance } from './instance';

/** A GPU below this counts as unused. */
export const idleGpuPercent = 5;

/** How much of a running machine is in use, in percent. Figures that the service does not report are missing. */
export interface Gauges {
  readonly gpu?: number;
  readonly memory?: number;
  readonly disk?: number;
  readonly cpu?: number;
}
export const gaugeNames = ['gpu', 'memory', 'disk', 'cpu'] as const;
export type GaugeName = (typeof gaugeNames)[number];

/** A reading from the list; `at` in milliseconds since 1970. */
export interface GaugeReading extends Gauges {
  readonly at: number;
}

/**
 * Reads the gauges of a running machine; a stopped one keeps outdated figures. Memory is a share of its limit, whose
 * unit the service states in two ways (docs/service/instances.md#record).
 */
export function gaugesOf(instance: Instance): Gauges {
  const { gpuUtilPercent, memoryUsedGb, memoryLimitGb, diskUsedGb, diskSpaceGb, cpuUtilPercent } = instance;
  const found = {
    gpu: percent(gpuUtilPercent),
    memory: share(memoryUsedGb, memoryLimitGb),
    disk: share(diskUsedGb, diskSpaceGb),
    cpu: percent(cpuUtilPercent),
  };
  return defined<Gauges>(found);
}

/** Figures slightly above 100 are rounding errors; those far above mean something else. */
function percent(value: number | undefined): number | undefined {
  return value === undefined || !(value >= 0) || value > 110 ? undefined : Math.min(value, 100);
}

function share(used: number | undefined, whole: number | undefined): number | undefined {
  return used === undefined || whole === undefined || whole <= 0 ? undefined : percent((used / whole) * 100);
}

export const historyMs = 60 * 60_000;
/** The list arrives every ten seconds at most, and a column of the chart spans three minutes. */
const leastGapMs = 30_000;

/** Returns the readings of the last hour with one added, unless it follows the previous one too soon. */
export function withReading(
  history: readonly GaugeReading[],
  reading: GaugeReading,
): readonly GaugeReading[] {
  const last = history.at(-1);
  if (last && reading.at >= last.at && reading.at - last.at < leastGapMs) {
    return history;
  }
  // If the clock was set back, readings from its future are meaningless.
  const kept = history.filter(({ at }) => at <= reading.at && reading.at - at <= historyMs);
  return [...kept, reading];
}

/** Merges the readings of two windows without duplicates. */
export function merged(
  own: readonly GaugeReading[],
  other: readonly GaugeReading[],
): readonly GaugeReading[] {
  return [...own, ...other]
    .sort((one, two) => one.at - two.at)
    .reduce<readonly GaugeReading[]>((history, reading) => withReading(history, reading), []);
}

const columns = 20;
/** The span of one column (ms). */
export const columnMs = historyMs / columns;
const bars = '▁▂▃▄▅▆▇█';

/** Returns the ends of the columns of a chart (ms since 1970), the last one now. */
export function columnEnds(now: number): readonly number[] {
  return Array.from({ length: columns }, (_, index) => now - historyMs + (index + 1) * columnMs);
}

/** Returns the mean of a gauge in each column of the last hour; `undefined` for a column without a reading. */
export function columnValues(
  history: readonly GaugeReading[],
  name: GaugeName,
  now: number,
): readonly (number | undefined)[] {
  return columnEnds(now).map((end) => {
    const readings = history.filter(({ at }) => at > end - columnMs && at <= end);
    return mean(readings.flatMap((reading) => reading[name] ?? []));
  });
}

/**
 * Returns a chart of the last hour as text, the latest column at the right, with dots for missing readings. Returns
 * nothing for fewer than two columns, because there is nothing to compare.
 */
export function chartOf(history: readonly GaugeReading[], name: GaugeName, now: number): string | undefined {
  const values = columnValues(history, name, now);
  return values.filter((value) => value !== undefined).length < 2 ? undefined : values.map(barOf).join('');
}

function mean(values: readonly number[]): number | undefined {
  return values.length === 0 ? undefined : values.reduce((sum, value) => sum + value, 0) / values.length;
}

function barOf(value: number | undefined): string {
  const level = value === undefined ? -1 : Math.min(bars.length - 1, Math.floor((value / 100) * bars.length));
  return bars[level] ?? '·';
}
