import {
  readKept,
  withoutUse,
  withSecret,
  withUse,
  type KeptSecret,
  type SecretUse,
} from '../../model/accounts/keptSecret';
import type { Clock } from '../../util/clock';
import type { Disposable } from '../../util/disposable';
import { UserError } from '../../util/errors';
import { text } from '../../util/text';
import { earlierSecrets, isEarlierKey } from './earlierSecrets';
import type { SecretPort } from './patientSecrets';

/** The editor did not store a secret that it was given; the cause could contain the value, so it is dropped. */
export class SecretNotKeptError extends UserError {
  constructor() {
    super(
      text(
        'The secret store of the editor did not keep the change. Unlock the key ring of this computer, then try again.',
      ),
    );
  }
}

/** The editor did not give a secret that it may still hold; the cause could contain a value, so it is dropped. */
export class SecretUnreadableError extends UserError {
  constructor() {
    super(text('Could not read your secrets. Unlock the key ring of this computer, then try again.'));
  }
}

const prefix = 'gpuRental.secrets.';

/** Returns whether an entry of the secret store holds secrets of an account, also of earlier versions. */
export function isSecretOf(accountKey: string, key: string): boolean {
  const own = `${prefix}${accountKey}`;
  return key === own || key.startsWith(`${own}.`) || isEarlierKey(accountKey, key);
}

/** Returns the entries of an account, as far as the secret store names them. */
export async function secretKeysOf(secrets: SecretPort, accountKey: string): Promise<readonly string[]> {
  return (await secrets.keys().catch(() => [])).filter((key) => isSecretOf(accountKey, key));
}

/** Stores a value and reads it back. @throws SecretNotKeptError if the secret store does not hold it afterwards. */
export async function storeChecked(secrets: SecretPort, key: string, value: string): Promise<void> {
  const isKept = await secrets
    .store(key, value)
    .then(() => secrets.get(key))
    .then(
      (kept) => kept === value,
      () => false,
    );
  if (!isKept) {
    throw new SecretNotKeptError();
  }
}

/** Returns what the secret store answers. @throws SecretUnreadableError if it refuses. */
export async function secretAnswer<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    // A place where no key may be read has its own reason.
    throw error instanceof UserError ? error : new SecretUnreadableError();
  }
}

/** Returns the names of the secrets of each account, as far as they are readable. */
export async function keptNames(secrets: SecretPort): Promise<ReadonlyMap<string, readonly string[]>> {
  const found = new Map<string, readonly string[]>();
  for (const key of await secretAnswer(secrets.keys())) {
    const [, kind, account = '', name = ''] =
      /^gpuRental\.(secrets|templateSecret)\.([^.]+)(?:\.(.+))?$/s.exec(key) ?? [];
    const isEntry = kind === 'secrets' && name === '';
    if (isEntry || kind === 'templateSecret') {
      const stored = isEntry ? await secretAnswer(secrets.get(key)) : undefined;
      const names = isEntry ? (readKept(stored ?? '') ?? []).map((one) => one.name) : [name];
      found.set(account, [...(found.get(account) ?? []), ...names]);
    }
  }
  return found;
}

interface Deps {
  readonly secrets: SecretPort;
  /** Runs an action while no other window of this user changes secrets. */
  readonly lock: <T>(action: () => Promise<T>) => Promise<T>;
  readonly clock: Pick<Clock, 'now'>;
  /** Receives every value, so that no log shows it. */
  readonly onSecret: (value: string) => void;
  /** Returns the documents for which earlier versions stored a secret, by its name. */
  readonly earlierUses: (accountKey: string) => Promise<(name: string) => readonly string[]>;
}

/**
 * The secrets of each account, with what may use them: one entry an account in the editor's secret store. Every change
 * starts from the stored entry, under a lock, because other windows write too.
 */
export class KeptSecrets {
  /** What earlier versions kept of an account is moved once. */
  private readonly moves = new Map<string, Promise<void>>();

  constructor(private readonly deps: Deps) {}

  /** Calls the listener with the key of an account whose secrets changed, in any window. */
  onDidChange(listener: (accountKey: string) => void): Disposable {
    return this.deps.secrets.onDidChange((key) => {
      if (key.startsWith(prefix)) {
        listener(key.slice(prefix.length));
      }
    });
  }

  /** Returns all secrets of an account, by name. @throws SecretUnreadableError if the secret store refuses. */
  async all(accountKey: string): Promise<readonly KeptSecret[]> {
    await this.moved(accountKey);
    const { kept } = await this.read(accountKey);
    for (const { value } of kept) {
      this.deps.onSecret(value);
    }
    return kept;
  }

  /** Stores a value under the wanted name, or under a free one where that has another value; returns the name. */
  async add(accountKey: string, wanted: string, value: string, use: SecretUse): Promise<string> {
    this.deps.onSecret(value);
    const added = { name: wanted, value, uses: [use], changedAt: this.deps.clock.now() };
    let kept = wanted;
    await this.edit(accountKey, (before) => {
      const { all, name } = withSecret(before, added);
      kept = name;
      return all;
    });
    return kept;
  }

  /** Replaces a value for everything that uses it. */
  change(accountKey: string, name: string, value: string): Promise<void> {
    this.deps.onSecret(value);
    const changedAt = this.deps.clock.now();
    return this.edit(accountKey, (all) =>
      all.map((one) => (one.name === name ? { ...one, value, changedAt } : one)),
    );
  }

  allow(accountKey: string, names: readonly string[], use: SecretUse): Promise<void> {
    return this.edit(accountKey, (all) => names.reduce((changed, name) => withUse(changed, name, use), all));
  }

  /** Ends a use of all secrets, or of one; what nothing else uses is deleted. */
  release(accountKey: string, use: SecretUse, name?: string): Promise<void> {
    return this.edit(accountKey, (all) => withoutUse(all, use, (one) => (name ?? one) === one));
  }

  remove(accountKey: string, name: string): Promise<void> {
    return this.edit(accountKey, (all) => all.filter((one) => one.name !== name));
  }

  private async edit(
    accountKey: string,
    change: (all: readonly KeptSecret[]) => readonly KeptSecret[],
  ): Promise<void> {
    await this.moved(accountKey);
    await this.deps.lock(() => this.write(accountKey, change));
  }

  private async read(accountKey: string) {
    const stored = await secretAnswer(this.deps.secrets.get(`${prefix}${accountKey}`));
    const kept = stored === undefined ? [] : readKept(stored);
    return { kept: kept ?? [], damaged: kept ? undefined : stored };
  }

  private async write(
    accountKey: string,
    change: (all: readonly KeptSecret[]) => readonly KeptSecret[],
  ): Promise<void> {
    const { secrets } = this.deps;
    const key = `${prefix}${accountKey}`;
    const { kept, damaged } = await this.read(accountKey);
    if (damaged !== undefined) {
      await storeChecked(secrets, `${key}.damaged`, damaged);
    }
    const changed = change(kept);
    if (JSON.stringify(changed) !== JSON.stringify(kept)) {
      const sorted = [...changed].sort((one, other) => (one.name < other.name ? -1 : 1));
      await storeChecked(secrets, key, JSON.stringify(sorted));
    }
  }

  private moved(accountKey: string): Promise<void> {
    const known = this.moves.get(accountKey);
    if (known) {
      return known;
    }
    const move = this.moveEarlier(accountKey);
    this.moves.set(accountKey, move);
    move.catch(() => this.moves.delete(accountKey));
    return move;
  }

  /** The old entries are deleted only once the new one holds their values, which a second move does not change. */
  private async moveEarlier(accountKey: string): Promise<void> {
    const { secrets, lock, earlierUses } = this.deps;
    const keys = async () =>
      (await secretAnswer(secrets.keys())).filter((key) => isEarlierKey(accountKey, key));
    if ((await keys()).length === 0) {
      return;
    }
    const usesOf = await earlierUses(accountKey);
    await lock(async () => {
      const entries = new Map<string, string>();
      for (const key of await keys()) {
        const stored = await secretAnswer(secrets.get(key));
        if (stored !== undefined) {
          entries.set(key, stored);
        }
      }
      const earlier = earlierSecrets(accountKey, entries, usesOf);
      await this.write(accountKey, earlier.addTo);
      // An entry that stays would bring back what is changed or deleted from now on.
      await secretAnswer(Promise.all(earlier.keys.map((key) => secrets.delete(key))));
    });
  }
}
