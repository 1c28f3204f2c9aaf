/**
 * JSON for an editor. Line and paragraph separators are written as escapes: editors take them for the end of a line and
 * ask about "unusual line terminators".
 */
export function jsonText(value: unknown, indent?: string | number): string {
  return JSON.stringify(value, null, indent).replace(/[\u2028\u2029]/g, (separator) =>
    separator === '\u2028' ? '\\u2028' : '\\u2029',
  );
}
