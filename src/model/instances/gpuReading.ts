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
