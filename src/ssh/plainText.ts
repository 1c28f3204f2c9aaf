const limit = 400;

/**
 * Makes what a machine said fit to be shown: no control characters, so that it cannot drive a
 * terminal, no marks that turn the reading direction around, and not without end.
 */
export function plainText(value: string): string {
  const escapes = /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|.)?/g;
  const plain = value
    .replace(escapes, '')
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ')
    .trim();
  return plain.length > limit ? `${plain.slice(0, limit)}…` : plain;
}
