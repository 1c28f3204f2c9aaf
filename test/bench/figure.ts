/** One row of the table. */
export interface Figure {
  readonly name: string;
  /** With its unit. */
  readonly value: string;
  readonly aim?: string;
  /**
   * The figure without the machine on which it was measured: a time as a multiple of the calibration, a size in KB.
   * `docs/figures.json` keeps it, and the gate compares.
   */
  readonly ratio?: number;
}

/** A time, with its ratio to what the fixed piece of work took in the same process (both in ms). */
export function timed(name: string, ms: number, calibrationMs: number, aim?: string): Figure {
  const figure = { name, value: `${ms.toFixed(0)} ms`, ratio: ms / calibrationMs };
  return aim === undefined ? figure : { ...figure, aim };
}

/** A size, which is the same on every machine. */
export function sized(name: string, bytes: number, aim?: string): Figure {
  const figure = { name, value: kilobytes(bytes), ratio: bytes / 1000 };
  return aim === undefined ? figure : { ...figure, aim };
}

/**
 * A fixed piece of work of the kind that a list makes: JSON, objects, sorting and text. Returns its time, the median of
 * five (ms). Runs in any process and in a page, so it uses nothing from outside of itself.
 */
export function calibration(): number {
  const times = Array.from({ length: 5 }, () => {
    const began = performance.now();
    const rows = Array.from({ length: 3000 }, (_, id) => ({
      id,
      label: `machine ${id}`,
      price: (id * 7919) % 1000,
    }));
    const read = JSON.parse(JSON.stringify(rows)) as typeof rows;
    read.sort((a, b) => a.price - b.price || a.id - b.id);
    const shown = read.map(({ label, price }) => `${label.replace(/ (\d+)$/, ' #$1')} · $${String(price)}`);
    if (new Set(shown).size !== rows.length) {
      throw new Error('The calibration lost rows.');
    }
    return performance.now() - began;
  });
  return times.sort((a, b) => a - b)[2] ?? Number.NaN;
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const [upper = Number.NaN, lower = Number.NaN] = [sorted[middle], sorted[middle - 1]];
  return sorted.length % 2 === 1 ? upper : (upper + lower) / 2;
}

export function kilobytes(bytes: number): string {
  return `${(bytes / 1000).toFixed(1)} KB`;
}

/** Returns how long a work takes (ms). */
export async function timeOf(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work();
  return performance.now() - began;
}

export function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(2)} s`;
}
