/** Longest piece of the service's own words that is shown. */
const longest = 300;

/**
 * Makes text of the service fit for a message: one line, no control or direction-changing
 * characters, no Markdown link that could run a command, no secret, not too long.
 */
export function cleanServiceText(value: string, secrets: readonly string[] = []): string | undefined {
  let clean = value;
  for (const secret of secrets) {
    if (secret.length >= 4) {
      clean = clean.split(secret).join('•••');
    }
  }
  clean = clean
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ')
    .replace(/\]\s*\(/g, '] - (')
    .replace(/\s+/g, ' ')
    .trim();
  if (clean.length > longest) {
    clean = `${clean.slice(0, longest).trimEnd()}…`;
  }
  return clean === '' ? undefined : clean;
}

/** A sentence of the service, closed with a full stop so that ours can follow. */
export function ended(sentence: string): string {
  return /[.!?…]$/.test(sentence) ? sentence : `${sentence}.`;
}
