/** Text of a stranger as one plain line: no control or hidden characters, and nothing that becomes an icon. */
export function plainLabel(value: string): string {
  return value
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ')
    .replaceAll('$(', '$ (')
    .trim();
}
