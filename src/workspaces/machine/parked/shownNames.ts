import { some } from '../../model/parking';
import { shownName } from '../rawPath';

/** Returns the first of raw names for a message; the root is a dot. */
export function shownNames(names: readonly string[]): string {
  return some(names.map((name) => shownName(name === '' ? '.' : name)));
}
