import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { channel } from '../../shared/channel';
import type { Disposable } from '../../util/disposable';
import { Emitter } from '../../util/emitter';
import type { Log } from '../../util/log';
import type { SecretPort } from './patientSecrets';
import type { WindowHub } from '../windows/windowHub';
import { rentalSecretKey } from '../rentals/rentalJournal';
import { jobSecretsKey } from '../../jobs/store/jobSecrets';
import { ifPresent } from '../../util/missing';
import { registryLoginKey } from './registryLogins';

const removals = channel('accounts.removed', z.object({ accountKey: z.string() }));
const accountKeyShape = /^[0-9a-f]{16}$/;
/** Storage folders that hold one file or one folder per account. */
const folders = [
  'fleet',
  'readiness',
  'rentals',
  'watches',
  'keyAccess',
  'schedules',
  'usage',
  'failedMachines',
  'history',
  'proofs',
  'jobs',
  'hostSets',
  'agents',
];

interface Deps {
  readonly storageDir: string;
  readonly secrets: SecretPort;
  readonly hub: WindowHub;
  readonly log: Log;
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
    const { storageDir, secrets, log } = this.deps;
    // The key becomes part of a path and may come from another window.
    if (!accountKeyShape.test(accountKey)) {
      return;
    }
    this.removed.fire(accountKey);
    const markers = await rentalMarkers(join(storageDir, 'rentals', accountKey));
    // The deletions run side by side, so that a secret store that hangs delays them only once.
    await Promise.all(
      [registryLoginKey(accountKey), jobSecretsKey(accountKey), ...markers.map(rentalSecretKey)].map((key) =>
        secrets.delete(key).catch(() => {
          log.warn('The login to a registry or the environment of a rental stays in the secret store');
        }),
      ),
    );
    for (const folder of folders) {
      await rm(join(storageDir, folder, accountKey), { recursive: true, force: true });
      await rm(join(storageDir, folder, `${accountKey}.json`), { force: true });
    }
  }
}

async function rentalMarkers(folder: string): Promise<readonly string[]> {
  const names = (await ifPresent(readdir(folder))) ?? [];
  return names.flatMap((name) => /^([0-9a-f]{8})\.json$/.exec(name)?.[1] ?? []);
}
