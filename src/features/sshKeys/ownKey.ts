import type { SshKey } from '../../model/accounts/account';
import { sameKey } from '../../ssh/publicKey';

/** Stands for the key in the user's own record, which has no id. */
export const ownKeyId = 0;

/** The registered keys with the one in the user's own record, unless that is among them. */
export function withOwnKey(keys: readonly SshKey[], own: string | undefined): readonly SshKey[] {
  return own === undefined || keys.some((key) => sameKey(key.publicKey, own))
    ? keys
    : [...keys, { id: ownKeyId, publicKey: own }];
}
