import { Emitter } from '../../util/emitter';
import type { Disposable } from '../../util/disposable';
import type { PendingConflict } from './templateSaving';

/** What is to be said beside documents: conflicts, and changes elsewhere while they are edited. */
export class TemplateConflicts implements Disposable {
  private readonly pending = new Map<number, PendingConflict>();
  /** The hash of theirs over which the user decided to put mine. */
  private readonly overruled = new Map<number, string>();
  /** Changed at the service while they are edited here. */
  private readonly behind = new Set<number>();
  private readonly noticed = new Emitter<number>();
  /** Something is to be said, or not any more. */
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

  /** Mine wins over the state of theirs that was shown; another one is asked about again. */
  overrule(id: number): void {
    const pending = this.pending.get(id);
    if (pending) {
      this.overruled.set(id, pending.theirs.hashId);
    }
  }

  isOverruled(id: number, hashId: string): boolean {
    return this.overruled.get(id) === hashId;
  }

  isBehind(id: number): boolean {
    return this.behind.has(id);
  }

  /** True where it is news. */
  noteBehind(id: number): boolean {
    const isNews = !this.behind.has(id);
    if (isNews) {
      this.behind.add(id);
      this.noticed.fire(id);
    }
    return isNews;
  }

  /** True where it was behind. */
  endBehind(id: number): boolean {
    const wasBehind = this.behind.delete(id);
    if (wasBehind) {
      this.noticed.fire(id);
    }
    return wasBehind;
  }

  /** The document is saved: what was decided is done. */
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
