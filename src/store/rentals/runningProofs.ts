import * as z from 'zod';
import type { Instance } from '../../model/instances/instance';
import { isReady, stateOf } from '../../model/instances/instanceState';
import { faultKey, laterFaults } from '../../model/proof/laterFaults';
import { machineProofShape, type MachineProof } from '../../model/proof/machineProof';
import { expectedOf } from '../../model/proof/verdict';
import { watchAccounts } from '../../shared/followAccount';
import type { Clock } from '../../util/clock';
import { DisposableStore, type Disposable } from '../../util/disposable';
import { isWithin } from '../../util/duration';
import type { Log } from '../../util/log';
import type { Account, Accounts } from '../accounts/accounts';
import type { FleetStore } from '../instances/fleetStore';
import type { Notices } from '../windows/notices';
import type { Presence } from '../windows/presence';
import type { WindowHub } from '../windows/windowHub';
import type { MachineProofs } from './machineProofs';
import type { RentalStore } from './rentalStore';

export const faultNoticeKind = 'machineFault';
/** Two proofs of one machine; the window that shows the message compares them. */
export const faultNotice = z.object({
  instanceId: z.number(),
  start: machineProofShape.optional(),
  later: machineProofShape,
  told: z.array(z.string()),
});

export interface RunningProofsDeps {
  readonly accounts: Pick<Accounts, 'active' | 'onDidChange'>;
  readonly fleet: Pick<FleetStore, 'find' | 'facts' | 'state' | 'onDidChange'>;
  readonly rentals: Pick<RentalStore, 'find'>;
  readonly proofs: Pick<MachineProofs, 'find' | 'keep' | 'ready'>;
  readonly hub: Pick<WindowHub, 'isLeader' | 'onDidChangeLeader'>;
  readonly presence: Pick<Presence, 'isUsed' | 'onDidChange'>;
  readonly notices: Pick<Notices, 'post'>;
  readonly clock: Clock;
  readonly log: Log;
  readonly aliasOf: (account: Account, instanceId: number) => string;
  /** False if the user wants no logins that check machines. */
  readonly isWanted: () => boolean;
  /** Logs in and probes; `undefined` without an answer. Asks nothing. */
  readonly probe: (account: Account, instanceId: number) => Promise<MachineProof | undefined>;
}

/** The user's own login comes first (ms). */
const afterLoginMs = 20_000;
/** A connection so soon after a proof needs no new one (ms). */
const freshMs = 10 * 60_000;
/** A machine that stays connected is probed again after this time (ms). */
const dailyMs = 24 * 3_600_000;
/** The same after a probe without an answer (ms). */
const retryMs = 3_600_000;

/**
 * Probes machines again while they run, in the leading window: a while after each connection, and once a day while it
 * lasts. Without a connection there is no login for it: the daily proof of a timer has it in its own login.
 */
export class RunningProofs implements Disposable {
  private readonly owned = new DisposableStore();
  /** What waits for its time, by the instances that are connected. */
  private readonly waiting = new Map<number, Disposable>();
  private accountKey: string | undefined;

  constructor(private readonly deps: RunningProofsDeps) {
    const sync = () => this.sync();
    this.owned.add(deps.presence.onDidChange(sync));
    this.owned.add(deps.fleet.onDidChange(sync));
    this.owned.add(deps.hub.onDidChangeLeader(sync));
    this.owned.add(watchAccounts(deps.accounts, sync));
  }

  dispose(): void {
    this.owned.dispose();
    this.keepOnly(new Set());
  }

  /** Returns whether a login that is made anyway is to probe the machine as well. */
  isDue(accountKey: string, instanceId: number): boolean {
    const { accounts, clock, isWanted } = this.deps;
    return (
      accounts.active?.key === accountKey &&
      isWanted() &&
      !isWithin(freshMs, this.lastAt(instanceId), clock.now())
    );
  }

  /** Keeps what a probe found, and tells of faults that are new. Never rejects. */
  async learn(accountKey: string, instanceId: number, later: MachineProof): Promise<void> {
    const { accounts, fleet, log, notices, proofs, rentals } = this.deps;
    try {
      await proofs.ready;
      const row = proofs.find(instanceId);
      const instance = fleet.find(instanceId);
      if (!instance || accounts.active?.key !== accountKey || (row && row.at > later.at)) {
        return;
      }
      const start = row?.check.kind === 'proved' ? row.check.proof : undefined;
      const told = row?.later?.told ?? [];
      const expected = expectedOf(instance, rentals.find(instanceId)?.offer);
      const fresh = laterFaults(start, later, expected)
        .map(faultKey)
        .filter((key) => !told.includes(key));
      await proofs.keep(
        row
          ? { ...row, later: { proof: later, told: [...told, ...fresh] } }
          : { instanceId, at: later.at, check: { kind: 'proved', proof: later } },
      );
      if (fresh.length > 0) {
        log.warn(`The probe of ${instanceId} found: ${fresh.join(', ')}`);
        const key = `${accountKey}:${faultNoticeKind}:${instanceId}:${later.at}`;
        const data = { instanceId, start, later, told };
        notices.post({ key, accountKey, kind: faultNoticeKind, data });
      }
    } catch (error) {
      log.error(`The probe of ${instanceId} could not be kept`, error);
    }
  }

  private lastAt(instanceId: number): number {
    const row = this.deps.proofs.find(instanceId);
    return row?.later?.proof.at ?? row?.at ?? 0;
  }

  private sync(): void {
    const { accounts, clock, fleet, hub, isWanted, presence, aliasOf } = this.deps;
    const account = accounts.active;
    if (account?.key !== this.accountKey) {
      this.keepOnly(new Set());
      this.accountKey = account?.key;
    }
    const listed = fleet.state.kind === 'ready' ? fleet.state.value.instances : [];
    const used =
      hub.isLeader && account && isWanted() && !this.owned.isDisposed
        ? listed.filter((one) => presence.isUsed(aliasOf(account, one.id)) && this.isRunning(one))
        : [];
    this.keepOnly(new Set(used.map(({ id }) => id)));
    for (const { id } of account ? used : []) {
      if (account && !this.waiting.has(id)) {
        this.waiting.set(
          id,
          clock.schedule(() => void this.look(account, id, freshMs), afterLoginMs),
        );
      }
    }
  }

  private keepOnly(ids: ReadonlySet<number>): void {
    for (const [id, timer] of this.waiting) {
      if (!ids.has(id)) {
        timer.dispose();
        this.waiting.delete(id);
      }
    }
  }

  private isRunning(instance: Instance): boolean {
    const { fleet, clock } = this.deps;
    return isReady(stateOf(instance, fleet.facts(instance.id), clock.now()));
  }

  /** Never rejects: the user did not ask for it. */
  private async look(account: Account, instanceId: number, lastsMs: number): Promise<void> {
    const { clock, log, probe, proofs } = this.deps;
    let isAnswered = true;
    try {
      await proofs.ready;
      if (!isWithin(lastsMs, this.lastAt(instanceId), clock.now())) {
        const proof = await probe(account, instanceId);
        isAnswered = proof !== undefined;
        await (proof && this.learn(account.key, instanceId, proof));
      }
    } catch (error) {
      isAnswered = false;
      log.info(`The running machine ${instanceId} could not be probed: ${String(error)}`);
    }
    if (this.waiting.has(instanceId) && this.accountKey === account.key) {
      const restMs = this.lastAt(instanceId) + dailyMs - clock.now();
      const again = () => void this.look(account, instanceId, isAnswered ? dailyMs : freshMs);
      const nextMs = isAnswered ? Math.min(Math.max(restMs, freshMs), dailyMs) : retryMs;
      this.waiting.get(instanceId)?.dispose();
      this.waiting.set(instanceId, clock.schedule(again, nextMs));
    }
  }
}
