import type { Log } from '../../util/log';
import { JsonFile } from '../jsonFile';
import { KeptFile } from '../keptFile';
import type { FleetSnapshot } from './fleetStore';
import type { Loaded } from '../../shared/reading';
import { fleetFile, type FleetFile } from './fleetShared';
import type { RememberedEntries } from './rememberedFacts';
import { accountPath } from '../accounts/accountFiles';

export function openFleetCache(storageDir: string, accountKey: string, log: Log): FleetCache {
  return new FleetCache(accountPath(storageDir, accountKey, 'fleet.json'), log);
}

/** The last list of an account on disk. No method rejects: without the file, the list is read from the service. */
export class FleetCache {
  private readonly file: KeptFile<FleetFile>;

  constructor(
    path: string,
    private readonly log: Log,
  ) {
    this.file = new KeptFile(new JsonFile(path, fleetFile, log), log, 'The cached list could not be read');
  }

  /** True while the disk refuses: the earlier facts are unknown, and nothing is saved. */
  get isRefused(): boolean {
    return this.file.isRefused;
  }

  load(): Promise<FleetFile | undefined> {
    return this.file.read();
  }

  /**
   * Notes a destroy while the account is not active (ms since 1970). That it took effect is left to the next list, which
   * ends the instance for the history as well.
   */
  async noteDestroyed(id: number, at: number): Promise<void> {
    const cached = await this.load();
    if (cached && !this.isRefused) {
      const facts = cached.memory.find(([one]) => one === id)?.[1];
      const others = cached.memory.filter(([one]) => one !== id);
      const lastRequest = { kind: 'destroy', at } as const;
      await this.write({ ...cached, memory: [...others, [id, { ...facts, lastRequest, touchedAt: at }]] });
    }
  }

  async save(state: Loaded<FleetSnapshot>, memory: RememberedEntries): Promise<void> {
    await this.write({
      version: 1,
      fetchedAt: state.kind === 'ready' ? state.fetchedAt : 0,
      snapshot: state.kind === 'ready' ? state.value : null,
      memory: [...memory].map(([id, facts]) => [id, facts]),
    });
  }

  private async write(content: FleetFile): Promise<void> {
    try {
      await this.file.write(content);
    } catch (error) {
      this.log.error('The list could not be cached', error);
    }
  }
}
