/** A number above or equal to zero as people write it; `NaN` for anything else, such as `0x10`, `1e1` or an empty line. */
export function typedNumber(typed: string): number {
  const line = typed.trim().replace(',', '.');
  return /^(?:\d+(?:\.\d*)?|\.\d+)$/.test(line) ? Number(line) : Number.NaN;
}
