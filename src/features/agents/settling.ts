import { settle } from '../../store/agents/settle';
import { DisposableStore, type Disposable } from '../../util/disposable';
import type { AskDeps } from './askUser';

/**
 * Finds out, in the window that leads, what became of requests whose answer was lost or whose window closed. Also while
 * agents are off: a machine that an agent rented gets its end all the same.
 */
export class Settling implements Disposable {
  private readonly owned = new DisposableStore();
  private queue: Promise<void> = Promise.resolve();
  private isFollowed = false;

  constructor(private readonly deps: AskDeps) {
    const look = () => {
      this.look();
    };
    this.owned.add(deps.rentals.onDidChange(look));
    this.owned.add(deps.fleet.onDidChange(look));
    this.owned.add(deps.hub.onDidChangeLeader(look));
    look();
  }

  dispose(): void {
    this.owned.dispose();
  }

  private look(): void {
    const { hub, log } = this.deps;
    if (!hub.isLeader || !this.mayHaveRequests()) {
      return;
    }
    const desk = this.deps.agentDesk();
    if (!this.isFollowed) {
      this.isFollowed = true;
      this.owned.add(
        desk.onDidChange(() => {
          this.look();
        }),
      );
    }
    this.queue = this.queue
      .then(() => settle({ ...this.deps, desk }))
      .catch((error: unknown) => {
        log.warn(`What agents asked for could not be settled: ${String(error)}`);
      });
  }

  /** Without agents and rentals nothing is read: most people have never let an agent in. */
  private mayHaveRequests(): boolean {
    const { settings, rentals } = this.deps;
    return settings.get('gpuRental.agents.access') !== 'off' || rentals.rentals.length > 0;
  }
}
