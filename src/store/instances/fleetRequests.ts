import { randomBytes } from 'node:crypto';
import * as z from 'zod';
import type { Clock } from '../../util/clock';
import { DisposableStore, type Disposable } from '../../util/disposable';
import { reviveError, shareError } from './fleetShared';
import type { WindowHub } from '../ports';

export interface FleetRequestsDeps {
  readonly hub: WindowHub;
  readonly clock: Clock;
  /** Reads the list in this window and tells the others. */
  readonly readHere: () => Promise<void>;
}

const askTopic = 'fleet.refresh';
const doneTopic = 'fleet.refreshed';
/** A leader that has not answered by then is taken for stuck. */
const leaderAnswerMs = 20_000;

const ask = z.object({ id: z.string() });
const done = z.object({
  id: z.string(),
  error: z
    .object({ text: z.custom<Parameters<typeof reviveError>[0]['text']>(), nextStep: z.string() })
    .optional(),
});

/** "Read the list now", asked by any window and done by the one that leads. */
export class FleetRequests implements Disposable {
  private readonly owned = new DisposableStore();
  private readonly open = new Map<
    string,
    { readonly resolve: () => void; readonly reject: (error: unknown) => void }
  >();
  private current: Promise<void> | undefined;

  constructor(private readonly deps: FleetRequestsDeps) {
    const { hub } = deps;
    this.owned.add(
      hub.on(askTopic, (data) => {
        const parsed = ask.safeParse(data);
        if (parsed.success && hub.isLeader) {
          this.answer(parsed.data.id);
        }
      }),
    );
    this.owned.add(
      hub.on(doneTopic, (data) => {
        const parsed = done.safeParse(data);
        const waiting = parsed.success ? this.open.get(parsed.data.id) : undefined;
        if (parsed.data?.error) {
          waiting?.reject(reviveError(parsed.data.error));
        } else {
          waiting?.resolve();
        }
      }),
    );
    this.owned.add(
      hub.onDidChangeLeader((leads) => {
        for (const [id, waiting] of this.open) {
          if (leads) {
            this.deps.readHere().then(waiting.resolve, waiting.reject);
          } else {
            hub.broadcast(askTopic, { id });
          }
        }
      }),
    );
  }

  refresh(): Promise<void> {
    if (this.deps.hub.isLeader) {
      return this.deps.readHere();
    }
    this.current ??= this.ask().finally(() => {
      this.current = undefined;
    });
    return this.current;
  }

  dispose(): void {
    this.owned.dispose();
    for (const waiting of this.open.values()) {
      waiting.resolve();
    }
    this.open.clear();
  }

  private ask(): Promise<void> {
    const id = randomBytes(8).toString('hex');
    return new Promise<void>((resolve, reject) => {
      const timer = this.deps.clock.schedule(() => {
        this.deps.readHere().then(resolve, reject);
      }, leaderAnswerMs);
      const settle = (action: () => void) => {
        timer.dispose();
        this.open.delete(id);
        action();
      };
      this.open.set(id, {
        resolve: () => {
          settle(resolve);
        },
        reject: (error) => {
          settle(() => {
            reject(error instanceof Error ? error : new Error(String(error)));
          });
        },
      });
      this.deps.hub.broadcast(askTopic, { id });
    });
  }

  private answer(id: string): void {
    this.deps.readHere().then(
      () => {
        this.deps.hub.broadcast(doneTopic, { id });
      },
      (error: unknown) => {
        this.deps.hub.broadcast(doneTopic, { id, error: shareError(error) });
      },
    );
  }
}
