import { rm } from 'node:fs/promises';
import * as z from 'zod';
import { channel } from '../../shared/channel';
import type { Disposable } from '../../util/disposable';
import { Emitter } from '../../util/emitter';
import type { Log } from '../../util/log';
import type { WindowHub } from '../windows/windowHub';
import { accountKeyShape, accountPath } from './accountFiles';
import type { SecretPort } from './patientSecrets';

const removals = channel('accounts.removed', z.object({ accountKey: z.string() }));

interface Deps {
  readonly storageDir: string;
  readonly secrets: SecretPort;
  readonly hub: WindowHub;
  readonly log: Log;
  /** Each returns keys of what an account leaves in the secret store; asked before the files of the account go. */
  readonly secretKeys: readonly ((accountKey: string) => string | Promise<readonly string[]>)[];
}

/**
 * Deletes what an account left on this computer once it is signed out. Every window deletes it, because any
 * of them may just have written a file again.
 */
export class AccountCleanup implements Disposable {
  private readonly subscription: Disposable;
  private readonly removed = new Emitter<string>();

  /**
   * Fires in every window with the key of a removed account, for data that is kept outside the storage
   * folder.
   */
  readonly onDidRemove = this.removed.event;

  constructor(private readonly deps: Deps) {
    this.subscription = removals.on(deps.hub, ({ accountKey }) => {
      void this.removeHere(accountKey).catch((error: unknown) => {
        deps.log.error('What a signed-out account left could not be removed', error);
      });
    });
  }

  /** Deletes the files of an account; call it after the sign-out. Throws when the disk refuses. */
  async remove(accountKey: string): Promise<void> {
    removals.send(this.deps.hub, { accountKey });
    await this.removeHere(accountKey);
  }

  dispose(): void {
    this.subscription.dispose();
    this.removed.dispose();
  }

  private async removeHere(accountKey: string): Promise<void> {
    const { storageDir, secrets, secretKeys, log } = this.deps;
    // The key becomes part of a path and may come from another window.
    if (!accountKeyShape.test(accountKey)) {
      return;
    }
    this.removed.fire(accountKey);
    const keys: (string | readonly string[])[] = [];
    for (const keysOf of secretKeys) {
      keys.push(await keysOf(accountKey));
    }
    // The deletions run side by side, so that a secret store that hangs delays them only once.
    await Promise.all(
      keys.flat().map((key) =>
        secrets.delete(key).catch(() => {
          log.warn('A secret of a signed-out account stays in the secret store');
        }),
      ),
    );
    // Another window may write into a folder while it is being deleted.
    await rm(accountPath(storageDir, accountKey), { recursive: true, force: true, maxRetries: 3 });
  }
}
