import type { Conflict } from '../../model/templates/templateConflict';
import { sameJson } from '../../model/templates/templateDocument';
import type { Disposable } from '../../util/disposable';
import { Emitter } from '../../util/emitter';
import type { PendingConflict } from './templateSaving';

/** The notices beside documents: conflicts, and changes elsewhere during an edit. */
export class TemplateConflicts implements Disposable {
  private readonly pending = new Map<number, PendingConflict>();
  /** The conflicts that the user saw and decided to overwrite. */
  private readonly overruled = new Map<number, PendingConflict>();
  /** Templates that changed at the service while they are edited here. */
  private readonly behind = new Set<number>();
  private readonly noticed = new Emitter<number>();
  /** Fires when a notice appears or disappears. */
  readonly onDidNotice = this.noticed.event;

  get(id: number): PendingConflict | undefined {
    return this.pending.get(id);
  }

  begin(id: number, pending: PendingConflict): void {
    this.pending.set(id, pending);
    this.noticed.fire(id);
  }

  end(id: number): void {
    if (this.pending.delete(id)) {
      this.noticed.fire(id);
    }
  }

  /**
   * Lets the local edit win in the places that were shown. A newer version at the service and other places are asked
   * about again.
   */
  overrule(id: number): void {
    const pending = this.pending.get(id);
    if (pending) {
      this.overruled.set(id, pending);
    }
  }

  isOverruled(id: number, hashId: string, conflicts: readonly Conflict[]): boolean {
    const seen = this.overruled.get(id);
    return (
      seen?.theirs.hashId === hashId &&
      conflicts.every(({ path }) => seen.conflicts.some((one) => sameJson(one.path, path)))
    );
  }

  isBehind(id: number): boolean {
    return this.behind.has(id);
  }

  /** Returns true if this is news. */
  noteBehind(id: number): boolean {
    const isNews = !this.behind.has(id);
    if (isNews) {
      this.behind.add(id);
      this.noticed.fire(id);
    }
    return isNews;
  }

  /** Returns true if the document was behind. */
  endBehind(id: number): boolean {
    const wasBehind = this.behind.delete(id);
    if (wasBehind) {
      this.noticed.fire(id);
    }
    return wasBehind;
  }

  /** Notes that the document is saved, which ends the decision. */
  saved(id: number): void {
    this.end(id);
    this.overruled.delete(id);
    this.endBehind(id);
  }

  forget(id: number): void {
    this.pending.delete(id);
    this.overruled.delete(id);
    this.behind.delete(id);
  }

  dispose(): void {
    this.noticed.dispose();
  }
}
