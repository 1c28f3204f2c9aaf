import type * as z from 'zod';

/** The answer for a model. VS Code passes on only the structured part if there is one, so it contains everything. */
export interface ToolAnswer {
  /** At most 6 KB as JSON. */
  readonly structured: Readonly<Record<string, unknown>>;
  /** The same as JSON text, or the sentence of an error. */
  readonly text: string;
  readonly isError: boolean;
}

/** A tool can't do what was requested; the sentence states what the model can do next. */
export class ToolError extends Error {}

/** Clients move or cut larger answers. */
export const mostBytes = 6144;
/**
 * The room for additions to an answer after its pages and texts are cut, such as
 * the names of arguments that were ignored.
 */
const spareBytes = 256;

export function errorAnswer(problem: string): ToolAnswer {
  const error = withoutControls(problem).slice(0, 1000);
  return { structured: { error }, text: error, isError: true };
}

/**
 * Makes an answer without cutting it: larger parts were cut before, by `pageOf` and `endOfText`, which state that.
 */
export function toolAnswer(structured: Readonly<Record<string, unknown>>): ToolAnswer {
  return sizeOf(structured) > mostBytes
    ? errorAnswer('The result is too large. Ask for fewer rows or lines.')
    : { structured, text: JSON.stringify(structured), isError: false };
}

/**
 * Returns a part of a list: as many whole rows as are asked for and fit, and where to read on if there are more. The
 * cursor is a number of rows unless `cursorOf` names the last row of the page.
 */
export function pageOf(
  key: string,
  rows: readonly object[],
  { from, limit, cursorOf }: { from: number; limit: number; cursorOf?: (at: number) => string },
  rest: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  const wanted = rows.slice(from, from + limit);
  const pageWith = (count: number) => {
    const end = from + count;
    return {
      [key]: wanted.slice(0, count),
      total: rows.length,
      ...rest,
      ...(count > 0 && end < rows.length
        ? { cursor: cursorOf?.(end - 1) ?? String(end), next: 'There are more: call again with this cursor.' }
        : {}),
    };
  };
  let count = wanted.length;
  while (count > 1 && sizeOf(pageWith(count)) > mostBytes - spareBytes) {
    count -= 1;
  }
  return pageWith(count);
}

/** The end of a long text of strangers, in so many bytes of JSON at most: the end of a log is its news. */
export function endOfText(value: string, most: number): { readonly text: string; readonly isCut: boolean } {
  const part = value.slice(-4 * most);
  const plain = withoutControls(part);
  const characters = Array.from(plain);
  // Two quotation marks, and the mark of the cut.
  let remaining = most - 5;
  let from = characters.length;
  while (from > 0) {
    remaining -= sizeOf(characters[from - 1]) - 2;
    if (remaining < 0) {
      break;
    }
    from -= 1;
  }
  const isCut = from > 0 || part.length < value.length;
  return { text: isCut ? `…${characters.slice(from).join('')}` : plain, isCut };
}

/** Words of strangers for a model: no controls, no marks that turn the reading direction, and cut. */
export function untrustedText(value: string, mostCharacters = 2048): string {
  // Cut first: a text of a megabyte is not searched whole. The end of a log is its news.
  const part = value.length > 4 * mostCharacters ? value.slice(-4 * mostCharacters) : value;
  const plain = withoutControls(part);
  return plain.length > mostCharacters ? `…${plain.slice(-mostCharacters + 1)}` : plain;
}

/** The fields that do not fit, with their rule. */
export function misfitText(error: z.ZodError): string {
  const places = error.issues
    .slice(0, 5)
    .map(({ path, message }) => `${path.length === 0 ? 'arguments' : path.join('.')}: ${message}`);
  return `The arguments do not fit. ${places.join('; ')}. Correct them and call the tool again.`;
}

const escapes = /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|.)?/g;

function withoutControls(value: string): string {
  // Tabs and line ends carry meaning in a log; every other control and format character does not, nor does half a pair.
  return value.replace(escapes, '').replace(/(?![\t\n])[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Cs}\u2028\u2029]/gu, '');
}

function sizeOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}
