import type * as vscode from 'vscode';
import type { Services } from '../../services';
import type { Disposable } from '../../util/disposable';

type Deps = Pick<Services, 'templateStores' | 'clock' | 'log'>;

/** The time (ms) within which the editor asks for the modification time of a file that it wrote. */
const revealAfterMs = 2_000;

/**
 * Delays the update of a saved text: after a write, the editor asks for the modification time and considers its text
 * current, so the merged text may replace it only after that.
 */
export class SavedReveals implements vscode.Disposable {
  /** Pending updates by address: the file is written, and the editor has not asked for its new time yet. */
  private readonly written = new Map<string, { readonly id: number; readonly timer: Disposable }>();

  constructor(private readonly deps: Deps) {}

  noteWritten(uri: vscode.Uri, id: number): void {
    this.schedule(uri.toString(), id, revealAfterMs);
  }

  /** Notes that the editor asked for the time; returns true if it wrote the file just before. */
  noteAsked(uri: vscode.Uri): boolean {
    const key = uri.toString();
    const written = this.written.get(key);
    if (written) {
      this.schedule(key, written.id, 0);
    }
    return written !== undefined;
  }

  dispose(): void {
    for (const { timer } of this.written.values()) {
      timer.dispose();
    }
  }

  private schedule(key: string, id: number, delayMs: number): void {
    const { templateStores, clock, log } = this.deps;
    this.written.get(key)?.timer.dispose();
    const timer = clock.schedule(() => {
      this.written.delete(key);
      void templateStores.documents.reveal(id).catch((error: unknown) => {
        log.warn(`A saved template could not be shown again: ${String(error)}`);
      });
    }, delayMs);
    this.written.set(key, { id, timer });
  }
}
