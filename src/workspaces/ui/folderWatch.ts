import { isAbsolute, relative, sep } from 'node:path';
import * as vscode from 'vscode';
import type { Clock } from '../../util/clock';
import { DisposableStore, MutableDisposable, type Disposable } from '../../util/disposable';

/** Where files change without a pause, they are passed on this often (ms). */
const pauseMs = 1000;
/** More names than this are found by a compare, as after a checkout. */
const mostNames = 500;

/**
 * What the editor sees change in a folder: saves, files that are created, deleted and renamed, and the editor's own watcher,
 * which leaves out what the user excluded from it. What it misses is found by the next compare.
 */
export class FolderWatch implements Disposable {
  private readonly owned = new DisposableStore();
  private readonly timer = this.owned.add(new MutableDisposable<Disposable>());
  private names = new Set<string>();
  private isAll = false;
  private passedAt = -Infinity;

  constructor(
    /** The folder by all paths that lead to it. */
    readonly folders: readonly string[],
    private readonly clock: Clock,
    private readonly touched: (names?: readonly string[]) => void,
  ) {
    const note = (uri: vscode.Uri) => {
      this.note(uri);
    };
    const { workspace } = vscode;
    const pattern = new vscode.RelativePattern(vscode.Uri.file(folders.at(-1) ?? ''), '**/*');
    const watcher = this.owned.add(workspace.createFileSystemWatcher(pattern));
    this.owned.add(watcher.onDidChange(note));
    this.owned.add(watcher.onDidCreate(note));
    this.owned.add(watcher.onDidDelete(note));
    this.owned.add(workspace.onDidSaveTextDocument(({ uri }) => note(uri)));
    this.owned.add(workspace.onDidSaveNotebookDocument(({ uri }) => note(uri)));
    this.owned.add(workspace.onDidCreateFiles(({ files }) => files.forEach(note)));
    this.owned.add(workspace.onDidDeleteFiles(({ files }) => files.forEach(note)));
    this.owned.add(
      workspace.onDidRenameFiles(({ files }) => {
        files.forEach(({ oldUri, newUri }) => {
          note(oldUri);
          note(newUri);
        });
      }),
    );
  }

  get isWaiting(): boolean {
    return this.timer.value !== undefined;
  }

  /** Passes on at once what waits for its time. */
  flush(): void {
    if (this.isWaiting) {
      const names = this.isAll ? undefined : [...this.names];
      this.timer.value = undefined;
      this.names = new Set();
      this.isAll = false;
      this.passedAt = this.clock.elapsed();
      this.touched(names);
    }
  }

  dispose(): void {
    this.owned.dispose();
  }

  private note(uri: vscode.Uri): void {
    const name = this.folders.map((folder) => nameBelow(folder, uri)).find((one) => one !== undefined);
    const git = name === undefined ? undefined : /(?:^|\/)\.git(?:\/(.*))?$/.exec(name);
    if (name === undefined || (git && git[1] !== 'HEAD')) {
      return;
    }
    this.names.add(name);
    // Another commit is checked out, which changes many files.
    this.isAll ||= git !== null || this.names.size > mostNames;
    if (!this.isWaiting) {
      const afterMs = Math.max(0, this.passedAt + pauseMs - this.clock.elapsed());
      this.timer.value = this.clock.schedule(() => this.flush(), afterMs);
    }
  }
}

/** Returns the name of a file below a folder, with forward slashes. */
export function nameBelow(folder: string, uri: vscode.Uri): string | undefined {
  const name = uri.scheme === 'file' ? relative(folder, uri.fsPath) : '';
  return name === '' || isAbsolute(name) || name.split(sep)[0] === '..'
    ? undefined
    : name.split(sep).join('/');
}
