import * as z from 'zod';
import { channel } from '../../shared/channel';
import { DisposableStore, type Disposable } from '../../util/disposable';
import { Emitter } from '../../util/emitter';
import type { WindowHub } from '../../store/windows/windowHub';

const watched = channel('jobs.watched', z.object({ windowId: z.string(), jobIds: z.array(z.string()) }));

/** The jobs whose logs are shown in any window, which are looked at more often. */
export class WatchedLogs implements Disposable {
  private readonly owned = new DisposableStore();
  private readonly watchedBy = new Map<string, readonly string[]>();
  /** By the part of this window that shows them. */
  private readonly shownHere = new Map<object, readonly string[]>();
  private readonly changed = this.owned.add(new Emitter<void>());

  /** Fires when a log is first shown in any window, or no longer in any. */
  readonly onDidChange = this.changed.event;

  constructor(private readonly hub: WindowHub) {
    this.owned.add(
      watched.on(hub, ({ windowId, jobIds }) => {
        this.note(windowId, jobIds);
      }),
    );
    this.owned.add(
      hub.onDidChangePeers((peers) => {
        for (const windowId of this.watchedBy.keys()) {
          if (windowId !== hub.windowId && !peers.has(windowId)) {
            this.watchedBy.delete(windowId);
          }
        }
      }),
    );
    // A new leader does not know yet what the others show.
    this.owned.add(hub.onDidChangeLeader(() => this.tell()));
  }

  /** Announces which logs a part of this window shows now. */
  watch(part: object, jobIds: readonly string[]): void {
    this.shownHere.set(part, jobIds);
    if (jobIds.length === 0) {
      this.shownHere.delete(part);
    }
    this.note(this.hub.windowId, [...new Set([...this.shownHere.values()].flat())]);
    this.tell();
  }

  isWatched(jobId: string): boolean {
    return [...this.watchedBy.values()].some((ids) => ids.includes(jobId));
  }

  dispose(): void {
    this.owned.dispose();
  }

  private note(windowId: string, jobIds: readonly string[]): void {
    this.watchedBy.set(windowId, jobIds);
    this.changed.fire();
  }

  private tell(): void {
    const { hub } = this;
    watched.send(hub, { windowId: hub.windowId, jobIds: [...(this.watchedBy.get(hub.windowId) ?? [])] });
  }
}
