import * as vscode from 'vscode';
import { RefusedError } from '../../api/errors';
import { confirm } from '../../editor/confirm';
import { t } from '../../editor/localize';
import { message } from '../../editor/message';
import { whileAsking, whileSending } from '../../editor/progress';
import { askLine, pickOne } from '../../editor/quickPick';
import { secretNameProblem, secretValueProblem } from '../../model/accounts/keyInput';
import { secretNamed, type Secret } from '../../model/accounts/secret';
import type { Services } from '../../services';
import type { Account } from '../../store/accounts/accounts';
import { listOrNone } from '../../store/unlisted';
import { plainLabel } from '../../util/plainLabel';

/** Sets an environment variable for instances; asks before it replaces an existing one. */
export async function setSecret(
  { redactor }: Pick<Services, 'redactor'>,
  account: Account,
  wantedName: string | undefined,
): Promise<boolean> {
  const title = t('Set Environment Variable');
  const name = wantedName ?? (await askName(title));
  if (name === undefined) {
    return false;
  }
  const value = await askLine({
    title: `${title}: ${plainLabel(name)}`,
    prompt: t(
      'The service stores the value and passes it to your instances. It is not stored on this computer.',
    ),
    password: true,
    ignoreFocusOut: true,
    problem: (typed) => (typed === '' ? undefined : secretValueProblem(typed)),
  });
  if (value === undefined || secretValueProblem(value)) {
    return false;
  }
  redactor.addSecret(value);
  if (wantedName !== undefined) {
    await whileSending(account.client.secrets.update(name, value));
    return true;
  }
  try {
    await whileSending(account.client.secrets.create(name, value));
    return true;
  } catch (error) {
    if (!(error instanceof RefusedError && error.code === 'existing_key')) {
      throw error;
    }
  }
  const isWanted = await confirm({
    message: t('Replace the value of {0}?', name),
    detail: t('Running instances keep the old value until they are created again.'),
    button: t('Replace'),
  });
  if (isWanted) {
    await whileSending(account.client.secrets.update(name, value));
  }
  return isWanted;
}

async function askName(title: string): Promise<string | undefined> {
  const typed = await askLine({
    title,
    prompt: t('Name of the environment variable.'),
    placeholder: 'HF_TOKEN',
    ignoreFocusOut: true,
    problem: (value) => (value === '' ? undefined : secretNameProblem(value)),
  });
  return typed === undefined || secretNameProblem(typed) ? undefined : typed.trim().toUpperCase();
}

export async function deleteSecret(account: Account, wantedName: string | undefined): Promise<boolean> {
  const name = wantedName ?? (await nameToDelete(account, t('Delete Environment Variable')));
  if (name === undefined) {
    return false;
  }
  const isWanted = await confirm({
    message: t('Delete the environment variable “{0}”?', name),
    detail: t("New instances will not get it. This can't be undone."),
    button: t('Delete'),
  });
  if (isWanted) {
    await whileSending(account.client.secrets.remove(name));
  }
  return isWanted;
}

/** Lets the user pick a variable from the list, or type its name if the list can't be read. */
async function nameToDelete(account: Account, title: string): Promise<string | undefined> {
  const secrets = await listOrNone(whileAsking(account.client.secrets.list()));
  return secrets === undefined ? askName(title) : (await pickSecret(secrets, title))?.name;
}

/** Copies a value to the clipboard, only when the user asks for it. */
export async function copySecret(account: Account, wantedName: string | undefined): Promise<void> {
  const secrets = await whileAsking(account.client.secrets.list());
  const secret =
    wantedName === undefined ? await pickSecret(secrets, t('Copy Value')) : secretNamed(secrets, wantedName);
  if (secret && secret.value === undefined) {
    message('info', t('The service does not reveal this value.'));
  } else if (secret?.value !== undefined) {
    await vscode.env.clipboard.writeText(secret.value);
    void vscode.window.setStatusBarMessage(t('The value is on the clipboard.'), 3000);
  }
}

async function pickSecret(secrets: readonly Secret[], title: string): Promise<Secret | undefined> {
  if (secrets.length === 0) {
    message('info', t('This account has no environment variables.'));
    return undefined;
  }
  const picked = await pickOne(
    secrets.map((secret) => ({ label: plainLabel(secret.name), secret })),
    { title, placeHolder: t('Which one?') },
  );
  return picked?.secret;
}
