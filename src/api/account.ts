import type { SshKey, User } from '../model/accounts/account';
import type { ApiKey } from '../model/accounts/apiKey';
import type { Secret } from '../model/accounts/secret';
import type { TeamRole } from '../model/accounts/teamRole';
import { defined } from '../util/defined';
import { apiKey, apiKeyList, createdApiKey, deletedApiKey, type WireApiKey } from '../wire/apiKey';
import { secretList, secretRow } from '../wire/secret';
import { addedSshKey, sshKey, sshKeyList, type WireSshKey } from '../wire/sshKey';
import { teamRole, teamRoleList, type WireTeamRole } from '../wire/teamRole';
import { user, type WireUser } from '../wire/user';
import type { Client } from './client';
import { NotUnderstoodError } from './errors';
import type { Http } from './http';
import { readList, readPages } from './listing';
import { amount, nonEmpty, parsedText } from './modelValues';
import { read, sendWrite, write } from './request';

export function usersApi(http: Http): Client['users'] {
  return {
    // See docs/service/users.md#current-user.
    current: async (options) => toUser(await http.call(read('GET /api/v0/users/current/'), user, options)),
  };
}

export function toUser(wire: WireUser): User {
  return defined<User>({
    id: wire.id,
    keyId: wire.key_id,
    email: nonEmpty(wire.email),
    name: nonEmpty(wire.full_name) ?? nonEmpty(wire.fullname) ?? nonEmpty(wire.username),
    balance: amount(wire.balance),
    credit: amount(wire.credit),
    sshKey: nonEmpty(wire.ssh_key),
    tfaStatus: nonEmpty(wire.tfa_status),
    emailVerified: emailVerified(wire),
    isAdmin: wire.is_admin,
  });
}

/** `email_verified_at` is null when unverified; some records have `email_verified` instead. */
function emailVerified(wire: WireUser): boolean | undefined {
  return wire.email_verified_at === undefined ? wire.email_verified : wire.email_verified_at !== null;
}

/** Keys of the account (docs/service/ssh-keys.md#account-keys). */
export function sshKeysApi(http: Http): Client['sshKeys'] {
  return {
    list: (options) => readList(http, read('GET /api/v0/ssh/'), sshKeyList, keyWithText, toSshKey, options),
    add: async (publicKey, options) => {
      const request = { ...write('POST /api/v0/ssh/'), body: { ssh_key: publicKey } };
      const answer = await http.call(request, addedSshKey, options);
      const added = sshKey.safeParse(answer.key).data ?? sshKey.safeParse(answer).data;
      if (!added) {
        throw new NotUnderstoodError({ route: request.route, isWrite: true, status: 200 });
      }
      // The answer may leave the text out; then it is the one that was sent.
      return toSshKey({ ...added, public_key: publicKeyOf(added) ?? publicKey });
    },
    remove: (id, options) => sendWrite(http, write('DELETE /api/v0/ssh/{id}/', { id }), options),
  };
}

/** A record without its text can't be compared with a local key, so it counts as broken. */
export const keyWithText = sshKey.refine((wire) => publicKeyOf(wire) !== undefined, 'no public key');

export function toSshKey(wire: WireSshKey): SshKey {
  return defined<SshKey>({
    id: wire.id,
    name: nonEmpty(wire.name),
    publicKey: publicKeyOf(wire) ?? '',
    createdAt: wire.created_at ?? undefined,
  });
}

/** Returns the text of a key, which has three field names (docs/service/ssh-keys.md#record). */
function publicKeyOf(wire: WireSshKey): string | undefined {
  return nonEmpty(wire.public_key) ?? nonEmpty(wire.key) ?? nonEmpty(wire.ssh_key);
}

/** Lists, creates and deletes API keys (docs/service/api-keys.md#list). */
export function apiKeysApi(http: Http): Client['apiKeys'] {
  return {
    list: (options) =>
      readList(http, read('GET /api/v0/auth/apikeys/'), apiKeyList, apiKey, toApiKey, options),
    create: async ({ name, permissions, ipWhitelist }, options) => {
      const body = {
        name: nonEmpty(name),
        permissions,
        key_params: ipWhitelist && ipWhitelist.length > 0 ? { ip_whitelist: ipWhitelist } : undefined,
      };
      const request = { ...write('POST /api/v0/auth/apikeys/'), body };
      const answer = await http.call(request, createdApiKey, options);
      return { id: answer.id, value: answer.key };
    },
    remove: async (id, options) => {
      await http.call(write('DELETE /api/v0/auth/apikeys/{id}/', { id }), deletedApiKey, options);
    },
  };
}

function toApiKey(wire: WireApiKey): ApiKey {
  return defined<ApiKey>({
    id: wire.id,
    name: nonEmpty(wire.name),
    rights: nonEmpty(wire.rights),
    permissions: asObject(wire.permissions),
    ipWhitelist: whitelistOf(wire.key_params),
    createdAt: wire.created_at ?? undefined,
  });
}

/** Permissions are an object or the JSON text of one (docs/service/api-keys.md#record). */
function asObject(value: unknown): Readonly<Record<string, unknown>> | undefined {
  const read = parsedText(value);
  return typeof read === 'object' && read !== null && !Array.isArray(read)
    ? (read as Readonly<Record<string, unknown>>)
    : undefined;
}

function whitelistOf(keyParams: unknown): readonly string[] | undefined {
  const list = asObject(keyParams)?.['ip_whitelist'];
  const addresses = Array.isArray(list) ? list.filter((each) => typeof each === 'string') : [];
  return addresses.length > 0 ? addresses : undefined;
}

/** Reads and writes the environment variables of the account (docs/service/environment-variables.md#list). */
export function secretsApi(http: Http): Client['secrets'] {
  return {
    list: async (options) => {
      const request = read('GET /api/v0/secrets/');
      const { items, missing } = await readPages(http, request, secretList, secretRow, toSecret, options);
      if (missing > 0) {
        throw new NotUnderstoodError({ route: request.route, status: 200 });
      }
      return [...items].sort((a, b) => a.name.localeCompare(b.name));
    },
    create: (name, value, options) =>
      sendWrite(http, { ...write('POST /api/v0/secrets/'), body: { key: name, value } }, options),
    update: (name, value, options) =>
      sendWrite(http, { ...write('PUT /api/v0/secrets/'), body: { key: name, value } }, options),
    remove: (name, options) =>
      sendWrite(http, { ...write('DELETE /api/v0/secrets/'), body: { key: name } }, options),
  };
}

/** Stars replace a value that the service does not reveal (docs/service/environment-variables.md#list). */
function toSecret([name, value]: readonly [string, unknown]): Secret {
  const isKnown = typeof value === 'string' && value !== '' && !/^\*+$/.test(value);
  return isKnown ? { name, value } : { name };
}

/** Looks up one role and lists all (docs/service/team-roles.md#look-up). */
export function teamRolesApi(http: Http): Client['teamRoles'] {
  return {
    get: async (name, options) => {
      const request = read('GET /api/v0/team/roles/{id}/', { id: name });
      return toTeamRole(await http.call(request, teamRole, options));
    },
    list: (options) =>
      readList(http, read('GET /api/v0/team/roles-full/'), teamRoleList, teamRole, toTeamRole, options),
  };
}

function toTeamRole(wire: WireTeamRole): TeamRole {
  return { id: wire.id, name: wire.name ?? '', permissions: permissionNames(wire.permissions) };
}

/** Documented as texts; keys of an object are understood as well. */
function permissionNames(value: unknown): readonly string[] {
  if (Array.isArray(value)) {
    return value.filter((each) => typeof each === 'string');
  }
  if (typeof value !== 'object' || value === null) {
    return [];
  }
  const inner: unknown = 'api' in value ? value.api : value;
  return typeof inner === 'object' && inner !== null ? Object.keys(inner) : [];
}
