import { BodyReader } from '../body';
import { ServiceError, type SimRequest } from '../route';

/** The form that the service accepts as an OpenSSH public key: a type, base64, a comment. */
const pattern =
  /^(ssh-ed25519|ssh-rsa|ecdsa-sha2-nistp(?:256|384|521)|sk-ssh-ed25519@openssh\.com|sk-ecdsa-sha2-nistp256@openssh\.com) ([A-Za-z0-9+/]{40,}={0,3})(?: ([^\r\n]*))?$/;

/** One line, trimmed; `undefined` for text that is no public key. */
export function parsePublicKey(text: string): string | undefined {
  const line = text.trim().replace(/[ \t]+/g, ' ');
  const match = pattern.exec(line);
  if (!match) {
    return undefined;
  }
  return isWhole(Buffer.from(match[2] ?? '', 'base64'), match[1] ?? '') ? line : undefined;
}

/** The key that a body names in `ssh_key`. @throws ServiceError 400. */
export function wantedKey({ body }: SimRequest): string {
  const publicKey = parsePublicKey(BodyReader.of(body, 'invalid_request').text('ssh_key') ?? '');
  if (publicKey === undefined) {
    throw new ServiceError(400, 'no_ssh_key', 'ssh_key must be an OpenSSH public key.');
  }
  return publicKey;
}

/** The blob is a row of fields with their lengths, the type first: an incomplete text is noticed. */
function isWhole(blob: Buffer, type: string): boolean {
  const fields: Buffer[] = [];
  let at = 0;
  while (at + 4 <= blob.length) {
    const end = at + 4 + blob.readUInt32BE(at);
    fields.push(blob.subarray(at + 4, end));
    at = end;
  }
  return at === blob.length && fields.length > 1 && fields[0]?.toString('latin1') === type;
}

/**
 * Returns the part that identifies a key; comments differ from place to place
 * (docs/service/ssh-keys.md#comparing-keys).
 */
export function keyBlob(publicKey: string): string {
  return publicKey.trim().split(/\s+/)[1] ?? '';
}

export function keyComment(publicKey: string): string {
  return publicKey.trim().split(/\s+/).slice(2).join(' ');
}
