import * as z from 'zod';
import type { Clock } from '../../util/clock';
import { DisposableStore, type Disposable } from '../../util/disposable';
import type { Event } from '../../util/emitter';
import type { Log } from '../../util/log';
import type { Accounts } from '../accounts/accounts';
import type { Notices } from '../windows/notices';
import type { FleetSnapshot } from './fleetStore';

export const priceNotice = z.object({ id: z.number() });
export const priceNoticeKind = 'priceIncrease';

/** Hosts give days to answer, so increases are read with a list at most this often (ms). */
export const priceEveryMs = 30 * 60_000;

export interface PriceWatchDeps {
  readonly accounts: Pick<Accounts, 'active'>;
  readonly fleet: { readonly onDidPoll: Event<FleetSnapshot> };
  readonly notices: Notices;
  readonly clock: Clock;
  readonly log: Log;
}

/** Asks for pending price increases together with the lists that are read anyway, while an instance exists. */
export class PriceWatch implements Disposable {
  private readonly owned = new DisposableStore();
  private last: { readonly accountKey: string; readonly at: number } | undefined;

  constructor(private readonly deps: PriceWatchDeps) {
    this.owned.add(
      deps.fleet.onDidPoll(({ instances }) => {
        if (instances.length > 0) {
          void this.check();
        }
      }),
    );
  }

  dispose(): void {
    this.owned.dispose();
  }

  /** Never rejects: the user did not ask for this read, so its failure is only logged. */
  private async check(): Promise<void> {
    const { accounts, notices, clock, log } = this.deps;
    const { active } = accounts;
    const now = clock.now();
    const isEarly =
      this.last?.accountKey === active?.key && Math.abs(now - (this.last?.at ?? 0)) < priceEveryMs;
    if (!active || isEarly) {
      return;
    }
    this.last = { accountKey: active.key, at: now };
    try {
      const { items } = await active.client.priceIncreases.list({ isUnasked: true });
      for (const { id } of items) {
        const key = `${active.key}:warning:priceIncrease:${id}`;
        notices.post({ key, accountKey: active.key, kind: priceNoticeKind, data: { id } });
      }
    } catch (error) {
      log.warn(`Pending price increases could not be read: ${String(error)}`);
    }
  }
}
