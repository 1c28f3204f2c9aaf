import type { KeyTroubleKind } from './keyTrouble';
import { parsePublicKey, type PublicKey } from './publicKey';

/** The unencrypted facts in a private key file. */
export interface PrivateKeyFacts {
  /** True if it needs a passphrase. */
  readonly encrypted: boolean;
  /** OpenSSH's own format contains the public part in clear, whether or not the rest is encrypted. */
  readonly publicKey: PublicKey | undefined;
  /** Why ssh can't read it with any passphrase. */
  readonly trouble?: KeyTroubleKind;
}

const magic = 'openssh-key-v1\0';

/**
 * Reads a private key as far as possible without a passphrase; `undefined` for anything else. OpenSSH's own format
 * names the cipher after `openssh-key-v1`, followed by the public part (PROTOCOL.key of OpenSSH); older formats state
 * the encryption in a header.
 */
export function readPrivateKey(content: Buffer, comment: string): PrivateKeyFacts | undefined {
  const text = content.toString('latin1');
  const other = otherFormat(text, comment);
  if (other) {
    return other;
  }
  if (!/-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY-----/.test(text)) {
    return undefined;
  }
  const body = /BEGIN OPENSSH PRIVATE KEY-----([^-]*)/.exec(text)?.[1];
  if (body === undefined) {
    const encrypted = /BEGIN ENCRYPTED PRIVATE KEY|Proc-Type: 4,ENCRYPTED/.test(text);
    return { encrypted, publicKey: undefined };
  }
  const blob = Buffer.from(body, 'base64');
  const strings = readStrings(blob.subarray(magic.length), 3);
  const [cipher, , , publicPart] = strings;
  const trouble = troubleOf(text, blob);
  return {
    encrypted: cipher !== undefined && cipher.toString('latin1') !== 'none',
    publicKey: publicPart && publicKeyOf(publicPart, comment),
    ...(trouble === undefined ? {} : { trouble }),
  };
}

const begin = '-----BEGIN OPENSSH PRIVATE KEY-----\n';
const end = '\n-----END OPENSSH PRIVATE KEY-----\n';

/** ssh wants both marks as whole lines that end with LF, the first at the start (`private2_uudecode` in sshkey.c). */
function troubleOf(text: string, blob: Buffer): KeyTroubleKind | undefined {
  if (/^-----(?:BEGIN|END)[^\n]*\r$/m.test(text)) {
    return 'lineEnds';
  }
  if (text.startsWith(begin) && text.endsWith(end.trimEnd())) {
    return 'lastLineEnd';
  }
  const isWhole = text.startsWith(begin) && text.includes(end) && endsWithin(blob);
  return isWhole ? undefined : 'damaged';
}

/** Returns whether the file has all the parts that it announces; the last is the private one. */
function endsWithin(blob: Buffer): boolean {
  const isOurs = blob.subarray(0, magic.length).toString('latin1') === magic;
  return isOurs && readStrings(blob.subarray(magic.length), 3, 5).length === 5;
}

/** Formats that ssh does not read, some of which name the public part. */
function otherFormat(text: string, comment: string): PrivateKeyFacts | undefined {
  if (/^PuTTY-User-Key-File-\d+: /.test(text)) {
    const count = Number(/^Public-Lines: (\d{1,3})\r?$/m.exec(text)?.[1] ?? 0);
    const lines = text.split(/^Public-Lines: \d+\r?\n/m)[1]?.split(/\r?\n/) ?? [];
    const publicKey = publicKeyOf(Buffer.from(lines.slice(0, count).join(''), 'base64'), comment);
    return { encrypted: false, publicKey, trouble: 'putty' };
  }
  const publicKey = parsePublicKey(text);
  return publicKey && { encrypted: false, publicKey, trouble: 'publicPart' };
}

/** Reads cipher, key derivation and its options; then, after a key count that is always 1, the public part. */
function readStrings(bytes: Buffer, beforeNumber: number, most = beforeNumber + 1): readonly Buffer[] {
  const strings: Buffer[] = [];
  let at = 0;
  while (strings.length < most) {
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
