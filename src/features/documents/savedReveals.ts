import type * as vscode from 'vscode';
import type { Services } from '../../services';
import type { Disposable } from '../../util/disposable';

type Deps = Pick<Services, 'templateStores' | 'clock' | 'log'>;

/** How long the editor may take to ask for the new time of a file that it has just written. */
const revealAfterMs = 2_000;

/**
 * After a write the editor asks for the file's time and takes the text for known; only then may the text
 * become what the save made of it.
 */
export class SavedReveals implements vscode.Disposable {
  /** Written, and the editor has not asked for the new time yet. */
  private readonly written = new Map<number, Disposable>();

  constructor(private readonly deps: Deps) {}

  noteWritten(id: number): void {
    this.schedule(id, revealAfterMs);
  }

  /** The editor asks for the time; true where it has just written. */
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
          log.warn(`A saved template could not be shown anew: ${String(error)}`);
        });
      }, delayMs),
    );
  }
}
