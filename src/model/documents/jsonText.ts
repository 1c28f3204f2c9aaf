/**
 * Formats JSON for an editor. Line and paragraph separators are escaped, because editors read them as line ends and
 * warn about "unusual line terminators".
 */
export function jsonText(value: unknown, indent?: string | number): string {
  return JSON.stringify(value, null, indent).replace(/[\u2028\u2029]/g, (separator) =>
    separator === '\u2028' ? '\\u2028' : '\\u2029',
  );
}
