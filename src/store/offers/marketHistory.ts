import { join } from 'node:path';
import * as z from 'zod';
import type { GpuMetrics } from '../../model/offers/gpuMetrics';
import { micros, type Micros } from '../../model/money';
import type { Log } from '../../util/log';
import { JsonFile } from '../jsonFile';

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

/** Days that are kept for each key. */
const keptDays = 90;
const dayMs = 86_400_000;

/** Median prices as seen on this computer, one snapshot a day; the service keeps no history. */
export class MarketHistory {
  private readonly file: JsonFile<z.infer<typeof file>>;

  constructor(
    storageDir: string,
    private readonly log: Log,
  ) {
    this.file = new JsonFile(join(storageDir, 'market-history.json'), file);
  }

  /** Stores today's medians and returns all snapshots of the key, oldest first. Never rejects. */
  async record(key: string, gpus: readonly GpuMetrics[], nowMs: number): Promise<readonly MarketSnapshot[]> {
    try {
      const content = await this.file.read();
      const before = content.kind === 'present' ? content.value.snapshots : [];
      const day = Math.floor(nowMs / dayMs);
      const medians: Record<string, Micros> = {};
      for (const { gpuName, priceMedian } of gpus) {
        if (priceMedian !== undefined) {
          medians[gpuName] = priceMedian;
        }
      }
      const recent = before.filter((each) => each.day > day - keptDays);
      // Figures without a price are no price of this day.
      const snapshots =
        Object.keys(medians).length === 0
          ? recent
          : [...recent.filter((each) => each.day !== day || each.key !== key), { day, key, medians }];
      await this.file.write({ version: 1, snapshots });
      return snapshots.filter((each) => each.key === key).sort((a, b) => a.day - b.day);
    } catch (error) {
      this.log.warn(`The market history could not be kept: ${String(error)}`);
      return [];
    }
  }
}
