import { shownName } from '../rawPath';

const mostNames = 5;

/** Returns the first of raw names for a message; the root is a dot. */
export function shownNames(names: readonly string[]): string {
  const shown = names.slice(0, mostNames).map((name) => shownName(name === '' ? '.' : name));
  return shown.join(', ') + (names.length > mostNames ? ` … (${names.length})` : '');
}
