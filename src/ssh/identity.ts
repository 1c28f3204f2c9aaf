import {
  findLocalKeys,
  matchKeys,
  worksUnattended,
  type KeyDeps,
  type LocalKey,
  type UnusableKey,
} from './localKeys';
import { forwardSlashes } from './paths';
import { sameKey } from './publicKey';

/** The public part of a key that only an agent holds, in our folder: ssh needs a file that names the one key to offer. */
export interface AgentKey {
  readonly file: string;
  readonly line: string | undefined;
}

/** The key that ssh logs in with. */
export interface Identity {
  /** The local key that the instance knows. */
  readonly key: LocalKey | undefined;
  /** The file that the entry names; `undefined` leaves the choice to ssh and its agent, since no key fits. */
  readonly file: string | undefined;
  /** The same file if it needs a passphrase and no agent holds the key. */
  readonly lockedFile: string | undefined;
  /** A key that the instance may know, too, if this computer had it in a form that ssh can use. */
  readonly unusable?: UnusableKey | undefined;
  /** Other keys of this computer that the instance may know, the best first, for a machine that refuses this one. */
  readonly others?: readonly Identity[];
}

/** A server ends a connection after a few refused keys, and each try is a login (number of keys). */
const mostOthers = 4;

/**
 * Chooses a registered key, the previous one if possible: one that is registered since may not
 * be on a running machine. If the registered keys are unknown, only the previous one counts. If
 * none fits, it may be a key that can't be read without its passphrase: only a login shows that.
 */
export async function chooseIdentity(
  deps: KeyDeps,
  registered: readonly string[] | undefined,
  lastFile: string | undefined,
  agentKey: AgentKey,
  signal?: AbortSignal,
): Promise<Identity> {
  const { keys, unread, unusable: spoiled } = await findLocalKeys(deps, signal);
  const fileOf = (key: LocalKey) => key.privateFile ?? key.publicFile ?? agentKey.file;
  const isLast = (file: string) =>
    lastFile !== undefined && forwardSlashes(lastFile) === forwardSlashes(file);
  const isOfAgent = isLast(agentKey.file);
  const wanted = registered ?? (isOfAgent ? [agentKey.line ?? ''] : undefined);
  const matching = wanted ? matchKeys(keys, wanted) : keys.filter((key) => isLast(fileOf(key)));
  const unusable = registered && matchKeys(spoiled, registered)[0];
  const isPrevious = (one: LocalKey) =>
    isLast(fileOf(one)) && (fileOf(one) !== agentKey.file || sameKey(one.line, agentKey.line ?? ''));
  const unattended = matching.filter(worksUnattended);
  const best = unattended.length > 0 ? unattended : matching;
  const key = best.find(isPrevious) ?? best[0];
  if (key) {
    const identityOf = (one: LocalKey): Identity => ({
      key: one,
      file: fileOf(one),
      lockedFile: one.encrypted && !one.inAgent ? one.privateFile : undefined,
      unusable,
    });
    const others = matching.filter((one) => one !== key).map(identityOf);
    return { ...identityOf(key), others: others.slice(0, mostOthers) };
  }
  const possible = registered ? unread[0] : undefined;
  // The agent may be locked, or its key is one of the unread files.
  const file = isOfAgent ? (possible ?? lastFile) : (unread.find(isLast) ?? lastFile ?? possible);
  return { key, file, lockedFile: unread.find((one) => one === file), unusable };
}
