import * as vscode from 'vscode';
import { t } from '../../editor/localize';
import type { Row } from '../../editor/quickPick';
import { isSecurityKey, type LocalKey } from '../../ssh/localKeys';
import { parsePublicKey } from '../../ssh/publicKey';
import { plainLabel } from '../../util/plainLabel';

/** Returns the comment of a key, or else its kind, as plain text in one line. */
export function keyName(publicKey: string, name?: string): string {
  const parsed = parsePublicKey(publicKey);
  const label = plainLabel(name ?? '') || plainLabel(parsed?.comment ?? '');
  return label === '' ? (parsed?.type ?? t('Unknown kind of key')) : label;
}

export function localKeyRow<T>(key: LocalKey, label: string, value: T): Row<T> {
  const where = [key.publicFile ?? key.privateFile ?? '', key.inAgent ? t('in the SSH agent') : ''];
  return {
    id: key.publicKey.base64,
    label,
    description: needsOf(key),
    detail: [...where.map(plainLabel), key.publicKey.fingerprint].filter((part) => part !== '').join(' · '),
    iconPath: new vscode.ThemeIcon('key'),
    value,
  };
}

/** Returns what a login with the key requires of the user; empty if nothing. */
function needsOf(key: LocalKey): string {
  if (isSecurityKey(key)) {
    return t('security key, needs a touch');
  }
  return key.encrypted && !key.inAgent ? t('asks for a passphrase') : '';
}

/** Returns where the private key is on this computer, and what a login with it requires. */
export function placeOf(key: LocalKey): string {
  const place = key.inAgent ? t('in the SSH agent') : t('on this computer');
  const needs = needsOf(key);
  return needs === '' ? place : `${place}, ${needs}`;
}

const privateMarks = /PRIVATE KEY|PuTTY-User-Key-File|b3BlbnNzaC1rZXktdjE/;
const keyStart =
  /(?:ssh-(?:ed25519|rsa|dss)|ecdsa-sha2-nistp\d{3}|sk-[a-z0-9-]{1,40}@openssh\.com)\s{1,8}AAAA/g;

/** Returns why the text can't be registered, or `undefined` if it is one public key. */
export function publicKeyProblem(value: string): string | undefined {
  if (privateMarks.test(value)) {
    return t(
      'This is a private key, which must never leave this computer. Paste the public key from the file that ends in .pub.',
    );
  }
  const starts = [...value.matchAll(keyStart)];
  if (starts.length > 1) {
    return t('There are several keys here. Enter one.');
  }
  if (starts[0] && value.trimStart().search(keyStart) > 0) {
    return t('Enter the key without the text before it, such as options: it starts with its type.');
  }
  const key = parsePublicKey(value);
  if (!key) {
    return t('Enter a public key in one line, such as "ssh-ed25519 AAAA… name".');
  }
  return /^ssh-dss|-cert-v01@/.test(key.type)
    ? t('SSH servers accept no key of the type {0} here. Use an ed25519, ECDSA or RSA key.', key.type)
    : undefined;
}
