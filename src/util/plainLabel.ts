/** More of one name or text than this hides the sentence around it. */
const longestArgument = 400;

/**
 * Text of a stranger as one plain line: no control or hidden characters, nothing that becomes an icon, and no link,
 * which a notification would draw and which could run a command.
 */
export function plainLabel(value: string): string {
  // Most words of most rows: nothing in them needs a change.
  if (/^[\w .,:;%#+·×…/-]*$/.test(value)) {
    return value.trim();
  }
  return value
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ')
    .replaceAll('$(', '$ (')
    .replace(/\]\s*\(/g, '] - (')
    .trim();
}

/**
 * Lines of a program as they are, for the detail of a dialog, which draws no icon and no link. What would hide a part of them
 * is replaced.
 */
export function plainLines(value: string): string {
  return value.replace(/[^\P{C}\n\t]|[\p{Zl}\p{Zp}]/gu, '\ufffd');
}

/** The same for a value inside a sentence, which is cut where it would bury the sentence. */
export function plainArgument(value: string): string {
  const plain = plainLabel(value);
  return plain.length > longestArgument ? `${plain.slice(0, longestArgument).trimEnd()}…` : plain;
}
