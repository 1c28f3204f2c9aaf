import { findLocalKeys, matchKeys, worksUnattended, type KeyDeps, type LocalKey } from './localKeys';

/** The key that ssh logs in with. */
export interface Identity {
  /** The local key that the instance knows. */
  readonly key: LocalKey | undefined;
  /** The file that the entry names; `undefined` leaves the choice to ssh and its agent. */
  readonly file: string | undefined;
  /** The same file if it needs a passphrase and no agent holds the key. */
  readonly lockedFile: string | undefined;
}

/**
 * Chooses a registered key, or the previous one if the registered keys are unknown. If none fits, it may be a key
 * that can't be read without its passphrase: only a login can tell.
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
