import * as vscode from 'vscode';
import type { Client, Listing } from '../../api/client';
import { GoneError, mayHaveTakenEffect, NotFoundError } from '../../api/errors';
import { t } from '../../editor/localize';
import { ask, message } from '../../editor/message';
import { whileAsking, whileSending } from '../../editor/progress';
import { pickMany, pickOne } from '../../editor/quickPick';
import { titleOf } from '../../editor/titles';
import {
  isMailed,
  mostWebhooks,
  offeredTypes,
  withMails,
  type NotificationPreferences,
  type NotificationType,
  type Webhook,
} from '../../model/accounts/notification';
import type { Services } from '../../services';
import type { Account } from '../../store/accounts/accounts';
import { accountFor } from '../../store/accounts/sameAccount';
import { UserError } from '../../util/errors';
import { plainLabel } from '../../util/plainLabel';
import { text } from '../../util/text';
import { addWebhook, changeWebhook, hostOf, whatArrives, withoutEditor } from './webhooks';

export type NoticesDeps = Pick<Services, 'accounts' | 'keptSecrets' | 'redactor'>;

/** What an account receives now. */
export interface NoticesRead {
  readonly types: readonly NotificationType[];
  readonly preferences: NotificationPreferences;
  readonly hooks: Listing<Webhook>;
}

/** Shows what the service sends by itself, until the user closes it; each change is read back. */
export async function showNotices(deps: NoticesDeps): Promise<void> {
  const asked = accountFor(deps.accounts);
  for (;;) {
    const read = await whileAsking(readAll(asked())).catch((error: unknown) => {
      // Older services and others that speak the same interface have none of it.
      if (error instanceof NotFoundError || error instanceof GoneError) {
        message('info', t('This service has no e-mails and webhooks that can be changed here.'));
        return undefined;
      }
      throw error;
    });
    const picked = read && (await pickOne(rowsOf(deps, asked, read), frame()));
    if (!picked?.run || !(await picked.run())) {
      return;
    }
  }
}

const frame = () => ({ title: titleOf('gpuRental.notices'), placeHolder: withoutEditor() });

async function readAll({ client, user }: Account): Promise<NoticesRead> {
  const { items: types } = await client.notifications.types();
  const preferences = await client.notifications.preferences(user.id);
  return { types, preferences, hooks: await client.notifications.webhooks() };
}

function rowsOf(deps: NoticesDeps, asked: () => Account, read: NoticesRead) {
  const { types, preferences, hooks } = read;
  const offered = offeredTypes(types);
  const names = (some: readonly NotificationType[]) => some.map(({ name }) => plainLabel(name)).join(', ');
  const mailed = offered.filter((type) => !type.isAlwaysMailed && isMailed(preferences, type));
  return [
    {
      icon: 'mail',
      label: t('E-mail'),
      description: mailed.length === 0 ? t('off') : names(mailed),
      detail: alwaysSent(offered),
      run: () => changeMails(asked, read),
    },
    ...hooks.items.map((hook) => ({
      icon: 'link',
      label: t('Webhook to {0}', hostOf(hook)),
      description: names(types.filter(({ key }) => hook.eventTypes.includes(key))),
      run: () => changeWebhook(deps, asked, hook),
    })),
    ...(hooks.items.length + hooks.skipped < mostWebhooks
      ? [{ icon: 'add', label: t('Add Webhook…'), run: () => addWebhook(deps, asked, read) }]
      : []),
    { label: '', kind: vscode.QuickPickItemKind.Separator, run: undefined },
    {
      icon: 'info',
      label: t('What Arrives'),
      // A list would cut the text off.
      run: async () => {
        await ask('info', { message: t('What Arrives'), detail: whatArrives() });
        return true;
      },
    },
  ];
}

function alwaysSent(offered: readonly NotificationType[]): string {
  const fixed = offered.filter(({ isAlwaysMailed }) => isAlwaysMailed);
  return fixed.length === 0
    ? ''
    : t('Always sent: {0}', fixed.map(({ name }) => plainLabel(name)).join(', '));
}

/**
 * Switches the e-mails that matter to a renter; all others, and what was changed elsewhere, stay as they are. Returns false
 * if the user cancels.
 */
async function changeMails(asked: () => Account, { types, preferences }: NoticesRead): Promise<boolean> {
  const offered = offeredTypes(types);
  const rows = offered.flatMap((type) =>
    type.isAlwaysMailed ? [] : [{ label: plainLabel(type.name), picked: isMailed(preferences, type), type }],
  );
  const picked = await pickMany(rows, {
    title: `${titleOf('gpuRental.notices')}: ${t('E-mail')}`,
    placeHolder: alwaysSent(offered),
  });
  if (!picked) {
    return false;
  }
  const isWanted = (type: NotificationType) => picked.some((row) => row.type === type);
  const changed = rows.flatMap(({ type, picked: before }) =>
    isWanted(type) === before ? [] : [[type, !before] as const],
  );
  if (changed.length > 0) {
    await whileSending(saveMails(asked().client, asked().user.id, new Map(changed)));
  }
  return true;
}

async function saveMails(
  { notifications }: Client,
  userId: number,
  wanted: ReadonlyMap<NotificationType, boolean>,
): Promise<void> {
  // A write replaces all preferences, so it begins with those of now.
  const before = await notifications.preferences(userId);
  let lost: Error | undefined;
  await notifications.setPreferences(userId, withMails(before, wanted)).catch((error: unknown) => {
    if (!(error instanceof Error) || !mayHaveTakenEffect(error)) {
      throw error;
    }
    lost = error;
  });
  const after = await notifications.preferences(userId);
  if ([...wanted].some(([type, isOn]) => isMailed(after, type) !== isOn)) {
    throw lost ?? new UserError(text('The service did not keep the change. Try again.'));
  }
}
