import * as vscode from 'vscode';
import type { SecretTarget } from '../../commandSpecs';
import { askSecretValue, mayReplace, setVariable } from '../../editor/chooseSecret';
import { confirm } from '../../editor/confirm';
import { localize, t } from '../../editor/localize';
import { message } from '../../editor/message';
import { whileAsking, whileSending } from '../../editor/progress';
import { askLine, pickOne } from '../../editor/quickPick';
import { labelOf } from '../../editor/titles';
import { usesText, type KeptSecret } from '../../model/accounts/keptSecret';
import { secretNameProblem, secretValueProblem } from '../../model/accounts/keyInput';
import { secretNamed, type Secret } from '../../model/accounts/secret';
import type { Services } from '../../services';
import type { Account } from '../../store/accounts/accounts';
import { accountStill } from '../../store/accounts/sameAccount';
import { listOrNone } from '../../store/unlisted';
import { plainLabel } from '../../util/plainLabel';

type Deps = Pick<Services, 'accounts' | 'keptSecrets' | 'redactor'>;

/** Gives a secret a value, here or at the service; asks before it replaces one that no row named. */
export async function setSecret(
  deps: Deps,
  account: Account,
  target: SecretTarget | undefined,
): Promise<boolean> {
  const title = t('Set Secret');
  const typed = target?.secretName ?? (await askName(title));
  const isHere = target ? target.isKeptHere === true : typed !== undefined && (await pickPlace(title, typed));
  if (typed === undefined || isHere === undefined) {
    return false;
  }
  const named = `${title}: ${plainLabel(typed)}`;
  if (isHere) {
    const value = await askSecretValue(named, '');
    return (
      value !== undefined && setHere(deps, account, { name: typed, value, isAgreed: target !== undefined })
    );
  }
  const value = await askLine({
    title: named,
    prompt: t('Every instance gets it.'),
    password: true,
    ignoreFocusOut: true,
    problem: (line) => (line === '' ? undefined : secretValueProblem(line)),
  });
  if (value === undefined || secretValueProblem(value)) {
    return false;
  }
  deps.redactor.addSecret(value);
  if (!target) {
    return setVariable(account, typed.toUpperCase(), value);
  }
  await whileSending(account.client.secrets.update(typed, value));
  return true;
}

async function setHere(
  { accounts, keptSecrets }: Deps,
  { key }: Account,
  secret: { readonly name: string; readonly value: string; readonly isAgreed: boolean },
): Promise<boolean> {
  const { name, value, isAgreed } = secret;
  const known = (await keptSecrets.all(key)).find((one) => one.name === name);
  if (known && !isAgreed && !(await mayReplace(name, usedBy(known)))) {
    return false;
  }
  accountStill(accounts, key);
  await (known ? keptSecrets.change(key, name, value) : keptSecrets.add(key, name, value, 'list'));
  return true;
}

function usedBy(secret: KeptSecret): string {
  const uses = usesText(secret).map(localize).join(', ');
  return uses === '' ? '' : t('It is used by {0}.', uses);
}

/** Returns true for this computer, and false for the service. */
async function pickPlace(title: string, name: string): Promise<boolean | undefined> {
  const rows = [
    {
      icon: 'key',
      label: t('On This Computer'),
      detail: t('Jobs and templates get it when you choose it for them.'),
      isHere: true,
    },
    {
      icon: 'symbol-variable',
      label: t('At the Service'),
      detail: t('Every instance gets it.'),
      isHere: false,
    },
  ];
  const picked = await pickOne(rows, {
    title: `${title}: ${plainLabel(name)}`,
    placeHolder: t('Where is the value kept?'),
    ignoreFocusOut: true,
  });
  return picked?.isHere;
}

async function askName(title: string): Promise<string | undefined> {
  const typed = await askLine({
    title,
    prompt: t('Enter a name, for example HF_TOKEN.'),
    placeholder: 'HF_TOKEN',
    ignoreFocusOut: true,
    problem: (value) => (value === '' ? undefined : secretNameProblem(value)),
  });
  return typed === undefined || secretNameProblem(typed) ? undefined : typed.trim();
}

export async function deleteSecret(
  deps: Deps,
  account: Account,
  target: SecretTarget | undefined,
): Promise<boolean> {
  const chosen = target ?? (await secretToDelete(deps, account, t('Delete Secret')));
  if (!chosen) {
    return false;
  }
  const { secretName: name, isKeptHere } = chosen;
  const kept = isKeptHere && (await deps.keptSecrets.all(account.key)).find((one) => one.name === name);
  const isWanted = await confirm({
    message: t('Delete the secret “{0}”?', name),
    detail: kept ? usedBy(kept) : t("New instances will not get it. This can't be undone."),
    button: t('Delete'),
  });
  if (isWanted && isKeptHere) {
    accountStill(deps.accounts, account.key);
    await deps.keptSecrets.remove(account.key, name);
  } else if (isWanted) {
    await whileSending(account.client.secrets.remove(name));
  }
  return isWanted;
}

/** Lets the user pick a secret, or type the name of a variable if the list of the service can't be read. */
async function secretToDelete(
  { keptSecrets }: Deps,
  account: Account,
  title: string,
): Promise<SecretTarget | undefined> {
  const kept = (await keptSecrets.all(account.key)).map((secret) => ({
    label: plainLabel(secret.name),
    description: [t('on this computer'), ...usesText(secret).map(localize)].join(' · '),
    target: { secretName: secret.name, isKeptHere: true } as const,
  }));
  const listed = await listOrNone(whileAsking(account.client.secrets.list()));
  const variables = (listed ?? []).map(({ name }) => ({
    label: plainLabel(name),
    description: t('kept by the service'),
    target: { secretName: name },
  }));
  const other = listed ? [] : [{ label: t('Another One at the Service…'), target: undefined }];
  const rows = [...kept, ...variables, ...other];
  if (rows.length === 0) {
    message('info', t('There are no secrets.'));
    return undefined;
  }
  const picked =
    rows.length === other.length ? other[0] : await pickOne(rows, { title, placeHolder: t('Which one?') });
  if (!picked || picked.target) {
    return picked?.target;
  }
  const name = await askName(title);
  return name === undefined ? undefined : { secretName: name.toUpperCase() };
}

/** Copies a value to the clipboard, only when the user asks for it. */
export async function copySecret(account: Account, wantedName: string | undefined): Promise<void> {
  const secrets = await whileAsking(account.client.secrets.list());
  const secret =
    wantedName === undefined
      ? await pickSecret(secrets, labelOf('gpuRental.secret.copy'))
      : secretNamed(secrets, wantedName);
  if (secret && secret.value === undefined) {
    message('info', t('The service does not reveal this value.'));
  } else if (secret?.value !== undefined) {
    await vscode.env.clipboard.writeText(secret.value);
    void vscode.window.setStatusBarMessage(t('Copied'), 3000);
  }
}

async function pickSecret(secrets: readonly Secret[], title: string): Promise<Secret | undefined> {
  if (secrets.length === 0) {
    message('info', t('There are no secrets.'));
    return undefined;
  }
  const picked = await pickOne(
    secrets.map((secret) => ({ label: plainLabel(secret.name), secret })),
    { title, placeHolder: t('Which one?') },
  );
  return picked?.secret;
}
