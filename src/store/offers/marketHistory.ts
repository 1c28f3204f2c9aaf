import { join } from 'node:path';
import * as z from 'zod';
import { micros, type Micros } from '../../model/money';
import type { GpuMetrics } from '../../model/offers/gpuMetrics';
import type { Clock } from '../../util/clock';
import { UserError } from '../../util/errors';
import { fileLock, type FileLock } from '../../util/fileLock';
import type { Log } from '../../util/log';
import { text, type Text } from '../../util/text';
import { JsonFile } from '../disk/jsonFile';

const snapshot = z.object({
  /** Days since 1970-01-01 UTC. */
  day: z.number().int(),
  /** Identifies the figures: service and filters. */
  key: z.string(),
  /** Whole millionths of a dollar for one GPU and hour, by model. */
  medians: z.record(z.string(), micros),
});
const file = z.object({ version: z.literal(1), snapshots: z.array(snapshot) });
export type MarketSnapshot = z.infer<typeof snapshot>;

export interface RecordedMarket {
  readonly snapshots: readonly MarketSnapshot[];
  readonly problem: Text | undefined;
  /** Where the damaged file of earlier days is kept. */
  readonly setAside?: string | undefined;
}

/** Days that are kept for each key. */
const keptDays = 90;
const dayMs = 86_400_000;

/** Median prices as seen on this computer, one snapshot a day; the service keeps no history. */
export class MarketHistory {
  private readonly file: JsonFile<z.infer<typeof file>>;
  /** Each record starts from the file on disk, which other windows change too. */
  private readonly lock: FileLock;

  constructor(
    private readonly deps: { readonly storageDir: string; readonly clock: Clock; readonly log: Log },
  ) {
    const { storageDir, clock, log } = deps;
    this.file = new JsonFile(join(storageDir, 'market-history.json'), file, log);
    this.lock = fileLock(join(storageDir, 'market-history.lock'), clock);
  }

  /**
   * Stores today's medians and returns all snapshots of the key, oldest first, where a damaged file of earlier ones is
   * kept, and why today's was not. Never rejects.
   */
  async record(key: string, gpus: readonly GpuMetrics[]): Promise<RecordedMarket> {
    const { clock, log } = this.deps;
    let snapshots: readonly MarketSnapshot[] = [];
    let problem: Text | undefined;
    let setAside: string | undefined;
    try {
      await this.lock(async () => {
        const content = await this.file.read();
        const before = content.kind === 'present' ? content.value.snapshots : [];
        setAside = content.kind === 'setAside' ? content.path : undefined;
        const day = Math.floor(clock.now() / dayMs);
        snapshots = withToday(before, { day, key, medians: mediansOf(gpus) });
        await this.file.write({ version: 1, snapshots: [...snapshots] });
      });
    } catch (error) {
      log.warn(`The market history could not be kept: ${String(error)}`);
      problem =
        error instanceof UserError
          ? error.text
          : text("Today's prices could not be kept for the history. See the log for the reason.");
    }
    const own = snapshots.filter((each) => each.key === key).sort((a, b) => a.day - b.day);
    return { snapshots: own, problem, setAside };
  }
}

function mediansOf(gpus: readonly GpuMetrics[]): MarketSnapshot['medians'] {
  const medians: Record<string, Micros> = {};
  for (const { gpuName, priceMedian } of gpus) {
    if (priceMedian !== undefined) {
      medians[gpuName] = priceMedian;
    }
  }
  return medians;
}

function withToday(before: readonly MarketSnapshot[], today: MarketSnapshot): readonly MarketSnapshot[] {
  const { day, key, medians } = today;
  const recent = before.filter((each) => each.day > day - keptDays);
  // Figures without a price are no price of this day.
  return Object.keys(medians).length === 0
    ? recent
    : [...recent.filter((each) => each.day !== day || each.key !== key), today];
}
