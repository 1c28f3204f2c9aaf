const units = ['B', 'kB', 'MB', 'GB', 'TB'];

/** A size as people read it, in powers of a thousand: `512 B`, `4.2 MB`, `137 GB`. */
export function bytesText(bytes: number): string {
  let value = bytes;
  let unit = 0;
  // A value that rounds up to a thousand becomes one of the next unit.
  while (value >= 999.5 && unit < units.length - 1) {
    value /= 1000;
    unit += 1;
  }
  return `${unit === 0 || value >= 9.95 ? Math.round(value) : value.toFixed(1)} ${units[unit] ?? ''}`;
}
