import { plainLog } from './logText';

/** What a job last printed of its progress, as it wrote the numbers. */
export interface LogNumbers {
  readonly epoch?: string | undefined;
  readonly step?: string | undefined;
  readonly loss?: string | undefined;
  readonly speed?: string | undefined;
}

/** The end of a piece in which numbers are looked for, in bytes; a log can be long. */
const lookedAt = 20_000;

const number = String.raw`[-+]?\d{1,12}(?:\.\d{1,12})?(?:e[-+]?\d{1,3})?`;
const count = String.raw`\d{1,9}(?:\.\d{1,6})?(?: {0,2}\/ {0,2}\d{1,9})?`;
const named = (name: string, value: string) =>
  new RegExp(
    String.raw`(?<![a-z_])${name}['"]?(?:\]| )?(?: {0,3}[:=] {0,8}| )\[?(${value})(?![\d.%]*[a-z%])`,
    'gi',
  );

/** Each looks a bounded way ahead, so the time grows with the text alone. */
const forms: Readonly<Record<keyof LogNumbers, readonly RegExp[]>> = {
  epoch: [named('epoch', count)],
  // tqdm: `45%|████    | 450/1000 [00:12<00:15, 36.10it/s]`
  step: [/\| {0,3}(\d{1,9}\/\d{1,9}) \[/g, named('(?:global_)?step', count)],
  loss: [named('(?:train_|train |training )?loss', number)],
  speed: [/(?<![\d.])(\d{1,9}(?:\.\d{1,6})? ?(?:it\/s|s\/it|steps\/s|samples\/s|tok(?:ens)?\/s))(?![a-z])/gi],
};

/** Returns the last numbers of a log with its next piece: what the piece does not name stays. */
export function numbersOf(piece: Uint8Array, before: LogNumbers = {}): LogNumbers {
  const end = plainLog(Buffer.from(piece.subarray(-lookedAt)).toString());
  const found = Object.entries(forms).flatMap(([name, patterns]) => {
    const last = patterns.flatMap((pattern) => lastOf(end, pattern) ?? []).sort((a, b) => a.at - b.at);
    return last.length === 0 ? [] : [[name, last.at(-1)?.value]];
  });
  return { ...before, ...(Object.fromEntries(found) as LogNumbers) };
}

function lastOf(words: string, pattern: RegExp): { readonly at: number; readonly value: string } | undefined {
  let last: { at: number; value: string } | undefined;
  for (const match of words.matchAll(pattern)) {
    last = { at: match.index, value: (match[1] ?? '').replace(/\s+/g, '') };
  }
  return last;
}
