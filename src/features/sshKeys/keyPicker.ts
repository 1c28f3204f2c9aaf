import * as vscode from 'vscode';
import type { CommandId } from '../../commandSpecs';
import { t } from '../../editor/localize';
import { ask, message } from '../../editor/message';
import { showTerminal } from '../../editor/ownTerminal';
import { pickLocal } from '../../editor/pickLocal';
import { askLine, pickFromList, pickOne, type Row } from '../../editor/quickPick';
import { titleOf } from '../../editor/titles';
import type { SshKey } from '../../model/accounts/account';
import type { Services } from '../../services';
import {
  isKeyName,
  passphraseTerminal,
  shortestPassphrase,
  takesPassphraseByPipe,
  worksUnattended,
  type LocalKey,
} from '../../ssh/localKeys';
import { parsePublicKey } from '../../ssh/publicKey';
import { keyName, localKeyRow, publicKeyProblem } from './keyText';

type Deps = Pick<Services, 'ssh' | 'redactor'>;

export type KeyChoice =
  | { readonly kind: 'key'; readonly line: string }
  /** The user continues without a key. */
  | { readonly kind: 'without' };

type RowValue =
  | { readonly kind: 'local'; readonly key: LocalKey }
  | { readonly kind: 'generate' }
  | { readonly kind: 'file' }
  | { readonly kind: 'paste' }
  | { readonly kind: 'without' };

/** Asks for a public key: one of this computer, a new one or a pasted one. Returns `undefined` if the user cancels. */
export async function pickKey(
  deps: Deps,
  texts: { readonly title: string; readonly placeholder: string; readonly without?: string },
  isTaken: (key: LocalKey) => boolean = () => false,
): Promise<KeyChoice | undefined> {
  const local = (await deps.ssh.localKeys()).filter((key) => !isTaken(key));
  const rows: Row<RowValue>[] = [
    ...local.map((key) =>
      localKeyRow<RowValue>(key, t('Use {0}', keyName(key.line)), { kind: 'local', key }),
    ),
    {
      id: 'generate',
      label: t('Generate a New Key…'),
      detail: t('Created on this computer; only the public key leaves it'),
      iconPath: new vscode.ThemeIcon('add'),
      value: { kind: 'generate' },
    },
    {
      id: 'file',
      label: t('From a File…'),
      detail: t('A public key in a file that ends in .pub'),
      iconPath: new vscode.ThemeIcon('folder-opened'),
      value: { kind: 'file' },
    },
    {
      id: 'paste',
      label: t('Paste a Public Key…'),
      iconPath: new vscode.ThemeIcon('clippy'),
      value: { kind: 'paste' },
    },
    ...(texts.without === undefined
      ? []
      : [{ id: 'without', label: texts.without, value: { kind: 'without' as const } }]),
  ];
  const answer = await pickFromList<RowValue>({
    ...texts,
    rows,
    activeId: local.find(worksUnattended)?.publicKey.base64 ?? 'generate',
  });
  if (answer.kind !== 'picked') {
    return undefined;
  }
  switch (answer.value.kind) {
    case 'local':
      return { kind: 'key', line: answer.value.key.line };
    case 'generate': {
      const made = await generate(deps);
      return made && { kind: 'key', line: made.line };
    }
    case 'file':
    case 'paste': {
      const line = await (answer.value.kind === 'file' ? fromFile(texts.title) : paste(texts.title));
      return line === undefined ? undefined : { kind: 'key', line };
    }
    case 'without':
      return { kind: 'without' };
  }
}

/** Asks for a key of the account or an instance. Returns `undefined` if there is none or the user cancels. */
export async function pickListed(keys: readonly SshKey[], command: CommandId): Promise<SshKey | undefined> {
  if (keys.length === 0) {
    message('info', t('There are no SSH keys.'));
    return undefined;
  }
  const answer = await pickFromList({
    title: titleOf(command),
    placeholder: t('SSH key'),
    rows: keys.map((key) => ({
      id: String(key.id),
      label: keyName(key.publicKey, key.name),
      description: parsePublicKey(key.publicKey)?.fingerprint ?? '',
      value: key,
    })),
  });
  return answer.kind === 'picked' ? answer.value : undefined;
}

/** Asks for a file name and a passphrase, and creates the key. */
export async function generate(
  { ssh, redactor }: Deps,
  platform = process.platform,
): Promise<LocalKey | undefined> {
  const taken = (await ssh.localKeys()).map((key) => key.privateFile ?? '');
  const isFree = (name: string) =>
    !taken.some((file) => file.endsWith(`/${name}`) || file.endsWith(`\\${name}`));
  const names = ['gpu_rental', ...Array.from({ length: 98 }, (_, index) => `gpu_rental_${index + 2}`)];
  const name = await askLine({
    title: titleOf('gpuRental.sshKey.generate'),
    prompt: t('Name of the file in your .ssh folder.'),
    value: names.find(isFree) ?? '',
    problem: (value) =>
      isKeyName(value)
        ? isFree(value)
          ? undefined
          : t('A key with this name exists already.')
        : t('Use letters, digits, dots, hyphens and underscores.'),
  });
  if (name === undefined) {
    return undefined;
  }
  const passphrase = await (takesPassphraseByPipe(platform) ? askPassphrase() : choosePassphrase());
  if (passphrase === undefined) {
    return undefined;
  }
  if (passphrase !== inTerminal) {
    redactor.addSecret(passphrase);
    return ssh.generateKey(name, name, { passphrase });
  }
  const made = await ssh.generateKey(name, name);
  if (made.privateFile !== undefined) {
    showTerminal({ name: t('Passphrase of {0}', name), ...passphraseTerminal(made.privateFile) });
  }
  return made;
}

/** Represents a passphrase that the user types in a terminal, where `ssh-keygen` reads it only from a console. */
const inTerminal = Symbol('in a terminal');

async function choosePassphrase(): Promise<'' | typeof inTerminal | undefined> {
  const without = { label: t('Without a Passphrase') };
  const withOne = {
    label: t('With a Passphrase, Typed in a Terminal'),
    detail: t('On Windows, ssh-keygen reads it only in a terminal. Until then the key has no passphrase.'),
  };
  const picked = await pickOne([without, withOne], {
    title: titleOf('gpuRental.sshKey.generate'),
    ignoreFocusOut: true,
  });
  return picked && (picked === withOne ? inTerminal : '');
}

/** Returns an empty string for no passphrase, or `undefined` if the user cancels. */
async function askPassphrase(): Promise<string | undefined> {
  const title = titleOf('gpuRental.sshKey.generate');
  const first = await askLine({
    title,
    prompt: t(
      'Press Enter for no passphrase. If you set one, add the key to your SSH agent, or every connection asks for it.',
    ),
    placeholder: t('No passphrase'),
    password: true,
    ignoreFocusOut: true,
    problem: (value) =>
      value !== '' && value.length < shortestPassphrase
        ? t('At least {0} characters, or none.', shortestPassphrase)
        : undefined,
  });
  if (!first) {
    return first;
  }
  return askLine({
    title,
    prompt: t("Enter the passphrase again. It can't be recovered."),
    password: true,
    ignoreFocusOut: true,
    problem: (value) =>
      first === value
        ? undefined
        : first.startsWith(value)
          ? { message: t('Not complete yet.'), severity: vscode.InputBoxValidationSeverity.Error }
          : t('The passphrases do not match.'),
  });
}

/** Larger than any public key file, in bytes. */
const longestKeyFile = 20_000;

/** Returns the public key in a file that the user chooses; shows why it is none. */
export async function fromFile(title: string): Promise<string | undefined> {
  const [file] = await pickLocal({ title, openLabel: t('Use This Public Key') });
  if (!file) {
    return undefined;
  }
  const { size } = await vscode.workspace.fs.stat(file);
  const line =
    size > longestKeyFile
      ? ''
      : Buffer.from(await vscode.workspace.fs.readFile(file))
          .toString('utf8')
          .trim();
  const problem = publicKeyProblem(line);
  if (problem !== undefined) {
    await ask('warning', { message: problem });
    return undefined;
  }
  return line;
}

/** Asks for the text of a public key. */
export async function paste(title: string): Promise<string | undefined> {
  const line = await askLine({
    title,
    prompt: t('The public key, as in the file that ends in .pub'),
    placeholder: 'ssh-ed25519 AAAA…',
    problem: (value) => (value.trim() === '' ? undefined : publicKeyProblem(value)),
  });
  return line?.trim() || undefined;
}
