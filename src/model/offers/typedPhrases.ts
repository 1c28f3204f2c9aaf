const number = String.raw`\d+(?:[.,]\d+)?|[.,]\d+`;
const rangeUnits = 'gb|gib|tb|g|mbit|mbps|gbit|gbps|%|d|days?|weeks?|months?|cores?|gpus?|ports?';

/** `24-48gb`, `$0.2-$0.5`, `2 - 4 gpus`; `24gb -4090` is none. */
const range = new RegExp(
  String.raw`(?<=^|\s)(\$?)(${number})(?:${rangeUnits})?(?:[-–]|\s[-–]\s)\$?(${number})\s*(${rangeUnits})?(?=\s|$)`,
  'g',
);

function rangeAsLimits(whole: string, dollar: string, least: string, most: string, unit = ''): string {
  const isPrice = dollar !== '' || (unit === '' && /[.,]/.test(least + most));
  return isPrice ? `>=$${least} <=$${most}` : unit === '' ? whole : `>=${least}${unit} <=${most}${unit}`;
}

const before = String.raw`\s+(?=[$.\d])`;
/** What people write in words, and how the same is written in signs; in this order. */
const phrases: readonly (readonly [RegExp, string])[] = [
  [
    new RegExp(String.raw`\b(?:at most|up to|(?:no more|less|cheaper) than|under|below|max)${before}`, 'g'),
    '<',
  ],
  [new RegExp(String.raw`\b(?:at least|more than|over|above|min)${before}`, 'g'), '>'],
  [/(\d[a-z%]*)\s+or\s+(?:more|higher|above|better)\b/g, '$1+'],
  [/(?<=^|\s)(?:not|without|except)\s+(?:in\s+)?(?=[a-z\d])/g, '-'],
  // `$10 a day`, `0.5 $/h`
  [/(\d)\s*\$?\s*(?:\/\s*|per\s+|an?\s+)(?:hours?|hr|h)\b/g, '$1/h'],
  [/(\d)\s*\$?\s*(?:\/\s*|per\s+|an?\s+)(?:days?|d)\b/g, '$1/day'],
  // `2 x 4090`, `4090 x 2`
  [/(?<=^|\s)(\d{1,2})\s+[x×*]\s+(?=\S)/g, 'x$1 '],
  [/(?<=\s)[x×*]\s+(\d{1,2})(?=\s|$)/g, 'x$1'],
];

/** Returns a typed line in lower case, with phrases replaced by the signs that mean the same. */
export function inSigns(line: string): string {
  return phrases
    .reduce((text, [phrase, signs]) => text.replace(phrase, signs), line.toLowerCase())
    .replace(range, rangeAsLimits);
}

/** Words between filters that say nothing. */
export const fillers: ReadonlySet<string> = new Set(['and', 'or', 'with', 'for', '&']);

/** Splits the unit of a price, such as `/h` or `/day`, of which the end may not be typed yet, from another unit. */
export function priceUnit(
  typed: string,
  hasDollar: boolean,
): { readonly unit: string; readonly priced: boolean; readonly perDay: boolean } {
  const [, unit = '', period = ''] = /^(.*?)\$?(\/(?:h|ho|hou|hour|hr|d|da|day)?)?$/.exec(typed) ?? [];
  return { unit, priced: hasDollar || period !== '', perDay: period.startsWith('/d') };
}
