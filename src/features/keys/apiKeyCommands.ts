import { isIP } from 'node:net';
import { mayHaveTakenEffect } from '../../api/errors';
import { titledAction } from '../../editor/commands';
import { confirm } from '../../editor/confirm';
import { localize, t } from '../../editor/localize';
import { message } from '../../editor/message';
import { whileAsking, whileSending } from '../../editor/progress';
import { askLine, pickMany, pickOne } from '../../editor/quickPick';
import { showOnce } from '../../editor/showOnce';
import { titleOf } from '../../editor/titles';
import {
  permissionCategories,
  type ApiKey,
  type KeyPermissions,
  type NewApiKey,
  type PermissionCategory,
} from '../../model/accounts/apiKey';
import { addressesProblem, keyNameProblem, splitAddresses } from '../../model/accounts/keyInput';
import {
  permissionMeaning,
  permissionSummary,
  scopedPermissions,
  usualPermissions,
} from '../../model/accounts/permissionText';
import type { Services } from '../../services';
import type { Account } from '../../store/accounts/accounts';
import { UserError } from '../../util/errors';
import { plainLabel } from '../../util/plainLabel';
import type { Redactor } from '../../util/redact';
import { text } from '../../util/text';
import { closeKeyDocument, readOpenDocument, writeKeyDocument } from './keyDocument';

/** Creates a scoped key and shows its value once. */
export async function createApiKey(
  { redactor }: Pick<Services, 'redactor'>,
  account: Account,
): Promise<boolean> {
  const title = titleOf('gpuRental.apiKey.create');
  const name = await askLine({
    title,
    prompt: t('A name that describes the purpose of the key, for example Build Server.'),
    ignoreFocusOut: true,
    problem: keyNameProblem,
  });
  const permissions = name === undefined ? undefined : await pickPermissions(title);
  if (name !== undefined && permissions === 'document') {
    await writeKeyDocument(name.trim(), scopedPermissions(usualPermissions));
    return false;
  }
  const addresses = permissions && (await askAddresses(title));
  if (name === undefined || !permissions || permissions === 'document' || addresses === undefined) {
    return false;
  }
  return create(redactor, account, { name: name.trim(), permissions, ipWhitelist: addresses });
}

/** Creates the key that the open document describes. */
export async function createFromDocument(
  { redactor }: Pick<Services, 'redactor'>,
  account: Account,
): Promise<boolean> {
  const read = readOpenDocument();
  if (!read) {
    return false;
  }
  const isCreated = await create(redactor, account, read.wanted);
  await closeKeyDocument(read.document);
  return isCreated;
}

async function create(redactor: Redactor, account: Account, wanted: NewApiKey): Promise<boolean> {
  const created = await whileSending(account.client.apiKeys.create(wanted)).catch((error: unknown) => {
    throw mayHaveTakenEffect(error) ? new UserError(valueLost, { cause: error }) : error;
  });
  redactor.addSecret(created.value);
  await showOnce({
    title: t('API Key: Shown Only Once'),
    placeholder: t('The service never shows this key again. Store it safely.'),
    lines: [created.value],
    fileName: 'api-key.txt',
    closeQuestion: t('Close without storing the key?'),
    closeDetail: t('It is not shown again. You can delete it and create another one.'),
  });
  return true;
}

/** The service shows the value only in the answer, so the key has no use. */
const valueLost = text(
  'The service did not answer, so the API key may exist although its value was not shown. Delete it in the list of API keys and create another one.',
);

async function pickPermissions(title: string): Promise<KeyPermissions | 'document' | undefined> {
  const scoped = {
    label: t('Choose Permissions…'),
    detail: t('Only what the key needs; recommended'),
  };
  const read = {
    label: t('Read Everything'),
    detail: t('Changes nothing and spends nothing'),
  };
  const write = {
    label: t('Read and Write Everything'),
    detail: t('As much as your own key; spends money'),
  };
  const document = {
    label: t('Write Them as JSON…'),
    detail: t('In an editor with completion; also for single endpoints and instances'),
  };
  const form = await pickOne([scoped, read, write, document], {
    title,
    placeHolder: t('What may the key do?'),
    ignoreFocusOut: true,
  });
  if (form === document) {
    return 'document';
  }
  if (form !== scoped) {
    return form && { read: true, write: form === write };
  }
  const categories = await pickCategories(title);
  return categories && scopedPermissions(categories);
}

async function pickCategories(title: string): Promise<readonly PermissionCategory[] | undefined> {
  const rows = permissionCategories.map((category) => ({
    label: category,
    detail: localize(permissionMeaning[category]),
    picked: usualPermissions.includes(category),
    category,
  }));
  for (;;) {
    const picked = await pickMany(rows, {
      title,
      placeHolder: t('Permissions of the key'),
      ignoreFocusOut: true,
    });
    if (!picked || picked.length > 0) {
      return picked?.map(({ category }) => category);
    }
    message('warning', t('A key needs at least one permission.'));
  }
}

async function askAddresses(title: string): Promise<readonly string[] | undefined> {
  const typed = await askLine({
    title,
    prompt: t('IP addresses that can use the key, separated by commas. Leave empty to allow all.'),
    placeholder: '203.0.113.7, 2001:db8::1',
    ignoreFocusOut: true,
    problem: (value) => addressesProblem(value, (address) => isIP(address) !== 0),
  });
  return typed === undefined ? undefined : splitAddresses(typed);
}

/** Deletes a key; the question shows if it is the key in use. */
export async function deleteApiKey(account: Account, wantedId: number | undefined): Promise<boolean> {
  const { items } = await whileAsking(account.client.apiKeys.list());
  const key = items.find(({ id }) => id === wantedId) ?? (await pickKey(items, account));
  if (!key) {
    return false;
  }
  const isInUse = key.id === account.user.keyId;
  if (
    !(await confirm({
      message: t('Delete the API key “{0}”?', apiKeyName(key)),
      detail: isInUse
        ? t(
            'You are signed in with this key, so you will have to sign in with another one. Instances keep running and cost money.',
          )
        : t("Everything that uses this key stops working immediately. This can't be undone."),
      button: t('Delete'),
    }))
  ) {
    return false;
  }
  await whileSending(account.client.apiKeys.remove(key.id));
  if (isInUse) {
    message(
      'warning',
      t('The API key in use is deleted. Enter another one to continue.'),
      titledAction('gpuRental.replaceKey'),
    );
  }
  return true;
}

async function pickKey(keys: readonly ApiKey[], account: Account): Promise<ApiKey | undefined> {
  const picked = await pickOne(
    keys.map((key) => ({
      label: apiKeyName(key),
      description: key.id === account.user.keyId ? t('in use') : '',
      detail: localize(permissionSummary(key)),
      key,
    })),
    { title: titleOf('gpuRental.apiKey.delete'), placeHolder: t('Which one?') },
  );
  return picked?.key;
}

function apiKeyName(key: ApiKey): string {
  const name = key.name === undefined ? '' : plainLabel(key.name);
  return name === '' ? `#${key.id}` : `${name} (#${key.id})`;
}
