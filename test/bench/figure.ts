/** One row of the table. */
export interface Figure {
  readonly name: string;
  /** With its unit. */
  readonly value: string;
  readonly aim?: string;
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
