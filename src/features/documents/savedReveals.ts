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
  /** Pending updates by template id: the file is written, and the editor has not asked for its new time yet. */
  private readonly written = new Map<number, Disposable>();

  constructor(private readonly deps: Deps) {}

  noteWritten(id: number): void {
    this.schedule(id, revealAfterMs);
  }

  /** Notes that the editor asked for the time; returns true if it wrote the file just before. */
  noteAsked(id: number): boolean {
    const isWritten = this.written.has(id);
    if (isWritten) {
      this.schedule(id, 0);
    }
    return isWritten;
  }

  dispose(): void {
    for (const timer of this.written.values()) {
      timer.dispose();
    }
  }

  private schedule(id: number, delayMs: number): void {
    const { templateStores, clock, log } = this.deps;
    this.written.get(id)?.dispose();
    this.written.set(
      id,
      clock.schedule(() => {
        this.written.delete(id);
        void templateStores.documents.reveal(id).catch((error: unknown) => {
          log.warn(`A saved template could not be shown again: ${String(error)}`);
        });
      }, delayMs),
    );
  }
}
