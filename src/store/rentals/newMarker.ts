import { newOwnId } from '../idFolder';

/** Returns a new marker, which identifies a rental in the label of its instance. */
export function newMarker(): string {
  return newOwnId();
}
