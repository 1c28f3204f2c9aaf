import { findLocalKeys, matchKeys, worksUnattended, type KeyDeps, type LocalKey } from './localKeys';

/** With what ssh is to log in. */
export interface Identity {
  /** The key of this computer that the instance knows. */
  readonly key: LocalKey | undefined;
  /** What the entry names; `undefined` leaves the choice to ssh and its agent. */
  readonly file: string | undefined;
  /** The same where it asks for a passphrase, and no agent holds it. */
  readonly lockedFile: string | undefined;
}

/**
 * Chooses a key that is registered, or the one of the last time where the registered ones are not known. If none fits,
 * one of which nothing can be read without its passphrase may: only a login tells.
 */
export async function chooseIdentity(
  deps: KeyDeps,
  registered: readonly string[] | undefined,
  lastFile: string | undefined,
  signal?: AbortSignal,
): Promise<Identity> {
  const { keys, unread } = await findLocalKeys(deps, signal);
  const matching = registered
    ? matchKeys(keys, registered)
    : keys.filter((key) => lastFile === (key.privateFile ?? key.publicFile));
  const key = matching.find(worksUnattended) ?? matching[0];
  if (key) {
    const isLocked = key.encrypted && !key.inAgent;
    return {
      key,
      file: key.privateFile ?? key.publicFile,
      lockedFile: isLocked ? key.privateFile : undefined,
    };
  }
  const file = lastFile ?? (registered ? unread[0] : undefined);
  return { key, file, lockedFile: unread.find((one) => one === file) };
}
