/**
 * Pure functions for our three lines in the user's SSH config. The text is read as Latin-1, one character per byte,
 * so that the user's own lines stay byte for byte.
 */
const startMarker = '# >>> GPU Rental >>>';
const endMarker = '# <<< GPU Rental <<<';
/** Part of the block in a file that we created, so that removing the block removes the file. */
const createdLine = '# This file was created by GPU Rental.';
const utf8Bom = '\u00EF\u00BB\u00BF';

/** Why a file is left unchanged. */
export type BlockTrouble =
  | 'doubled'
  | 'unfinished'
  | 'altered'
  /** The encoding is one in which ssh would not read our line. */
  | 'encoding';

export type BlockPlacement =
  | { readonly kind: 'same' }
  | { readonly kind: 'changed'; readonly text: string }
  | { readonly kind: 'trouble'; readonly trouble: BlockTrouble; readonly line: number };

export interface Block {
  /** Offsets in the text; `end` is after the line ending. */
  readonly start: number;
  readonly end: number;
  readonly include: string | undefined;
  readonly createdFile: boolean;
}

type Found =
  | { readonly kind: 'none' }
  | { readonly kind: 'block'; readonly block: Block }
  | { readonly kind: 'trouble'; readonly trouble: BlockTrouble; readonly line: number };

/**
 * Puts the block with this Include first, or returns that it is already there, or why the file must not be changed.
 */
export function placeBlock(current: string, wanted: string, isNewFile: boolean): BlockPlacement {
  // Our own line is UTF-8, in a file of any encoding.
  const include = Buffer.from(wanted, 'utf8').toString('latin1');
  const found = findBlock(current);
  if (found.kind === 'trouble') {
    return found;
  }
  if (found.kind === 'none' && startsWithInclude(current, include)) {
    return { kind: 'same' };
  }
  const createdFile = isNewFile || (found.kind === 'block' && found.block.createdFile);
  if (found.kind === 'block' && found.block.include === include && isFirst(current, found.block)) {
    return { kind: 'same' };
  }
  const rest =
    found.kind === 'block' ? current.slice(0, found.block.start) + current.slice(found.block.end) : current;
  const bom = rest.startsWith(utf8Bom) ? utf8Bom : '';
  const eol = lineEnding(rest === bom ? current : rest);
  const lines = [startMarker, ...(createdFile ? [createdLine] : []), `Include ${include}`, endMarker];
  const block = lines.map((line) => line + eol).join('');
  return { kind: 'changed', text: bom + block + rest.slice(bom.length) };
}

/** Removes the block; `removeFile` if we created the file and it has no other content. */
export function removeBlock(current: string): BlockPlacement | { readonly kind: 'removeFile' } {
  const found = findBlock(current);
  if (found.kind === 'none') {
    return { kind: 'same' };
  }
  if (found.kind === 'trouble') {
    return found;
  }
  const { start, end, createdFile } = found.block;
  const text = current.slice(0, start) + current.slice(end);
  return text === '' && createdFile ? { kind: 'removeFile' } : { kind: 'changed', text };
}

export function findBlock(current: string): Found {
  if (/\u0000/.test(current) || /^(?:\u00FF\u00FE|\u00FE\u00FF)/.test(current)) {
    return { kind: 'trouble', trouble: 'encoding', line: 1 };
  }
  const lines = splitLines(current);
  const starts = lines.filter((line) => line.text.includes(startMarker));
  const ends = lines.filter((line) => line.text.includes(endMarker));
  const [first] = starts;
  const [last] = ends;
  if (!first && !last) {
    return { kind: 'none' };
  }
  const extra = starts[1] ?? ends[1];
  if (extra) {
    return { kind: 'trouble', trouble: 'doubled', line: extra.number };
  }
  if (!first || !last || last.number < first.number) {
    return { kind: 'trouble', trouble: 'unfinished', line: (first ?? last)?.number ?? 1 };
  }
  const inner = lines.slice(first.number, last.number - 1);
  const includes = inner.filter((line) => /^include\s/i.test(line.text.trim()));
  const foreign = inner.find((line) => !includes.includes(line) && !isSilent(line.text));
  if (first.text.trim() !== startMarker || last.text.trim() !== endMarker || foreign || includes[1]) {
    return { kind: 'trouble', trouble: 'altered', line: (foreign ?? includes[1] ?? first).number };
  }
  return {
    kind: 'block',
    block: {
      start: first.start,
      end: last.end,
      include: includes[0]?.text.trim().replace(/^include\s+/i, ''),
      createdFile: inner.some((line) => line.text.trim() === createdLine),
    },
  };
}

/** Returns true if the file starts with the line that users of a managed config paste by hand. */
function startsWithInclude(current: string, include: string): boolean {
  const first = splitLines(current).find((line) => !isSilent(line.text));
  const match = /^\s*include[ \t]+(.*?)\s*$/i.exec(first?.text ?? '');
  return match?.[1] === include;
}

/**
 * Returns true if only comments and empty lines precede the block, which make no difference to ssh, so that it need
 * not move.
 */
function isFirst(current: string, block: Block): boolean {
  const before = current.slice(current.startsWith(utf8Bom) ? utf8Bom.length : 0, block.start);
  return splitLines(before).every((line) => isSilent(line.text));
}

function isSilent(line: string): boolean {
  return /^\s*(?:#.*)?$/.test(line);
}

interface Line {
  readonly number: number;
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

function splitLines(value: string): Line[] {
  const lines: Line[] = [];
  let start = value.startsWith(utf8Bom) ? utf8Bom.length : 0;
  while (start < value.length) {
    const feed = value.indexOf('\n', start);
    const end = feed < 0 ? value.length : feed + 1;
    const text = value.slice(start, end).replace(/\r?\n$/, '');
    lines.push({ number: lines.length + 1, text, start, end });
    start = end;
  }
  return lines;
}

function lineEnding(value: string): '\r\n' | '\n' {
  const feed = value.indexOf('\n');
  return feed > 0 && value[feed - 1] === '\r' ? '\r\n' : '\n';
}
