import * as vscode from 'vscode';
import { plainLabel, type Row } from '../../editor/quickPick';
import type { LocalKey } from '../../ssh/localKeys';
import { parsePublicKey } from '../../ssh/publicKey';

/** What a key is called: its comment, else its kind; the text of a stranger as one plain line. */
export function keyName(publicKey: string, name?: string): string {
  const parsed = parsePublicKey(publicKey);
  const words = plainLabel(name ?? '') || plainLabel(parsed?.comment ?? '');
  return words === '' ? (parsed?.type ?? vscode.l10n.t('Unknown kind of key')) : words;
}

export function localKeyRow<T>(key: LocalKey, label: string, value: T): Row<T> {
  const where = key.publicFile ?? vscode.l10n.t('in the SSH agent');
  return {
    id: key.publicKey.base64,
    label,
    description: key.encrypted && !key.inAgent ? vscode.l10n.t('asks for a passphrase') : '',
    detail: `${plainLabel(where)} · ${key.publicKey.fingerprint}`,
    iconPath: new vscode.ThemeIcon('key'),
    value,
  };
}

/** Why a text cannot be registered; `undefined` where it is one public key. */
export function publicKeyProblem(value: string): string | undefined {
  if (/PRIVATE KEY/.test(value)) {
    return vscode.l10n.t(
      'This is a private key, which must never leave this computer. Paste the public one, from the file that ends in .pub.',
    );
  }
  return parsePublicKey(value)
    ? undefined
    : vscode.l10n.t('This is not a public key in one line, such as “ssh-ed25519 AAAA… name”.');
}
