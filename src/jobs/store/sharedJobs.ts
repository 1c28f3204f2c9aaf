import * as z from 'zod';
import { channel } from '../../shared/channel';
import type { WindowHub } from '../../store/windows/windowHub';
import type { Clock } from '../../util/clock';
import { type Disposable, DisposableStore } from '../../util/disposable';
import { Emitter } from '../../util/emitter';
import type { JobMove } from '../model/job';
import type { MoveProgress } from '../model/jobMachine';

const move: z.ZodType<JobMove> = z.object({
  way: z.enum(['sending', 'fetching']),
  bytes: z.number(),
  totalBytes: z.number(),
});

const moved = channel('jobs.moved', z.object({ jobId: z.string(), move: move.optional() }));

/** Other windows don't need every portion; progress is shared this often (ms). */
const reportMs = 500;

/**
 * The transfers that are under way. The leading window reports them to all windows; they are never stored on disk.
 */
export class JobMoves implements Disposable {
  private readonly owned = new DisposableStore();
  private readonly moves = new Map<string, JobMove>();
  private readonly changed = this.owned.add(new Emitter<string>());

  /** Fires with the id of the job. */
  readonly onDidChange = this.changed.event;

  constructor(
    private readonly hub: WindowHub,
    private readonly clock: Clock,
  ) {
    this.owned.add(
      moved.on(hub, ({ jobId, move: at }) => {
        this.note(jobId, at);
      }),
    );
    // The next leading window starts the transfers of a closed one again.
    this.owned.add(
      hub.onDidChangeLeader(() => {
        for (const jobId of [...this.moves.keys()]) {
          this.note(jobId, undefined);
        }
      }),
    );
  }

  find(jobId: string): JobMove | undefined {
    return this.moves.get(jobId);
  }

  /** For the leading window: reports a transfer until it settles. */
  async report<T>(
    jobId: string,
    way: JobMove['way'],
    transfer: (onProgress: (progress: MoveProgress) => void) => Promise<T>,
  ): Promise<T> {
    let announcedAt = -Infinity;
    try {
      return await transfer(({ bytes, totalBytes }) => {
        const now = this.clock.elapsed();
        if (now - announcedAt >= reportMs) {
          announcedAt = now;
          this.sendMove(jobId, { way, bytes, totalBytes });
        }
      });
    } finally {
      this.sendMove(jobId, undefined);
    }
  }

  dispose(): void {
    this.owned.dispose();
  }

  private sendMove(jobId: string, at: JobMove | undefined): void {
    if (at || this.moves.has(jobId)) {
      moved.send(this.hub, { jobId, ...(at && { move: at }) });
      this.note(jobId, at);
    }
  }

  private note(jobId: string, at: JobMove | undefined): void {
    if (at) {
      this.moves.set(jobId, at);
    } else {
      this.moves.delete(jobId);
    }
    this.changed.fire(jobId);
  }
}

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
    this.owned.add(hub.onDidChangeLeader(() => this.sendWatched()));
  }

  /** Announces which logs a part of this window shows now. */
  watch(part: object, jobIds: readonly string[]): void {
    this.shownHere.set(part, jobIds);
    if (jobIds.length === 0) {
      this.shownHere.delete(part);
    }
    this.note(this.hub.windowId, [...new Set([...this.shownHere.values()].flat())]);
    this.sendWatched();
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

  private sendWatched(): void {
    const { hub } = this;
    watched.send(hub, { windowId: hub.windowId, jobIds: [...(this.watchedBy.get(hub.windowId) ?? [])] });
  }
}
