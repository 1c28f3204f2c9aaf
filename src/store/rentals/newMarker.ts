import { randomBytes } from 'node:crypto';

/** Returns a new marker, eight hexadecimal digits, which identifies a rental in the label of its instance. */
export function newMarker(): string {
  return randomBytes(4).toString('hex');
}
