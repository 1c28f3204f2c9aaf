import { defined } from '../../util/defined';

/** What the driver reports of one GPU; figures that it does not report are missing. */
export interface GpuUse {
  /** As counted by the driver, from 0. */
  readonly index: number;
  readonly percent?: number;
  readonly usedMb?: number;
  readonly memoryMb?: number;
  readonly celsius?: number;
  readonly watts?: number;
  readonly limitWatts?: number;
}

export interface GpuReading {
  /** Milliseconds since 1970, by this computer's clock. */
  readonly at: number;
  readonly gpus: readonly GpuUse[];
}

/** Longer output is not that of the driver's tool. */
const longestAnswer = 32_768;
const mostGpus = 64;

/** The fields that `readGpuUse` expects, in this order, for `nvidia-smi --query-gpu`. */
export const gpuUseFields =
  'index,utilization.gpu,memory.used,memory.total,temperature.gpu,power.draw,power.limit';

/** Parses the lines of `nvidia-smi` with `--format=csv,noheader,nounits`. A machine may print anything else. */
export function readGpuUse(stdout: string): readonly GpuUse[] {
  const lines = stdout.slice(0, longestAnswer).split(/\r?\n/);
  const gpus = lines.flatMap((line) => {
    const cells = line.split(',').map((cell) => figure(cell.trim()));
    const [index, percent, usedMb, memoryMb, celsius, watts, limitWatts] = cells;
    return cells.length !== 7 || index === undefined || !Number.isInteger(index) || index >= mostGpus
      ? []
      : [
          defined<GpuUse>({
            index,
            percent: percent === undefined || percent > 100 ? undefined : percent,
            usedMb,
            memoryMb,
            celsius,
            watts,
            limitWatts,
          }),
        ];
  });
  return gpus.slice(0, mostGpus);
}

/** Returns a figure; `undefined` for `[N/A]` and everything else. */
function figure(cell: string): number | undefined {
  return /^\d{1,7}(?:\.\d{1,3})?$/.test(cell) ? Number(cell) : undefined;
}

const hourMs = 60 * 60_000;
/** The machine reports every five seconds. */
const columnWidths = [5_000, 10_000, 20_000, 30_000, 60_000];
const mostColumns = 60;

/** Returns the readings of the last hour with one added. After the clock was set back, the old ones mean nothing. */
export function withGpuReading(readings: readonly GpuReading[], reading: GpuReading): readonly GpuReading[] {
  return [...readings.filter(({ at }) => at <= reading.at && reading.at - at < hourMs), reading];
}

/**
 * Returns the use of each GPU since the first reading, as means over columns that are as narrow as their number allows;
 * `undefined` for a column without a reading.
 */
export function gpuColumns(readings: readonly GpuReading[]): {
  /** Milliseconds since 1970. */
  readonly ends: readonly number[];
  readonly gpus: readonly { readonly index: number; readonly values: readonly (number | undefined)[] }[];
} {
  const [first, last] = [readings[0], readings.at(-1)];
  if (!first || !last) {
    return { ends: [], gpus: [] };
  }
  const width = columnWidths.find((one) => (last.at - first.at) / one < mostColumns - 1) ?? 60_000;
  const columnOf = (at: number) => Math.floor(at / width);
  const begin = columnOf(first.at);
  const count = columnOf(last.at) - begin + 1;
  const sums = new Map<number, { sum: number; count: number }[]>();
  for (const { at, gpus } of readings) {
    for (const { index, percent } of gpus) {
      const columns = sums.get(index) ?? Array.from({ length: count }, () => ({ sum: 0, count: 0 }));
      sums.set(index, columns);
      const column = columns[columnOf(at) - begin];
      if (column && percent !== undefined) {
        column.sum += percent;
        column.count += 1;
      }
    }
  }
  return {
    ends: Array.from({ length: count }, (_, column) => (begin + column + 1) * width),
    gpus: [...sums]
      .sort(([one], [other]) => one - other)
      .map(([index, columns]) => ({
        index,
        values: columns.map((one) => (one.count === 0 ? undefined : one.sum / one.count)),
      })),
  };
}
