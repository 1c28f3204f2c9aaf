import { permissionCategories, type PermissionCategory } from './apiKey';

/**
 * Method and path pattern of a call, and the permission it needs. The first match wins
 * (docs/service/authentication.md#permission-categories).
 */
const rules: readonly (readonly [RegExp, PermissionCategory])[] = [
  [/^POST \/api\/v0\/(?:bundles|volumes\/search)\//, 'misc'],
  [/^GET \/api\/v0\/audit_logs\//, 'misc'],
  [/^PUT \/api\/v0\/instances\/request_logs\//, 'instance_read'],
  [/^GET \/api\/v0\/commands\/schedule_job\//, 'instance_read'],
  [/^GET \/api\/v[01]\/(?:instances|volumes|deployments?)\//, 'instance_read'],
  [/^\w+ \/api\/v0\/(?:asks|instances|volumes|deployment|commands)\//, 'instance_write'],
  [/^GET \/api\/v0\/users\/\{user_id\}\/machine-earnings\//, 'billing_read'],
  [/^GET \/api\/v[01]\/(?:charges|invoices)\//, 'billing_read'],
  [
    /^GET \/api\/v0\/(?:users|notification-types|webhooks|template|secrets|ssh|auth\/apikeys|tfa)\//,
    'user_read',
  ],
  [/^\w+ \/api\/v0\/(?:users|webhooks|template|secrets|ssh|auth\/apikeys|tfa)\//, 'user_write'],
  // Of a renter, about the machine of an instance.
  [/^PUT \/api\/v0\/machines\/[^/]+\/report$/, 'instance_write'],
  // Renters look up what is planned for the machines of their instances.
  [/^(?:GET|POST) \/api\/v0\/machines\/maintenances$/, 'instance_read'],
  [/^GET \/api\/v0\/(?:metrics|machines)\//, 'machine_read'],
  [/^\w+ \/api\/v0\/machines\//, 'machine_write'],
  [/^GET \/api\/v0\/team\/balances/, 'user_read'],
  [/^GET \/api\/v0\/team\//, 'team_read'],
];

/** Returns the permission that a call needs, or `undefined` if it is not documented. */
export function permissionOfRoute(route: string): PermissionCategory | undefined {
  return rules.find(([pattern]) => pattern.test(route))?.[1];
}

/** Returns the permission named in the service's message, such as "This key lacks the permission user_write." */
export function permissionNamedIn(sentence: string): PermissionCategory | undefined {
  const words = new Set<string>(sentence.match(/[a-z_]+/g) ?? []);
  // `misc` may occur in a message with another meaning.
  return permissionCategories.find((category) => category !== 'misc' && words.has(category));
}
