import { realpath } from 'node:fs/promises';
import { basename, dirname, join, relative } from 'node:path';
import * as vscode from 'vscode';
import { isNotebook } from '../../editor/documentTrigger';
import { warnAboutLineEnds } from '../../editor/lineEnds';
import type { Services } from '../../services';
import { wait } from '../../util/clock';
import { DisposableStore, MutableDisposable, type Disposable } from '../../util/disposable';
import { Emitter } from '../../util/emitter';
import { ifPresent } from '../../util/missing';
import type { FolderMirror, FolderMirrors, MirroredFolder } from '../model/mirror';
import { FolderWatch, nameBelow } from './folderWatch';
import type { ListedMirror } from './mirrorRows';

/** How often everything is compared while the window is in use (ms). */
const compareMs = 5 * 60_000;
/** A window that gets the focus compares everything, and this much later again (ms). */
const focusMs = 30_000;
/** How long a cell waits for the files that it may read (ms). */
const patienceMs = 2_000;

type Deps = Pick<Services, 'clock' | 'fleet' | 'log' | 'windowInUse'> & { readonly mirrors: FolderMirrors };

/** The mirror of a folder that this window has open. */
interface Carried extends Disposable {
  readonly mirror: FolderMirror;
  readonly watch: FolderWatch;
  /** What changed has been passed to the mirror, which has not worked since. */
  isDue: boolean;
  wasWorking: boolean;
  isReachable: boolean;
  /** By the clock (ms). */
  comparedAt: number;
}

/**
 * Keeps the mirrors of folders that this window has open in step: by what the editor sees change, and by comparing all
 * files at the start, when the window gets the focus, and every few minutes while it has it. Nothing runs in other windows.
 */
export class CarriedMirrors implements Disposable {
  private readonly owned = new DisposableStore();
  private readonly carried = new Map<string, Carried>();
  private readonly changed = this.owned.add(new Emitter<void>());
  private readonly timer = this.owned.add(new MutableDisposable<Disposable>());
  private updating = Promise.resolve();
  /** Fires when a row of a mirror has to show something else. */
  readonly onDidChange = this.changed.event;

  constructor(private readonly deps: Deps) {
    const { fleet, mirrors, windowInUse } = deps;
    const update = () => {
      this.update();
    };
    this.owned.add(mirrors.onDidChange(update));
    this.owned.add(vscode.workspace.onDidChangeWorkspaceFolders(update));
    this.owned.add(vscode.workspace.onDidOpenNotebookDocument(update));
    this.owned.add(vscode.workspace.onDidGrantWorkspaceTrust(update));
    this.owned.add(
      fleet.onDidChange(() => {
        this.follow();
      }),
    );
    this.owned.add(
      windowInUse.onDidChange((isInUse) => {
        if (isInUse) {
          this.compareAll(focusMs);
        }
      }),
    );
    const checked = new Set<string>();
    this.owned.add(
      vscode.workspace.onDidSaveTextDocument(({ uri }) => {
        const folders = [...this.carried.values()].flatMap(({ watch }) => watch.folders);
        const isCarried = folders.some((path) => nameBelow(path, uri) !== undefined);
        if (isCarried && !checked.has(uri.fsPath)) {
          checked.add(uri.fsPath);
          void warnAboutLineEnds(dirname(uri.fsPath), [basename(uri.fsPath)]);
        }
      }),
    );
    this.plan();
    void mirrors.ready.then(update, update);
  }

  of(instanceId: number): readonly ListedMirror[] {
    // A number may be used again for another machine.
    const contractStart = this.deps.fleet.find(instanceId)?.startedAt;
    return this.deps.mirrors.all
      .filter(({ folder }) => folder.instanceId === instanceId)
      .filter(({ folder }) => contractStart === undefined || folder.contractStart === contractStart)
      .map(({ folder }) => ({ key: keyOf(folder), folder, mirror: this.carried.get(keyOf(folder))?.mirror }));
  }

  find(key: string): FolderMirror | undefined {
    return this.deps.mirrors.all.find(({ folder }) => keyOf(folder) === key);
  }

  /** The mirrors of folders that this window has open. */
  get all(): readonly FolderMirror[] {
    return [...this.carried.values()].map(({ mirror }) => mirror);
  }

  /** The paths by which this window has a mirrored folder open. */
  pathsTo(folder: MirroredFolder): readonly string[] {
    return this.carried.get(keyOf(folder))?.watch.folders ?? [folder.local];
  }

  /** Resolves once this window carries what it has open. */
  async settled(): Promise<void> {
    await this.updating;
  }

  /**
   * Sends what waits of the folders of an instance. Returns false where that takes longer than a cell should wait, or can't
   * be done.
   */
  async sendWaiting(instanceId: number): Promise<boolean> {
    const ofInstance = [...this.carried.values()].filter(
      ({ mirror }) => mirror.folder.instanceId === instanceId,
    );
    ofInstance.forEach(({ watch }) => {
      watch.flush();
    });
    const isDone = () => !ofInstance.some(isWaiting);
    const stop = new AbortController();
    const late = wait(this.deps.clock, patienceMs, stop.signal).then(
      () => 'late',
      () => 'over',
    );
    let next: unknown;
    while (!isDone() && next !== 'late') {
      next = await Promise.race([late, this.nextChange()]);
    }
    stop.abort();
    const isSent = ({ offlineSince, problem }: FolderMirror['status']) =>
      offlineSince === undefined && problem === undefined;
    return isDone() && ofInstance.every(({ mirror }) => isSent(mirror.status));
  }

  dispose(): void {
    this.owned.dispose();
    this.carried.forEach((one) => {
      one.dispose();
    });
    this.carried.clear();
  }

  private nextChange(): Promise<void> {
    return new Promise((resolve) => {
      const subscription = this.onDidChange(() => {
        subscription.dispose();
        resolve();
      });
    });
  }

  private update(): void {
    this.updating = this.updating
      .then(() => this.carry())
      .catch((error: unknown) => {
        this.deps.log.error('The mirrored folders of this window could not be read', error);
      });
  }

  private async carry(): Promise<void> {
    const opened = await openedFolders();
    const { all } = this.deps.mirrors;
    for (const [key, one] of this.carried) {
      if (!all.includes(one.mirror) || !pathsTo(one.mirror.folder.local, opened)) {
        one.dispose();
        this.carried.delete(key);
      }
    }
    for (const mirror of this.owned.isDisposed ? [] : all) {
      const key = keyOf(mirror.folder);
      const paths = pathsTo(mirror.folder.local, opened);
      if (paths && !this.carried.has(key)) {
        this.carried.set(key, this.begin(mirror, paths));
      }
    }
    this.changed.fire();
    this.follow();
  }

  private begin(mirror: FolderMirror, paths: readonly string[]): Carried {
    const { clock } = this.deps;
    const store = new DisposableStore();
    const watch = store.add(
      new FolderWatch(paths, clock, (names) => {
        carried.isDue = true;
        mirror.touched(names);
      }),
    );
    const carried: Carried = {
      mirror,
      watch,
      isDue: false,
      wasWorking: false,
      isReachable: false,
      comparedAt: -Infinity,
      dispose: () => {
        store.dispose();
      },
    };
    store.add(
      mirror.onDidChange(() => {
        const { isWorking } = mirror.status;
        carried.isDue &&= isWorking || !carried.wasWorking;
        carried.wasWorking = isWorking;
        this.changed.fire();
      }),
    );
    return carried;
  }

  /** Compares what an instance has that runs now. */
  private follow(): void {
    const { fleet } = this.deps;
    for (const one of this.carried.values()) {
      const isReachable = fleet.find(one.mirror.folder.instanceId)?.actualStatus === 'running';
      if (isReachable && !one.isReachable) {
        this.compare(one);
      }
      one.isReachable = isReachable;
    }
  }

  private plan(): void {
    const { clock, windowInUse } = this.deps;
    this.timer.value = clock.schedule(() => {
      if (windowInUse.isFocused) {
        this.compareAll(compareMs / 2);
      }
      this.plan();
    }, compareMs);
  }

  /** Compares what was not compared for this long (ms). */
  private compareAll(sinceMs: number): void {
    const now = this.deps.clock.elapsed();
    for (const one of this.carried.values()) {
      if (one.isReachable && now - one.comparedAt >= sinceMs) {
        this.compare(one);
      }
    }
  }

  private compare(one: Carried): void {
    one.comparedAt = this.deps.clock.elapsed();
    one.mirror.touched();
  }
}

function isWaiting({ isDue, mirror, watch }: Carried): boolean {
  const { isWorking, waiting } = mirror.status;
  return isDue || watch.isWaiting || (isWorking && waiting > 0);
}

export function keyOf({ contractStart, instanceId, local }: MirroredFolder): string {
  return `${instanceId} ${contractStart} ${local}`;
}

/** A folder by the path that the editor knows, and by its real one. */
interface Opened {
  readonly path: string;
  readonly real: string;
}

/** A folder that is not trusted sends nothing by itself. */
async function openedFolders(): Promise<readonly Opened[]> {
  if (!vscode.workspace.isTrusted) {
    return [];
  }
  const { notebookDocuments, workspaceFolders = [] } = vscode.workspace;
  const paths = [
    ...workspaceFolders.filter(({ uri }) => uri.scheme === 'file').map(({ uri }) => uri.fsPath),
    ...notebookDocuments
      .filter((one) => isNotebook(one) && one.uri.scheme === 'file')
      .map(({ uri }) => dirname(uri.fsPath)),
  ];
  const found = await Promise.all(
    paths.map(async (path) => {
      const real = await ifPresent(realpath(path));
      return real === undefined ? [] : [{ path, real }];
    }),
  );
  return found.flat();
}

/** Returns the paths by which this window has a folder open, or a part of it. */
function pathsTo(local: string, opened: readonly Opened[]): readonly string[] | undefined {
  const paths = opened.flatMap(({ path, real }) => {
    if (isBelow(real, local)) {
      return [join(path, relative(real, local))];
    }
    return isBelow(local, real) ? [local] : [];
  });
  return paths.length === 0 ? undefined : [...new Set([local, ...paths])];
}

export function isBelow(folder: string, inner: string): boolean {
  return folder === inner || nameBelow(folder, vscode.Uri.file(inner)) !== undefined;
}
