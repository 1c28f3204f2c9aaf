import { randomBytes, randomInt } from 'node:crypto';
import { newTotpSecret } from './totp';

/** The source of unguessable values; tests pass their own. */
export interface Tokens {
  /** For challenges and sessions. */
  token(): string;
  /** Six digits. */
  code(): string;
  totpSecret(): string;
  /** Makes a code of the form `XXXX-XXXX-XXXX` (docs/service/two-factor.md#backup-codes). */
  backupCode(): string;
}

/** No 0, O, 1 or I: people copy these from paper. */
const readable = 'ABCDEFGHJKLMNPQRSTUVWXYZ23456789';

export const randomTokens: Tokens = {
  token: () => randomBytes(32).toString('hex'),
  code: () => String(randomInt(1_000_000)).padStart(6, '0'),
  totpSecret: newTotpSecret,
  backupCode: () => {
    const letters = Array.from({ length: 12 }, () => readable.charAt(randomInt(readable.length))).join('');
    return `${letters.slice(0, 4)}-${letters.slice(4, 8)}-${letters.slice(8)}`;
  },
};

/** Wraps tokens so that each is reported as it is made. */
export function reportedTokens(
  tokens: Tokens,
  notify: ((token: { readonly kind: keyof Tokens; readonly value: string }) => void) | undefined,
): Tokens {
  const reporting = (kind: keyof Tokens) => () => {
    const value = tokens[kind]();
    notify?.({ kind, value });
    return value;
  };
  return {
    token: reporting('token'),
    code: reporting('code'),
    totpSecret: reporting('totpSecret'),
    backupCode: reporting('backupCode'),
  };
}
