import { plainLabel } from '../../util/plainLabel';

/** The most characters of a client's name that fit a row and a question. */
const mostOfName = 40;

/**
 * The name that a client gives itself, as one short and plain line without quotation marks: it is shown inside of them,
 * as a claim.
 */
export function claimedName(value: string): string {
  const plain = plainLabel(value.slice(0, 10 * mostOfName)).replace(/["'`´«»‹›\u2018-\u201f]/g, '');
  return Array.from(plain).slice(0, mostOfName).join('').trim() || 'agent';
}
