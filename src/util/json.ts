import { UserError } from './errors';
import { text } from './text';

/** Deeper than any record or document; recursive code fails at some thousand levels. */
export const deepestJson = 64;

/** A JSON text is nested deeper than any meaningful text. */
export class JsonTooDeepError extends UserError {
  constructor() {
    super(
      text(
        'The JSON is nested more than {0} levels deep. Remove the inner levels and try again.',
        deepestJson,
      ),
    );
  }
}

/** Parses JSON of a stranger. Throws a `SyntaxError`, or `JsonTooDeepError`. */
export function parseJson(source: string): unknown {
  if (tooDeepAt(source) !== undefined) {
    throw new JsonTooDeepError();
  }
  return JSON.parse(source);
}

const relevant = /["{}[\]]|\/[/*]/g;
const endOfString = /["\n\\]/g;

/**
 * Returns where a text has more levels than any use has, before it is parsed; comments are passed over. One pass,
 * without calling itself.
 */
export function tooDeepAt(source: string): number | undefined {
  let depth = 0;
  let at = 0;
  for (;;) {
    relevant.lastIndex = at;
    const found = relevant.exec(source);
    if (!found) {
      return undefined;
    }
    const [sign] = found;
    at = found.index + sign.length;
    if (sign === '"') {
      at = afterString(source, at);
    } else if (sign === '//' || sign === '/*') {
      const end = source.indexOf(sign === '//' ? '\n' : '*/', at);
      at = end < 0 ? source.length : end + (sign === '//' ? 1 : 2);
    } else {
      depth = sign === '{' || sign === '[' ? depth + 1 : Math.max(0, depth - 1);
      if (depth > deepestJson) {
        return found.index;
      }
    }
  }
}

/** Returns the place after the end of a string, which a line break ends as well. */
function afterString(source: string, start: number): number {
  for (let at = start; ;) {
    endOfString.lastIndex = at;
    const end = endOfString.exec(source);
    if (!end) {
      return source.length;
    }
    if (end[0] !== '\\') {
      return end.index + 1;
    }
    at = end.index + 2;
  }
}
