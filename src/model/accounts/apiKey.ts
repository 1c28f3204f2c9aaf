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
 * What a key may do: `{api: {<category>: {}}}`, or the flat form with `read` and `write`
 * (docs/service/authentication.md#key-permissions). Unknown parts are kept.
 */
export type KeyPermissions = Readonly<Record<string, unknown>>;

/**
 * A key of the account as it is listed. The value is known only when the key is made
 * (docs/service/api-keys.md#record).
 */
export interface ApiKey {
  readonly id: number;
  readonly name?: string;
  readonly rights?: string;
  readonly teamName?: string;
  /** Absent where the record does not say; a full key has none. */
  readonly permissions?: KeyPermissions;
  readonly ipWhitelist?: readonly string[];
  /** ISO text or Unix seconds as the service sent it. */
  readonly createdAt?: string | number;
}

export interface NewApiKey {
  readonly name?: string;
  readonly permissions: KeyPermissions;
  /** IP addresses; nothing is restricted when empty. */
  readonly ipWhitelist?: readonly string[];
}

/** `value` is told once; it is shown and forgotten. */
export interface CreatedApiKey {
  readonly id: number;
  readonly value: string;
}
