import type * as z from 'zod';

/** What a model is given. VS Code hands on the structured part alone where there is one, so it says everything. */
export interface ToolAnswer {
  /** At most 6 KB as JSON. */
  readonly structured: Readonly<Record<string, unknown>>;
  /** The same as JSON text, or the sentence of an error. */
  readonly text: string;
  readonly isError: boolean;
}

/** A tool that can't do what was asked; the sentence tells the model what to do next. */
export class ToolError extends Error {}

/** Clients move or cut what is larger. */
export const mostBytes = 6144;

export function errorAnswer(problem: string): ToolAnswer {
  const error = withoutControls(problem).slice(0, 1000);
  return { structured: { error }, text: error, isError: true };
}

/** Strangers' texts are shortened, then the longest lists lose their last rows, until all of it fits. */
export function toolAnswer(value: Readonly<Record<string, unknown>>): ToolAnswer {
  let structured = value;
  for (const most of [4096, 2048, 1024, 512, 256, 128, 64]) {
    if (sizeOf(structured) <= mostBytes) {
      break;
    }
    structured = cutUntrusted(value, most);
  }
  while (sizeOf(structured) > mostBytes) {
    const shorter = withoutLastRow(structured);
    if (shorter === undefined) {
      return errorAnswer('The result is too large. Ask for fewer rows or lines.');
    }
    structured = shorter;
  }
  return { structured, text: JSON.stringify(structured), isError: false };
}

/** Returns how many rows under a key fit the answer, so that the next page can begin with the first that does not. */
export function rowsThatFit(value: Readonly<Record<string, unknown>>, key: string): number {
  const rows = toolAnswer(value).structured[key];
  return Array.isArray(rows) ? rows.length : 0;
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

function cutUntrusted<T>(value: T, most: number): T {
  const walk = (part: unknown, isForeign: boolean): unknown => {
    if (typeof part === 'string') {
      return isForeign ? untrustedText(part, most) : part;
    }
    if (Array.isArray(part)) {
      return part.map((item) => walk(item, isForeign));
    }
    return typeof part === 'object' && part !== null
      ? Object.fromEntries(
          Object.entries(part).map(([key, item]) => [key, walk(item, isForeign || key === 'untrusted')]),
        )
      : part;
  };
  return walk(value, false) as T;
}

function withoutLastRow(
  value: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> | undefined {
  const [longest] = Object.entries(value)
    .flatMap(([key, rows]) =>
      Array.isArray(rows) && rows.length > 0 ? [{ key, rows: rows as unknown[] }] : [],
    )
    .sort((one, other) => other.rows.length - one.rows.length);
  return longest && { ...value, [longest.key]: longest.rows.slice(0, -1), isCut: true };
}
