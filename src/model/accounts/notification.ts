/** A kind of message that the service can send (docs/service/notifications.md#types). */
export interface NotificationType {
  /** As webhooks name it: `client:outbid`. */
  readonly key: string;
  /** As the preferences name it: `outbid`. */
  readonly slug: string;
  readonly context: string;
  readonly name: string;
  /** The service sends this e-mail in any case. */
  readonly isAlwaysMailed: boolean;
  readonly defaults: Channels;
}

/** Whether a kind is sent, by channel; those that are not known here are kept for the next write. */
export type Channels = Readonly<Record<string, unknown>> & {
  readonly email?: boolean | undefined;
  readonly webhooks?: boolean | undefined;
};

/** All that is on for an account, as the service has it: a write replaces it whole. */
export interface NotificationPreferences extends Readonly<Record<string, unknown>> {
  /** By slug. */
  readonly client: Readonly<Record<string, Channels>>;
  readonly host?: Readonly<Record<string, unknown>> | undefined;
}

export interface Webhook {
  readonly id: number;
  readonly url: string;
  readonly eventTypes: readonly string[];
  readonly name?: string;
}

/** What matters to a renter, of the kinds that the service lists. The service adds kinds, so others are left alone. */
const offered = [
  ...['outbid', 'error_msgs', 'instance_offline', 'low_disk_space', 'storage_full', 'idle_gpu'],
  ...['low_credit', 'near_end_date', 'upcoming_downtime', 'machine_maintenance', 'billing_failed'],
];

/** Returns the kinds that are offered, in our order. */
export function offeredTypes(types: readonly NotificationType[]): readonly NotificationType[] {
  return offered.flatMap((slug) =>
    types.filter((type) => type.context === 'client' && type.slug === slug).slice(0, 1),
  );
}

export function isMailed(preferences: NotificationPreferences, type: NotificationType): boolean {
  return type.isAlwaysMailed || (channelsOf(preferences, type)?.email ?? type.defaults.email) === true;
}

/** Returns all preferences with the e-mails of these kinds on or off, and the rest as it is. */
export function withMails(
  preferences: NotificationPreferences,
  wanted: ReadonlyMap<NotificationType, boolean>,
): NotificationPreferences {
  const changed = [...wanted].map(([type, email]): [string, Channels] => [
    type.slug,
    { ...(channelsOf(preferences, type) ?? type.defaults), email },
  ]);
  return {
    ...preferences,
    client: { ...preferences.client, ...Object.fromEntries(changed) },
    // The service refuses a write without both.
    host: preferences.host ?? {},
  };
}

function channelsOf({ client }: NotificationPreferences, { slug }: NotificationType): Channels | undefined {
  return Object.hasOwn(client, slug) ? client[slug] : undefined;
}

/** The service keeps no more for a user. */
export const mostWebhooks = 4;
const longestUrl = 2048;

/** Returns whether the service accepts the address of a webhook. */
export function isWebhookUrl(typed: string): boolean {
  const url = URL.canParse(typed) ? new URL(typed) : undefined;
  return (
    url?.protocol === 'https:' &&
    typed.length <= longestUrl &&
    url.username === '' &&
    url.password === '' &&
    /^[a-z0-9-]+(\.[a-z0-9-]+)*\.[a-z][a-z0-9-]*$/.test(url.hostname) &&
    !/(^|\.)(localhost|local|internal)$/.test(url.hostname)
  );
}
