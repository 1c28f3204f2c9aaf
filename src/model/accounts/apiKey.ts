/** service-facts 2.14. */
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
 * (interface: Authentication 3). Unknown parts are kept.
 */
export type KeyPermissions = Readonly<Record<string, unknown>>;

/** A key of the account as listed; the value is known only when it is made (service-facts 3.5). */
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
