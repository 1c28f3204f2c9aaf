import type { SshKey } from '../../model/accounts/account';
import { sameKey } from '../../ssh/publicKey';

/** Id of the key in the account record, which has none at the service. */
export const ownKeyId = 0;

/** Returns the registered keys, and the key in the account record unless it is among them. */
export function withOwnKey(keys: readonly SshKey[], own: string | undefined): readonly SshKey[] {
  return own === undefined || keys.some((key) => sameKey(key.publicKey, own))
    ? keys
    : [...keys, { id: ownKeyId, publicKey: own }];
}
