import { generateKeyPairSync, randomBytes } from 'node:crypto';

/** A fresh Ed25519 key in OpenSSH's own format, which both servers read (openssh PROTOCOL.key). */
export function newHostKey(comment: string): string {
  const { privateKey } = generateKeyPairSync('ed25519');
  const jwk = privateKey.export({ format: 'jwk' });
  const publicBytes = Buffer.from(jwk.x ?? '', 'base64url');
  const seed = Buffer.from(jwk.d ?? '', 'base64url');
  const publicBlob = Buffer.concat([sshString('ssh-ed25519'), sshString(publicBytes)]);
  const check = randomBytes(4);
  const secret = Buffer.concat([
    check,
    check,
    publicBlob,
    sshString(Buffer.concat([seed, publicBytes])),
    sshString(comment),
  ]);
  const missing = (8 - (secret.length % 8)) % 8;
  const padding = Buffer.from(Array.from({ length: missing }, (_, index) => index + 1));
  const blob = Buffer.concat([
    Buffer.from('openssh-key-v1\0', 'latin1'),
    sshString('none'),
    sshString('none'),
    sshString(''),
    Buffer.from([0, 0, 0, 1]),
    sshString(publicBlob),
    sshString(Buffer.concat([secret, padding])),
  ]);
  const lines = blob.toString('base64').match(/.{1,70}/g) ?? [];
  const name = 'OPENSSH PRIVATE KEY';
  return [`-----BEGIN ${name}-----`, ...lines, `-----END ${name}-----`, ''].join('\n');
}

function sshString(value: string | Buffer): Buffer {
  const bytes = typeof value === 'string' ? Buffer.from(value, 'utf8') : value;
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes.length);
  return Buffer.concat([length, bytes]);
}
