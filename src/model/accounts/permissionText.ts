import { text, type Text } from '../../util/text';
import { permissionCategories, type ApiKey, type KeyPermissions, type PermissionCategory } from './apiKey';

/** What each category allows (docs/service/authentication.md#permission-categories). */
export const permissionMeaning: Readonly<Record<PermissionCategory, Text>> = {
  instance_read: text('See instances, their logs, volumes and deployments'),
  instance_write: text('Rent, start, stop and destroy instances; run commands; attach keys. Spends money'),
  user_read: text('See the account, templates, SSH keys, API keys and environment variables'),
  user_write: text('Change templates, SSH keys, API keys, environment variables and 2FA'),
  billing_read: text('See charges, invoices and earnings'),
  billing_write: text('Transfer credit'),
  machine_read: text('See the machines you host and the market figures'),
  machine_write: text('Set minimum bids and schedule maintenance of the machines you host'),
  misc: text('Search offers and volumes'),
  team_read: text('See team roles'),
  team_write: text('Change team roles'),
};

/** The permissions to find, rent, use and destroy machines, and to see what they and the market cost. */
export const usualPermissions: readonly PermissionCategory[] = [
  'misc',
  'instance_read',
  'instance_write',
  'user_read',
  'billing_read',
  'machine_read',
];

export function scopedPermissions(categories: readonly PermissionCategory[]): KeyPermissions {
  return { api: Object.fromEntries(categories.map((category) => [category, {}])) };
}

/** Returns the categories of a key, or `undefined` if the record does not list them. */
function categoriesOf(permissions: KeyPermissions | undefined): readonly string[] | undefined {
  const api = permissions?.['api'];
  return typeof api === 'object' && api !== null ? Object.keys(api) : undefined;
}

/** Returns a short summary: full access, the rights, or the categories. */
export function permissionSummary({ permissions, rights }: Pick<ApiKey, 'permissions' | 'rights'>): Text {
  const categories = categoriesOf(permissions);
  if (categories) {
    return text('{0}', categories.join(', '));
  }
  if (permissions?.['write'] === true) {
    return text('read and write');
  }
  if (permissions?.['read'] === true) {
    return text('read only');
  }
  return rights === undefined || rights === 'full' ? text('full access') : text('{0}', rights);
}

/** Returns false only if the record rules it out. When in doubt, the call is tried and the service refuses it. */
export function mayUse(key: ApiKey | undefined, category: PermissionCategory): boolean {
  const permissions = key?.permissions;
  const categories = categoriesOf(permissions);
  if (categories) {
    return categories.includes(category);
  }
  const isFlat = typeof permissions?.['read'] === 'boolean' || typeof permissions?.['write'] === 'boolean';
  if (!isFlat || permissions['write'] === true) {
    return true;
  }
  return permissions['read'] === true && !category.endsWith('_write');
}

export function isCategory(name: string): name is PermissionCategory {
  return permissionCategories.some((known) => known === name);
}
