import { markerIn } from '../../model/instances/instanceLabel';
import { accountsWith } from '../../store/accounts/accountFiles';
import type { Account, OtherAccounts } from '../../store/accounts/accounts';
import { isCompleteList } from '../../store/instances/listed';
import { DisposableStore, MutableDisposable, type Disposable } from '../../util/disposable';
import { silenceMs } from '../model/agreed';
import { isForRental, type AgentRequest } from '../model/request';
import type { AgentDesk } from './agentDesk';
import type { DoAgreedDeps } from './doAgreed';
import { settleRented } from './settle';

interface Deps extends Omit<DoAgreedDeps, 'desk'> {
  /** Opened where agents asked for something in another account. */
  readonly desk: () => AgentDesk;
  readonly accounts: DoAgreedDeps['accounts'] & OtherAccounts;
  readonly storageDir: string;
  /** One window at a time looks. */
  readonly isLeader: () => boolean;
}

const checkEveryMs = 60_000;
/** A request whose answer was lost appears in the list long before. */
const showsWithinMs = 600_000;

/**
 * Gives what agents rented in signed-in accounts that are not active its end, where a window was killed or an answer
 * was lost before the account was switched. The schedule is carried out whichever account is active.
 */
export class OtherAccountRequests implements Disposable {
  private readonly owned = new DisposableStore();
  private readonly timer = this.owned.add(new MutableDisposable<Disposable>());
  private checkedAt: number | undefined;
  /** Since when lists have lacked a request, as elapsed time (ms). */
  private readonly missedSince = new Map<string, number>();

  constructor(private readonly deps: Deps) {}

  dispose(): void {
    this.owned.dispose();
  }

  /** Looks at most once a minute, and again until nothing is open. Never rejects. */
  async check(): Promise<void> {
    const { clock, log, isLeader } = this.deps;
    const now = clock.elapsed();
    if (this.isOver() || !isLeader()) {
      return;
    }
    const waitMs = this.checkedAt === undefined ? 0 : this.checkedAt + checkEveryMs - now;
    if (waitMs > 0) {
      this.checkIn(waitMs);
      return;
    }
    this.checkedAt = now;
    const isOpen = await this.settleAll().catch((error: unknown) => {
      log.warn(`What agents rented in other accounts could not be settled: ${String(error)}`);
      return true;
    });
    if (isOpen && !this.isOver()) {
      this.checkIn(checkEveryMs);
    }
  }

  private checkIn(ms: number): void {
    this.timer.value = this.deps.clock.schedule(() => void this.check(), ms);
  }

  private isOver(): boolean {
    return this.owned.isDisposed;
  }

  /** Returns whether something is open still. */
  private async settleAll(): Promise<boolean> {
    const { accounts, storageDir } = this.deps;
    const kept = await accountsWith(storageDir, 'agents');
    if (!kept.some((key) => key !== accounts.active?.key)) {
      return false;
    }
    let isOpen = false;
    for (const account of await accounts.others()) {
      if (kept.includes(account.key)) {
        isOpen = (await this.settleIn(account)) || isOpen;
      }
    }
    return isOpen;
  }

  private async settleIn(account: Account): Promise<boolean> {
    const open = (await this.deps.desk().requestsOf(account.key)).filter((one) => this.isOpen(one));
    const due = open.filter((one) => this.isDue(one));
    const unknown = due.filter(({ instanceId }) => instanceId === undefined);
    for (const request of due.filter(({ instanceId }) => instanceId !== undefined)) {
      await this.settle(request, request.instanceId);
    }
    const list =
      unknown.length === 0
        ? { items: [], skipped: 0 }
        : await account.client.instances.list({ isUnasked: true });
    for (const request of unknown) {
      const found = list.items.find(({ label }) => markerIn(label) === request.marker);
      await this.settle(request, found?.id);
      if (!found && isCompleteList(list) && !this.missedSince.has(request.id)) {
        this.missedSince.set(request.id, this.deps.clock.elapsed());
      }
    }
    return open.length > 0;
  }

  private async settle(request: AgentRequest, instanceId: number | undefined): Promise<void> {
    if (instanceId !== undefined) {
      await settleRented({ ...this.deps, desk: this.deps.desk() }, request, instanceId);
    }
  }

  /** Returns whether it may have been sent and its outcome is unknown. */
  private isOpen(request: AgentRequest): boolean {
    const { id, state, marker, instanceId } = request;
    return (
      isForRental(request) &&
      (state === 'unknown' || state === 'renting') &&
      (marker !== undefined || instanceId !== undefined) &&
      !this.isMissedForLong(id)
    );
  }

  /** A time of day would end the search early where the clock is set forward. */
  private isMissedForLong(id: string): boolean {
    const now = this.deps.clock.elapsed();
    return now - (this.missedSince.get(id) ?? now) >= showsWithinMs;
  }

  /** No window carries it out any more. */
  private isDue(request: AgentRequest): boolean {
    const { desk, clock } = this.deps;
    return (
      !desk().isAtWork(request.id) &&
      (request.state === 'unknown' || Math.abs(clock.now() - sentAt(request)) > silenceMs)
    );
  }
}

function sentAt({ decidedAt, at }: AgentRequest): number {
  return decidedAt ?? at;
}
