import type { NumberRange } from './searchFields';

/** What a number without a sign means for a field: most have a lower limit, prices an upper one. */
export type Bound = 'least' | 'most' | 'exactly';

const number = String.raw`(\d+(?:[.,]\d+)?|[.,]\d+)`;
const pattern = new RegExp(String.raw`^([$≥≤<>=\s]*)${number}\s*(?:[-–]\s*\$?${number})?\D*$`);

/** No number that means something is longer. */
const longest = 100;

/**
 * Returns the limits that a typed `24`, `0,8`, `<$.8`, `24 GB` or `2-8` may mean, the most likely first; none for
 * any other text.
 */
export function typedRanges(typed: string, natural: Bound): readonly NumberRange[] {
  const [, signs = '', first, second] = pattern.exec(typed.slice(0, longest)) ?? [];
  if (first === undefined) {
    return [];
  }
  const value = valueOf(first);
  if (second !== undefined) {
    const other = valueOf(second);
    return [{ min: Math.min(value, other), max: Math.max(value, other) }];
  }
  const ranges: Readonly<Record<Bound, NumberRange>> = {
    least: { min: value },
    most: { max: value },
    exactly: { min: value, max: value },
  };
  const bounds = new Set<Bound>([boundOf(signs) ?? natural, 'least', 'most', 'exactly']);
  return [...bounds].map((bound) => ranges[bound]);
}

function valueOf(typed: string): number {
  return Number(typed.replace(',', '.'));
}

function boundOf(signs: string): Bound | undefined {
  return /[<≤]/.test(signs)
    ? 'most'
    : /[>≥]/.test(signs)
      ? 'least'
      : signs.includes('=')
        ? 'exactly'
        : undefined;
}
