import * as z from 'zod';
import { flags, id, listUnder, rawTexts, texts } from './field';

const word = z.string().regex(/^[\w.:-]{1,100}$/);
/** Whether a channel is on; channels that are not known here are kept as they are. */
const channels = z.looseObject({ email: z.boolean().optional(), webhooks: z.boolean().optional() });

/** A row of GET notification-types (docs/service/notifications.md#types). */
export const notificationType = z.looseObject({
  key: word,
  slug: word,
  ...texts('context', 'display_name'),
  ...flags('mandatory_email'),
  default_preferences: channels.optional().catch(undefined),
});
export type WireNotificationType = z.infer<typeof notificationType>;
export const notificationTypeList = listUnder('notification_types');

/** What is on for an account (docs/service/notifications.md#preferences). Unknown parts are kept for the next write. */
export const notificationPreferences = z.looseObject({
  notification_preferences: z.looseObject({
    client: z.record(z.string(), channels),
    host: z.record(z.string(), z.unknown()).optional(),
  }),
});

/** A row of GET webhooks (docs/service/notifications.md#webhooks); its secret is not in it. */
export const webhook = z.looseObject({
  id,
  webhook_url: z.string(),
  event_types: z.array(z.string()),
  ...texts('name'),
});
export type WireWebhook = z.infer<typeof webhook>;
export const webhookList = listUnder('webhooks');

const secret = z.looseObject({ ...rawTexts('webhook_secret') });

/** The answer that shows a secret, the only time (docs/service/notifications.md#webhooks). */
export const webhookSecret = z
  .looseObject({ ...rawTexts('webhook_secret'), webhook: secret.optional().catch(undefined) })
  .transform((answer) => answer.webhook?.webhook_secret ?? answer.webhook_secret ?? '')
  .pipe(z.string().min(1));
