/**
 * Text of a stranger as one plain line: no control or hidden characters, nothing that becomes an icon, and no link,
 * which a notification would draw and which could run a command.
 */
export function plainLabel(value: string): string {
  return value
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ')
    .replaceAll('$(', '$ (')
    .replace(/\]\s*\(/g, '] - (')
    .trim();
}
