/** See docs/service/authentication.md#permission-categories. */
export const permissionCategories = [
  'instance_read',
  'instance_write',
  'user_read',
  'user_write',
  'billing_read',
  'billing_write',
  'machine_read',
  'machine_write',
  'misc',
  'team_read',
  'team_write',
] as const;
export type PermissionCategory = (typeof permissionCategories)[number];

/**
 * The permissions of a key: `{api: {<category>: {}}}`, or the flat form with `read` and `write`
 * (docs/service/authentication.md#key-permissions). Unknown parts are kept.
 */
export type KeyPermissions = Readonly<Record<string, unknown>>;

/** A key in the account's list. Its value is known only when the key is created (docs/service/api-keys.md#record). */
export interface ApiKey {
  readonly id: number;
  readonly name?: string;
  readonly rights?: string;
  /** Absent if the record does not state them; a key with full access has none. */
  readonly permissions?: KeyPermissions;
  readonly ipWhitelist?: readonly string[];
  /** ISO text or Unix seconds, as the service sent it. */
  readonly createdAt?: string | number;
}

export interface NewApiKey {
  readonly name?: string;
  readonly permissions: KeyPermissions;
  /** The IP addresses that may use the key; empty for all. */
  readonly ipWhitelist?: readonly string[];
}

/** The service sends `value` only once. It is shown and never stored. */
export interface CreatedApiKey {
  readonly id: number;
  readonly value: string;
}
