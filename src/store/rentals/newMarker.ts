import { randomBytes } from 'node:crypto';

/** Names one rental in the label of its instance; eight hexadecimal digits. */
export function newMarker(): string {
  return randomBytes(4).toString('hex');
}
