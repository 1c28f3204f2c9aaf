import { createHash } from 'node:crypto';

/** A parsed line of OpenSSH public key text. */
export interface PublicKey {
  readonly type: string;
  /** The key itself. Keys are compared by it, because comments differ (docs/service/ssh-keys.md#comparing-keys). */
  readonly base64: string;
  readonly comment: string;
  /** `SHA256:…` as `ssh-keygen -l` prints it. */
  readonly fingerprint: string;
}

const knownType =
  /^(?:ssh-(?:ed25519|rsa|dss)|ecdsa-sha2-nistp(?:256|384|521)|sk-(?:ssh-ed25519|ecdsa-sha2-nistp256)@openssh\.com)(?:-cert-v01@openssh\.com)?$/;
const base64Text = /^[A-Za-z0-9+/]{32,}={0,2}$/;

/** Parses public key text; `undefined` unless it is one line with one key. */
export function parsePublicKey(line: string): PublicKey | undefined {
  const trimmed = line.trim();

  if (/[\u0000-\u0008\u000a-\u001f\u007f]/.test(trimmed)) {
    return undefined;
  }
  const [type = '', base64 = '', ...rest] = trimmed.split(/[ \t]+/);
  if (!knownType.test(type) || !base64Text.test(base64)) {
    return undefined;
  }
  const blob = Buffer.from(base64, 'base64');
  // The blob begins with its own type, so that a type can't be combined with another key.
  const length = blob.length >= 4 ? blob.readUInt32BE(0) : 0;
  if (blob.subarray(4, 4 + length).toString('latin1') !== type) {
    return undefined;
  }
  const hash = createHash('sha256')
    .update(blob)
    .digest('base64')
    .replace(/(?<!=)=+$/, '');
  return { type, base64, comment: rest.join(' '), fingerprint: `SHA256:${hash}` };
}

/** Returns true if both texts contain the same key, with any comments. */
export function sameKey(one: string, other: string): boolean {
  const left = parsePublicKey(one);
  return left !== undefined && left.base64 === parsePublicKey(other)?.base64;
}
