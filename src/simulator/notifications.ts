import { randomBytes } from 'node:crypto';
import { BodyReader, isObject, pathId } from './body';
import { callerOf, ok, route, ServiceError, type Route, type SimRequest } from './route';
import type { World } from './world';

const mostWebhooks = 4;

interface Webhook {
  id: number;
  name: string | null;
  url: string;
  eventTypes: string[];
  createdAt: number;
  updatedAt: number;
}

interface NotificationState {
  /** As it was last written, with channels that nobody reads. */
  preferences: Record<string, { client: Record<string, unknown>; host: Record<string, unknown> } | undefined>;
  webhooks: Record<string, Webhook[] | undefined>;
}

const [off, on, fixed] = [{ email: false }, { email: true }, { email: true, mandatory: true }];
/** Kinds of a renter, as they were seen on 27 August 2026 (docs/service/notifications.md#types). */
const clientTypes: Readonly<Record<string, { readonly email: boolean; readonly mandatory?: boolean }>> = {
  ...{ low_credit: on, machine_maintenance: on },
  ...{ upcoming_downtime: fixed, near_end_date: fixed, billing_failed: fixed, email_verification: fixed },
  ...{ password_reset: fixed, email_change: fixed, team_invitation: fixed },
  ...{ outbid: off, instance_created: off, instance_started: off, instance_stopped: off },
  ...{ instance_resumed: off, instance_deleted: off, instance_offline: off, instance_online: off },
  ...{ error_msgs: off, low_disk_space: off, storage_full: off, idle_gpu: off, new_end_date: off },
  ...{ payment_receipt: off, credit_received: off },
};
const hostTypes: typeof clientTypes = {
  ...{ machine_offline: on, machine_unverified: on, machine_error: on, near_end_date: on },
  ...{ maintenance_scheduled: fixed, receive_reports: off, low_disk_space: off },
};
const names: Readonly<Record<string, string>> = { error_msgs: 'Error messages', idle_gpu: 'GPU idle' };

const types = [
  ...Object.entries(clientTypes).map((one) => typeRow('client', ...one)),
  ...Object.entries(hostTypes).map((one) => typeRow('host', ...one)),
];

function typeRow(
  context: string,
  slug: string,
  { email, mandatory }: { email: boolean; mandatory?: boolean },
) {
  return {
    key: `${context}:${slug}`,
    slug,
    context,
    topic: 'instance',
    category: 'transactional',
    display_name: names[slug] ?? sentence(slug),
    default_preferences: { email, webhooks: false, sms: false },
    mandatory_email: mandatory === true,
  };
}

function sentence(slug: string): string {
  return slug.charAt(0).toUpperCase() + slug.slice(1).replaceAll('_', ' ');
}

function defaultsOf(context: string) {
  const own = types.filter((type) => type.context === context);
  return Object.fromEntries(own.map((type) => [type.slug, { ...type.default_preferences }]));
}

const reads = { permission: 'user_read', everySeconds: 2 } as const;
const writes = { permission: 'user_write', everySeconds: 2 } as const;

/** E-mails and webhooks of an account; nothing is sent (docs/service/notifications.md#types). */
export function notificationRoutes(world: World): Route[] {
  const state = world.section<NotificationState>('notifications', () => ({ preferences: {}, webhooks: {} }));
  const preferencesOf = (request: SimRequest) => {
    const { accountId } = callerOf(request);
    if (request.params['id'] !== String(accountId)) {
      throw new ServiceError(403, 'not_authorized', 'These are the preferences of another user.');
    }
    return (state.preferences[accountId] ??= { client: defaultsOf('client'), host: defaultsOf('host') });
  };
  return [
    route('GET /api/v0/notification-types/', reads, () => ok({ success: true, notification_types: types })),
    route('GET /api/v0/users/{id}/notification-prefs/', reads, (request) =>
      ok({ success: true, notification_preferences: preferencesOf(request) }),
    ),
    route('PUT /api/v0/users/{id}/notification-prefs/', writes, (request) => {
      preferencesOf(request);
      const given = BodyReader.of(request.body).object('notification_preferences') ?? {};
      const { client, host } = given;
      if (!isObject(client) || !isObject(host)) {
        throw new ServiceError(400, 'invalid_args', 'Give the parts client and host.');
      }
      // What was left out is dropped.
      const kept = { client: { ...client }, host: { ...host } };
      state.preferences[callerOf(request).accountId] = kept;
      world.changed();
      return ok({ success: true, notification_preferences: kept });
    }),
    ...webhookRoutes(world, state, preferencesOf),
  ];
}

function webhookRoutes(
  world: World,
  state: NotificationState,
  preferencesOf: (request: SimRequest) => { client: Record<string, unknown> },
): Route[] {
  const own = (request: SimRequest) => (state.webhooks[callerOf(request).accountId] ??= []);
  const named = (request: SimRequest) => {
    const id = pathId(request.params['id'], 'not_found', 'Webhook not found');
    const found = own(request).find((one) => one.id === id);
    if (!found) {
      throw new ServiceError(404, 'not_found', 'Webhook not found');
    }
    return found;
  };
  const withSecret = (one: Webhook, accountId: number) => ({
    success: true,
    webhook: { ...toRow(one, accountId), webhook_secret: `whs_${randomBytes(24).toString('hex')}` },
  });
  return [
    route('GET /api/v0/webhooks/', reads, (request) =>
      ok({
        success: true,
        webhooks: own(request).map((one) => toRow(one, callerOf(request).accountId)),
      }),
    ),
    route('POST /api/v0/webhooks/', writes, (request) => {
      const { accountId } = callerOf(request);
      const hook = read(request, own(request), world);
      own(request).push(hook);
      const { client } = preferencesOf({ ...request, params: { id: String(accountId) } });
      for (const key of hook.eventTypes) {
        const slug = key.replace(/^client:/, '');
        const before = client[slug];
        client[slug] = { ...(isObject(before) ? before : {}), webhooks: true };
      }
      world.changed();
      return ok({ ...withSecret(hook, accountId), enabled_notification_preferences: hook.eventTypes });
    }),
    route('DELETE /api/v0/webhooks/{id}/', writes, (request) => {
      const hook = named(request);
      state.webhooks[callerOf(request).accountId] = own(request).filter((one) => one !== hook);
      world.changed();
      return ok({ success: true });
    }),
    route('POST /api/v0/webhooks/{id}/rotate-secret/', writes, (request) => {
      const hook = named(request);
      hook.updatedAt = world.now();
      return ok(withSecret(hook, callerOf(request).accountId));
    }),
    route('POST /api/v0/webhooks/{id}/test/', writes, (request) => {
      const hook = named(request);
      if (new URL(hook.url).hostname.startsWith('broken.')) {
        throw new ServiceError(502, undefined, 'delivery failed');
      }
      return ok({ success: true, webhook_id: hook.id, event_id: randomBytes(16).toString('hex') });
    }),
  ];
}

function read(request: SimRequest, present: readonly Webhook[], world: World): Webhook {
  const refuse = (message: string) => {
    throw new ServiceError(400, undefined, message);
  };
  const body = BodyReader.of(request.body);
  const url = body.text('webhook_url') ?? '';
  const keys = body.fields['event_types'];
  const eventTypes = Array.isArray(keys) ? keys.filter((key) => typeof key === 'string') : [];
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (parsed?.protocol !== 'https:' || parsed.hostname === '' || url.length > 2048) {
    refuse('webhook_url must be an https address');
  }
  if (eventTypes.length === 0 || new Set(eventTypes).size < eventTypes.length) {
    refuse('event_types must hold different keys');
  }
  if (eventTypes.some((key) => !types.some((type) => type.key === key))) {
    refuse('unknown event type');
  }
  if (present.some((one) => one.url === url)) {
    refuse('this address is already registered');
  }
  if (present.length >= mostWebhooks) {
    refuse(`at most ${mostWebhooks} hooks`);
  }
  const now = world.now();
  const id = world.nextId('webhook', 61);
  return { id, url, eventTypes, name: body.text('name') ?? null, createdAt: now, updatedAt: now };
}

function toRow({ id, url, eventTypes, name, createdAt, updatedAt }: Webhook, accountId: number) {
  return {
    id,
    user_id: accountId,
    name,
    webhook_url: url,
    event_types: eventTypes,
    created_at: createdAt,
    updated_at: updatedAt,
  };
}
