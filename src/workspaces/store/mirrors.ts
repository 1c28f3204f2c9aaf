import { accountPath } from '../../store/accounts/accountFiles';
import { DiskList, type DiskListDeps } from '../../store/disk/diskList';
import type { Fleet } from '../../store/instances/fleetStore';
import type { Clock } from '../../util/clock';
import { DisposableStore, type Disposable } from '../../util/disposable';
import { Emitter } from '../../util/emitter';
import type { Log } from '../../util/log';
import type { FolderMirror, FolderMirrors, MirroredFolder } from '../model/mirror';
import type { MirrorNotes } from '../model/mirrorMemory';
import { MirrorFiles } from './mirrorFiles';

interface MirrorsDeps extends Pick<DiskListDeps<MirrorFiles>, 'accounts' | 'hub'> {
  readonly storageDir: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly fleet: Pick<Fleet, 'hasEnded' | 'onDidChange'>;
  readonly create: (folder: MirroredFolder, notes: MirrorNotes) => FolderMirror & Disposable;
}

/** The folders that are kept on instances of the active account, the same in all windows. */
export class Mirrors implements FolderMirrors, Disposable {
  private readonly owned = new DisposableStore();
  private readonly changed = this.owned.add(new Emitter<void>());
  private readonly list: DiskList<MirroredFolder, MirrorFiles>;
  private readonly engines = new Map<string, FolderMirror & Disposable>();
  readonly onDidChange: FolderMirrors['onDidChange'] = (listener) => this.changed.event(listener);

  constructor(private readonly deps: MirrorsDeps) {
    const { storageDir, log, clock, fleet } = deps;
    this.list = this.owned.add(
      new DiskList({
        ...deps,
        topic: 'mirrors.changed',
        open: (accountKey) => new MirrorFiles(accountPath(storageDir, accountKey, 'workspaces'), log, clock),
        unreadable: 'The folders that are kept on instances could not be read',
      }),
    );
    this.owned.add(
      this.list.onDidChange(() => {
        this.follow();
      }),
    );
    this.owned.add(
      fleet.onDidChange(() => {
        const ended = this.list.rows.filter(({ instanceId }) => fleet.hasEnded(instanceId));
        void Promise.all(ended.map((folder) => this.end(folder))).catch((error: unknown) => {
          log.error('What was sent to an instance that is gone could not be removed', error);
        });
      }),
    );
  }

  get ready(): Promise<void> {
    return this.list.ready;
  }

  get all(): readonly FolderMirror[] {
    return this.list.rows.flatMap((folder) => this.engines.get(keyOf(folder)) ?? []);
  }

  async begin(folder: MirroredFolder): Promise<FolderMirror> {
    const files = this.list.filesOf(folder.accountKey);
    if (!this.engines.has(keyOf(folder))) {
      await files.put(folder);
      await this.list.publishChange(files);
    }
    return this.engineOf(folder, files);
  }

  async end(folder: MirroredFolder): Promise<void> {
    const files = this.list.filesOf(folder.accountKey);
    this.engines.get(keyOf(folder))?.dispose();
    this.engines.delete(keyOf(folder));
    await files.remove(folder);
    await this.list.publishChange(files);
  }

  dispose(): void {
    this.owned.dispose();
    this.engines.forEach((engine) => {
      engine.dispose();
    });
    this.engines.clear();
  }

  private follow(): void {
    const { files, rows } = this.list;
    const keys = new Set(rows.map(keyOf));
    for (const [key, engine] of this.engines) {
      if (!keys.has(key)) {
        engine.dispose();
        this.engines.delete(key);
      }
    }
    if (files) {
      rows.forEach((folder) => this.engineOf(folder, files));
    }
    this.changed.fire();
  }

  private engineOf(folder: MirroredFolder, files: MirrorFiles): FolderMirror {
    const key = keyOf(folder);
    const engine = this.engines.get(key) ?? this.deps.create(folder, files.notesOf(folder));
    this.engines.set(key, engine);
    return engine;
  }
}

function keyOf({ accountKey, instanceId, contractStart, local }: MirroredFolder): string {
  return `${accountKey} ${instanceId} ${contractStart} ${local}`;
}
