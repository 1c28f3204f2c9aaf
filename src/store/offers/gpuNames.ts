import * as z from 'zod';
import type { Client } from '../../api/client';
import type { Clock } from '../../util/clock';
import type { Log } from '../../util/log';

interface Memory {
  get(key: string): unknown;
  update(key: string, value: unknown): Thenable<void>;
}

export interface GpuNamesDeps {
  readonly memory: Memory;
  readonly clock: Pick<Clock, 'now'>;
  readonly log: Pick<Log, 'info'>;
}

const key = 'gpuRental.search.gpuNames';
const dayMs = 24 * 3_600_000;
const mostNames = 500;
/** As models are called: anything else could imitate words of the search. */
const plain = /^[A-Za-z0-9][A-Za-z0-9 ._+/()-]{1,39}$/;

const kept = z.object({ at: z.number(), names: z.array(z.string()) });

/** The names of GPUs as the service lists them, kept for a day; empty before the first answer. */
export class GpuNames {
  private reading: Promise<void> | undefined;

  constructor(private readonly deps: GpuNamesDeps) {}

  get names(): readonly string[] {
    return (this.kept()?.names ?? []).filter((name) => plain.test(name)).slice(0, mostNames);
  }

  /** Reads the names if they are older than a day. Never rejects: without them, the names that we ship are enough. */
  refresh(offers: Pick<Client['offers'], 'gpuNames'>): Promise<void> {
    const age = this.deps.clock.now() - (this.kept()?.at ?? -Infinity);
    if (age >= 0 && age < dayMs) {
      return Promise.resolve();
    }
    this.reading ??= this.read(offers).finally(() => {
      this.reading = undefined;
    });
    return this.reading;
  }

  private async read(offers: Pick<Client['offers'], 'gpuNames'>): Promise<void> {
    const { clock, log, memory } = this.deps;
    try {
      const { items } = await offers.gpuNames({ isUnasked: true });
      const names = [...new Set(items)].slice(0, mostNames);
      if (names.length > 0) {
        await memory.update(key, { at: clock.now(), names });
      }
    } catch (error) {
      log.info(`The names of GPUs could not be read: ${String(error)}`);
    }
  }

  private kept(): z.infer<typeof kept> | undefined {
    return kept.safeParse(this.deps.memory.get(key)).data;
  }
}
