import { OtherAccountRequests } from '../../store/otherAccountRequests';
import { settle } from '../../store/settle';
import { DisposableStore, type Disposable } from '../../../util/disposable';
import type { AskDeps } from './askUser';

/**
 * Settles requests whose answer was lost or whose window closed, in the leading window. Also while agents are off,
 * because a machine that an agent rented must get its end.
 */
export class Settling implements Disposable {
  private readonly owned = new DisposableStore();
  private queue: Promise<void> = Promise.resolve();
  private readonly others: OtherAccountRequests;
  private isFollowed = false;

  constructor(private readonly deps: AskDeps) {
    const { agentDesk: desk, hub } = deps;
    this.others = this.owned.add(new OtherAccountRequests({ ...deps, desk, isLeader: () => hub.isLeader }));
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
    void this.others.look();
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

  /** Returns false without agents and rentals, so that nothing is read: most users have never enabled agents. */
  private mayHaveRequests(): boolean {
    const { settings, rentals } = this.deps;
    return settings.get('gpuRental.agents.access') !== 'off' || rentals.rentals.length > 0;
  }
}
