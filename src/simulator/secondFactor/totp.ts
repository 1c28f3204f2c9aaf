import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
const stepSeconds = 30;
const digits = 6;
/** Steps of clock difference that are tolerated, before and after (RFC 6238, section 5.2). */
const drift = 1;

/** 160 random bits as base32, the length that RFC 4226 recommends for SHA-1. */
export function newTotpSecret(): string {
  return toBase32(randomBytes(20));
}

export function toBase32(bytes: Uint8Array): string {
  let bits = 0;
  let held = 0;
  let text = '';
  for (const byte of bytes) {
    held = (held << 8) | byte;
    bits += 8;
    while (bits >= 5) {
      bits -= 5;
      text += alphabet.charAt((held >>> bits) & 31);
    }
    held &= (1 << bits) - 1;
  }
  return bits > 0 ? text + alphabet.charAt((held << (5 - bits)) & 31) : text;
}

/** Reads base32 with or without padding and spaces, in either case; `undefined` for anything else. */
export function fromBase32(text: string): Buffer | undefined {
  const bytes: number[] = [];
  let bits = 0;
  let held = 0;
  for (const letter of text.toUpperCase().replace(/[\s=]/g, '')) {
    const value = alphabet.indexOf(letter);
    if (value < 0) {
      return undefined;
    }
    held = (held << 5) | value;
    bits += 5;
    if (bits >= 8) {
      bits -= 8;
      bytes.push((held >>> bits) & 255);
      held &= (1 << bits) - 1;
    }
  }
  return bytes.length > 0 ? Buffer.from(bytes) : undefined;
}

/** The six digits of one counter value (RFC 4226, section 5.3). */
function hotp(key: Uint8Array, counter: number): string {
  const message = Buffer.alloc(8);
  message.writeBigUInt64BE(BigInt(counter));
  const mac = createHmac('sha1', key).update(message).digest();
  const offset = (mac[mac.length - 1] ?? 0) & 15;
  const value = mac.readUInt32BE(offset) & 0x7fffffff;
  return String(value % 10 ** digits).padStart(digits, '0');
}

/** What an authenticator shows at a time in Unix seconds. */
export function totpAt(secret: string, nowSeconds: number): string | undefined {
  const key = fromBase32(secret);
  return key && hotp(key, Math.floor(nowSeconds / stepSeconds));
}

/**
 * The step whose code this is, or `undefined`. `after` is the step of the last accepted code: a code
 * is good once (RFC 6238, section 5.2).
 */
export function matchTotp(
  secret: string,
  code: string,
  nowSeconds: number,
  after = Number.NEGATIVE_INFINITY,
): number | undefined {
  const key = fromBase32(secret);
  if (!key || !/^\d{6}$/.test(code)) {
    return undefined;
  }
  const now = Math.floor(nowSeconds / stepSeconds);
  for (let step = Math.max(0, now - drift); step <= now + drift; step += 1) {
    if (step > after && timingSafeEqual(Buffer.from(hotp(key, step)), Buffer.from(code))) {
      return step;
    }
  }
  return undefined;
}

/** The address that authenticator apps read from a QR picture. */
export function provisioningUri(secret: string, account: string, issuer = 'GPU Rental Simulator'): string {
  const label = `${encodeURIComponent(issuer)}:${encodeURIComponent(account)}`;
  return `otpauth://totp/${label}?secret=${secret}&issuer=${encodeURIComponent(issuer)}`;
}
