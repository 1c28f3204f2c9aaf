import type { NotificationPreferences, NotificationType, Webhook } from '../model/accounts/notification';
import { defined } from '../util/defined';
import {
  notificationPreferences,
  notificationType,
  notificationTypeList,
  webhook,
  webhookList,
  webhookSecret,
  type WireNotificationType,
  type WireWebhook,
} from '../wire/notification';
import type { Client } from './client';
import type { Http } from './http';
import { readList } from './listing';
import { nonEmpty } from './modelValues';
import { read, sendWrite, write } from './request';

/** The e-mails and webhooks of the service (docs/service/notifications.md#types). */
export function notificationsApi(http: Http): Client['notifications'] {
  return {
    types: (options) => {
      const request = read('GET /api/v0/notification-types/');
      return readList(http, request, notificationTypeList, notificationType, toType, options);
    },
    preferences: async (userId, options) => {
      const request = read('GET /api/v0/users/{user_id}/notification-prefs/', { user_id: userId });
      const answer = await http.call(request, notificationPreferences, options);
      const preferences: NotificationPreferences = answer.notification_preferences;
      return preferences;
    },
    setPreferences: (userId, preferences, options) => {
      const request = write('PUT /api/v0/users/{user_id}/notification-prefs/', { user_id: userId });
      const body = { notification_preferences: preferences };
      return sendWrite(http, { ...request, body }, options);
    },
    webhooks: (options) =>
      readList(http, read('GET /api/v0/webhooks/'), webhookList, webhook, toWebhook, options),
    createWebhook: async ({ url, eventTypes, name }, options) => {
      const body = { webhook_url: url, event_types: eventTypes, name: nonEmpty(name) };
      const request = { ...write('POST /api/v0/webhooks/'), body };
      return { secret: await http.call(request, webhookSecret, options) };
    },
    removeWebhook: (id, options) => sendWrite(http, write('DELETE /api/v0/webhooks/{id}/', { id }), options),
    rotateWebhookSecret: async (id, options) => {
      const request = write('POST /api/v0/webhooks/{id}/rotate-secret/', { id });
      return { secret: await http.call(request, webhookSecret, options) };
    },
    testWebhook: (id, options) => sendWrite(http, write('POST /api/v0/webhooks/{id}/test/', { id }), options),
  };
}

function toType(wire: WireNotificationType): NotificationType {
  return {
    key: wire.key,
    slug: wire.slug,
    context: wire.context ?? wire.key.split(':')[0] ?? '',
    name: nonEmpty(wire.display_name) ?? wire.slug,
    isAlwaysMailed: wire.mandatory_email === true,
    defaults: wire.default_preferences ?? {},
  };
}

function toWebhook(wire: WireWebhook): Webhook {
  return defined<Webhook>({
    id: wire.id,
    url: wire.webhook_url,
    eventTypes: wire.event_types,
    name: nonEmpty(wire.name),
  });
}
