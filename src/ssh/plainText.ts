import { plainLabel } from '../util/plainLabel';

const limit = 400;

/**
 * Makes text from a machine safe to display: no control characters, which could drive a terminal, no marks that
 * change the reading direction, no links, and a limited length.
 */
export function plainText(value: string): string {
  const escapes = /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|.)?/g;
  const plain = plainLabel(value.replace(escapes, ''));
  return plain.length > limit ? `${plain.slice(0, limit)}…` : plain;
}
