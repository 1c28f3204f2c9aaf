import type { Figure } from './figure';

/** The ratios of docs/figures.json, by the name of their figure. */
export type Ratios = Readonly<Record<string, number>>;

/** Returns whether a figure is at most twice the kept one, which noise alone is not. */
export function isKept({ name, ratio }: Figure, kept: Ratios): boolean {
  return ratio === undefined || ratio <= 2 * (kept[name] ?? 0);
}

/** Measures until every figure is kept, at most so many times, and returns the best of each. */
export async function bestOf(
  times: number,
  measure: () => Figure[] | Promise<Figure[]>,
  kept: Ratios,
): Promise<Figure[]> {
  let best = await measure();
  for (let time = 1; time < times && !best.every((figure) => isKept(figure, kept)); time += 1) {
    const again = await measure();
    best = best.map((figure, place) => {
      const other = again[place];
      return other?.ratio !== undefined && other.ratio < (figure.ratio ?? 0) ? other : figure;
    });
  }
  return best;
}
