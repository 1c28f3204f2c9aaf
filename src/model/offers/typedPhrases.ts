import { findPlaces } from './places';

const number = String.raw`\d+(?:[.,]\d+)?|[.,]\d+`;
const rangeUnits = 'gb|gib|tb|g|mbit|mbps|gbit|gbps|%|d|days?|weeks?|months?|cores?|gpus?|ports?';

/** `24-48gb`, `$0.2-$0.5`, `2 - 4 gpus`; `24gb -4090` is none. */
const range = new RegExp(
  String.raw`(?<=^|\s)(\$?)(${number})(?:${rangeUnits})?(?:[-–]|\s[-–]\s|\s+to\s+)\$?(${number})\s*(${rangeUnits})?(?=\s|$)`,
  'g',
);

function rangeAsLimits(whole: string, dollar: string, least: string, most: string, unit = ''): string {
  if (toNumber(least) > toNumber(most)) {
    // `4090-24gb` is a card and its memory.
    return whole;
  }
  const isPrice = dollar !== '' || (unit === '' && /[.,]/.test(least + most));
  return isPrice ? `>=$${least} <=$${most}` : unit === '' ? whole : `>=${least}${unit} <=${most}${unit}`;
}

function toNumber(typed: string): number {
  return Number(typed.replace(',', '.'));
}

const part = '(?:north|south)?(?:east|west|central)|north|south';
/** `us-east-1`, `eu west`; `north america`, `us south africa` and `south korea` are places themselves. */
const partOfPlace = new RegExp(
  String.raw`(?<![a-z])([a-z]{2,})[\s-]+(?:${part})(?:-?\d+)?(?:\s+coast)?(?=[\s,;|]|$)(?![\s-]+(?:america|africa|korea|carolina|dakota|virginia))`,
  'g',
);

/** Offers name their country only, so a part of it means the whole. */
function wholePlace(whole: string, place: string): string {
  return findPlaces(place).length > 0 ? place : whole;
}

const before = String.raw`\s+(?=[$.\d])`;
/** What people write in words, and how the same is written in signs; in this order. */
const phrases: readonly (readonly [RegExp, string])[] = [
  [
    new RegExp(String.raw`\b(?:at most|up to|(?:no more|less|cheaper) than|under|below|max)${before}`, 'g'),
    '<',
  ],
  [new RegExp(String.raw`\b(?:more than|over|above)${before}`, 'g'), '>'],
  [new RegExp(String.raw`\b(?:at least|min)${before}`, 'g'), '>='],
  [/(\d[a-z%]*)\s+or\s+(?:more|higher|above|better)\b/g, '$1+'],
  [/(?<=^|\s)(\$?\d[\d.]*(?:\/[a-z]+)?)\s+or\s+(?:less|lower|below|cheaper)\b/g, '<$1'],
  [
    /(?<=^|\s)(?:(?:but\s+)?(?:not|without|except|excluding|exclude|outside)|but|non)[\s-]+(?:(?:in|for|of)\s+)?(?=[a-z\d])/g,
    '-',
  ],
  // `gpu: 4090`
  [/(?<=^|\s)gpu\s*:\s*(?=[a-z]|\d{3})/g, ''],
  [/(?<=^|\s)between\s+(\S+)\s+and\s+(?=[$.\d])/g, '$1-'],
  [/\b(?:gpu|video|graphics)\s+(?:ram|memory|mem)\b/g, 'vram'],
  [/\b(?:system|host|cpu)\s+(?:ram|memory|mem)\b/g, 'ram'],
  [/\bdisk\s+space\b/g, 'disk'],
  [/\b(?:open|direct)\s+(?=ports?\b)/g, ''],
  [/\bmulti[\s-]?gpus?\b/g, 'x2+'],
  [/\bsingle\s+(?:gpu\b)?/g, 'x1 '],
  [/\bdual\s+(?:gpus?\b)?/g, 'x2 '],
  [/\bquad\s+(?:gpus?\b)?/g, 'x4 '],
  // `$10 a day`, `0.5 $/h`
  [/(\d) ?\$? ?(?:\/ ?|per |an? )(?:hours?|hr|h)\b/g, '$1/h'],
  [/(\d) ?\$? ?(?:\/ ?|per |an? )(?:days?|d)\b/g, '$1/day'],
  [/(\d) ?\$? ?(?:\/ ?|per |an? )(?:months?|mo)\b/g, '$1/month'],
  // `2 x 4090`, `4090 x 2`
  [/(?<=^|\s)(\d{1,2})\s+[x×*]\s+(?=\S)/g, 'x$1 '],
  [/(?<=\s)[x×*]\s+(\d{1,2})(?=\s|$)/g, 'x$1'],
];

/** Returns a typed line in lower case, with phrases replaced by the signs that mean the same. */
export function inSigns(line: string): string {
  return phrases
    .reduce((text, [phrase, signs]) => text.replace(phrase, signs), line.toLowerCase())
    .replace(range, rangeAsLimits)
    .replace(partOfPlace, wholePlace);
}

/** Words between filters without a meaning. */
export const fillers: ReadonlySet<string> = new Set(
  'and or with for & a an the of any anywhere only please available cheap cheapest nvidia gpu gpus machine machines server hbm2 hbm2e hbm3 hbm3e'.split(
    ' ',
  ),
);

/** Names of processors and makers are looked for in the rows, and a price may follow: `epyc <0.8`. */
export const rowWords: ReadonlySet<string> = new Set(
  'amd intel epyc ryzen xeon threadripper core gold silver platinum rtx gtx geforce tesla quadro'.split(' '),
);

/** Splits the unit of a price, such as `/h` or `/day`, of which the end may not be typed yet, from another unit. */
export function priceUnit(
  typed: string,
  hasDollar: boolean,
): { readonly unit: string; readonly priced: boolean; readonly hours: number } {
  const period = '/(?:h|ho|hou|hour|hr|d|da|day|m|mo|mon|mont|month)?';
  const [, unit = '', per = ''] = new RegExp(`^(.*?)\\$?(${period})?$`).exec(typed) ?? [];
  const hours = per.startsWith('/d') ? 24 : per.startsWith('/m') ? 720 : 1;
  return { unit, priced: hasDollar || per !== '', hours };
}
