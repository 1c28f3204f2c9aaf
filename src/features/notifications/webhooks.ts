import { ApiError, explainingIfLost } from '../../api/errors';
import { confirm } from '../../editor/confirm';
import { t } from '../../editor/localize';
import { message } from '../../editor/message';
import { whileAsking, whileSending } from '../../editor/progress';
import { askLine, pickMany, pickOne } from '../../editor/quickPick';
import { showOnce } from '../../editor/showOnce';
import {
  isWebhookUrl,
  offeredTypes,
  type NotificationType,
  type Webhook,
} from '../../model/accounts/notification';
import type { Account } from '../../store/accounts/accounts';
import { plainLabel } from '../../util/plainLabel';
import { text } from '../../util/text';
import type { NoticesDeps, NoticesRead } from './notices';

export function withoutEditor(): string {
  return t('Sent by the service, also while no editor is open');
}

/** What the service sends with the editor closed, and what it does not. */
export function whatArrives(): string {
  return t(
    'The service sends these itself, so no editor has to be open. Only the text of a message names the instance, chat tools such as Slack need an adapter, and an idle GPU is reported after 24 hours. Budgets, jobs and schedules send nothing.',
  );
}

/** The path of an address may hold a secret, so only its host is shown. */
export function hostOf({ url }: Pick<Webhook, 'url'>): string {
  return plainLabel(URL.canParse(url) ? new URL(url).host : url.slice(0, 40));
}

/** Returns false if the user cancels. */
export async function addWebhook(
  deps: NoticesDeps,
  asked: () => Account,
  { types }: NoticesRead,
): Promise<boolean> {
  const title = t('Add Webhook');
  const typed = await askLine({
    title,
    prompt: t('An https address that you run, such as https://relay.example.org/gpu.'),
    ignoreFocusOut: true,
    problem: (line) =>
      line === '' || isWebhookUrl(line.trim()) ? undefined : t('Enter an https address with a public host.'),
  });
  const url = typed?.trim() ?? '';
  if (!isWebhookUrl(url)) {
    return false;
  }
  const offered = offeredTypes(types);
  const others = types.filter((type) => type.context === 'client' && !offered.includes(type));
  const rowOf = (picked: boolean) => (type: NotificationType) => ({
    label: plainLabel(type.name),
    picked,
    type,
  });
  const rows = [...offered.map(rowOf(true)), ...others.map(rowOf(false))];
  const picked = await pickMany(rows, { title, placeHolder: withoutEditor(), ignoreFocusOut: true });
  if (!picked || picked.length === 0) {
    return false;
  }
  const host = hostOf({ url });
  const isWanted = await confirm({
    message: t('Let the service send messages about this account to {0}?', host),
    detail: whatArrives(),
    button: t('Add Webhook'),
  });
  if (isWanted) {
    const wanted = { url, eventTypes: picked.map(({ type }) => type.key) };
    await showSecret(deps, asked, ({ notifications }) => notifications.createWebhook(wanted));
  }
  return isWanted;
}

/** Returns false if the user cancels. */
export async function changeWebhook(
  deps: NoticesDeps,
  asked: () => Account,
  hook: Webhook,
): Promise<boolean> {
  const host = hostOf(hook);
  const picked = await pickOne(
    [
      { icon: 'play', label: t('Send Test'), run: () => test(asked, hook) },
      { icon: 'sync', label: t('Rotate Secret…'), run: () => rotate(deps, asked, hook) },
      { icon: 'trash', label: t('Delete…'), run: () => remove(asked, hook) },
    ],
    { title: t('Webhook to {0}', host) },
  );
  await picked?.run();
  return picked !== undefined;
}

async function test(asked: () => Account, { id, ...hook }: Webhook): Promise<void> {
  try {
    await whileAsking(asked().client.notifications.testWebhook(id));
    message('info', t('{0} accepted the test.', hostOf(hook)));
  } catch (error) {
    // The service could not deliver it: 400 for ever, 502 just now.
    if (error instanceof ApiError && (error.status === 400 || error.status === 502)) {
      message('warning', t('{0} did not accept the test. Check its address and its log.', hostOf(hook)));
      return;
    }
    throw error;
  }
}

async function rotate(deps: NoticesDeps, asked: () => Account, { id, ...hook }: Webhook): Promise<void> {
  const isWanted = await confirm({
    message: t('Webhook to {0}', hostOf(hook)),
    detail: t('The present secret becomes invalid at once.'),
    button: t('Rotate Secret'),
  });
  if (isWanted) {
    await showSecret(deps, asked, ({ notifications }) => notifications.rotateWebhookSecret(id));
  }
}

async function remove(asked: () => Account, { id, ...hook }: Webhook): Promise<void> {
  if (await confirm({ message: t('Delete {0}?', t('Webhook to {0}', hostOf(hook))), button: t('Delete') })) {
    await whileSending(asked().client.notifications.removeWebhook(id));
  }
}

/** Shows a secret that the service states once; it is kept only if the user wants that. */
async function showSecret(
  { keptSecrets, redactor }: NoticesDeps,
  asked: () => Account,
  make: (client: Account['client']) => Promise<{ readonly secret: string }>,
): Promise<void> {
  const { key, client } = asked();
  const { secret } = await whileSending(explainingIfLost(secretLost, () => make(client)));
  redactor.addSecret(secret);
  await showOnce({
    title: t('Webhook Secret: Shown Only Once'),
    placeholder: t('It proves that a message is from the service. Store it safely.'),
    lines: [secret],
    fileName: 'webhook-secret.txt',
    keep: () => keptSecrets.add(key, 'WEBHOOK_SECRET', secret, 'list'),
    closeQuestion: t('Close without storing the secret?'),
    closeDetail: t('It is not shown again. You can rotate it to get another one.'),
  });
}

const secretLost = text(
  'The service did not answer, so the webhook may have a secret that was not shown. Rotate it, or delete the webhook.',
);
