import type { User } from '../model/accounts/account';
import { user, type WireUser } from '../wire/user';
import { defined } from '../util/defined';
import type { Client } from './client';
import type { Http } from './http';
import { amount, nonEmpty } from './modelValues';
import { read } from './request';

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
