import { parsePublicKey, type PublicKey } from './publicKey';

/** The unencrypted facts in a private key file. */
export interface PrivateKeyFacts {
  /** True if it needs a passphrase. */
  readonly encrypted: boolean;
  /** OpenSSH's own format contains the public part in clear, whether or not the rest is encrypted. */
  readonly publicKey: PublicKey | undefined;
}

const magic = 'openssh-key-v1\0';

/**
 * Reads a private key as far as possible without a passphrase; `undefined` for anything else. OpenSSH's own format
 * names the cipher after `openssh-key-v1`, followed by the public part (PROTOCOL.key of OpenSSH); older formats state
 * the encryption in a header.
 */
export function readPrivateKey(content: Buffer, comment: string): PrivateKeyFacts | undefined {
  const text = content.toString('latin1');
  if (!/-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY-----/.test(text)) {
    return undefined;
  }
  const body = /BEGIN OPENSSH PRIVATE KEY-----([^-]*)-----END/.exec(text)?.[1];
  if (body === undefined) {
    const encrypted = /BEGIN ENCRYPTED PRIVATE KEY|Proc-Type: 4,ENCRYPTED/.test(text);
    return { encrypted, publicKey: undefined };
  }
  const blob = Buffer.from(body, 'base64');
  const strings = readStrings(blob.subarray(magic.length), 3);
  const [cipher, , , publicPart] = strings;
  return {
    encrypted: cipher?.toString('latin1') !== 'none',
    publicKey: publicPart && publicKeyOf(publicPart, comment),
  };
}

/** Reads cipher, key derivation and its options; then, after a key count that is always 1, the public part. */
function readStrings(bytes: Buffer, beforeNumber: number): readonly Buffer[] {
  const strings: Buffer[] = [];
  let at = 0;
  while (strings.length <= beforeNumber) {
    at += strings.length === beforeNumber ? 4 : 0;
    const length = at + 4 <= bytes.length ? bytes.readUInt32BE(at) : undefined;
    if (length === undefined || at + 4 + length > bytes.length) {
      break;
    }
    strings.push(bytes.subarray(at + 4, at + 4 + length));
    at += 4 + length;
  }
  return strings;
}

function publicKeyOf(blob: Buffer, comment: string): PublicKey | undefined {
  const length = blob.length >= 4 ? blob.readUInt32BE(0) : 0;
  const type = blob.subarray(4, 4 + length).toString('latin1');
  return parsePublicKey(`${type} ${blob.toString('base64')} ${comment}`);
}
