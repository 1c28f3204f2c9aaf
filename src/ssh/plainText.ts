import { plainLabel } from '../util/plainLabel';

const limit = 400;

/**
 * Makes what a machine said fit to be shown: no control characters, so that it cannot drive a
 * terminal, no marks that turn the reading direction around, no link, and not without end.
 */
export function plainText(value: string): string {
  const escapes = /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|.)?/g;
  const plain = plainLabel(value.replace(escapes, ''));
  return plain.length > limit ? `${plain.slice(0, limit)}…` : plain;
}
