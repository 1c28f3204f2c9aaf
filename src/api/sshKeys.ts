import type { SshKey } from '../model/accounts/account';
import { addedSshKey, sshKey, sshKeyList, type WireSshKey } from '../wire/sshKey';
import { defined } from '../util/defined';
import type { Client } from './client';
import { NotUnderstoodError } from './errors';
import type { Http } from './http';
import { readList } from './listing';
import { nonEmpty } from './modelValues';
import { read, sendWrite, write } from './request';

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

/** A record without its text cannot be compared with a local key, so it counts as broken. */
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
