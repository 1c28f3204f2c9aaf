import * as z from 'zod';
import { idleGpuPercent } from '../../model/instances/gauges';
import type { Instance } from '../../model/instances/instance';
import { followAccount } from '../../shared/followAccount';
import type { Clock } from '../../util/clock';
import { DisposableStore, type Disposable } from '../../util/disposable';
import { Emitter, type Event } from '../../util/emitter';
import type { Log } from '../../util/log';
import { accountPath } from '../accounts/accountFiles';
import type { Account, Accounts } from '../accounts/accounts';
import { JsonFile, KeptFile } from '../disk/jsonFile';
import type { Presence } from '../windows/presence';
import type { WindowHub } from '../windows/windowHub';
import type { Fleet, FleetSnapshot } from './fleetStore';

/** Times in milliseconds since 1970. */
export interface IdleFacts {
  /** The last sign of use, or when the instance was first seen running. */
  readonly lastUsedAt: number;
  /** Start of the current uninterrupted observation. */
  readonly watchedSince: number;
  readonly seenAt: number;
  /** False if no GPU figure was reported since the last use. */
  readonly knowsGpu: boolean;
}

/** Lists arrive every five minutes in the background; a longer silence interrupts the observation. */
export const longestGapMs = 12 * 60_000;
const saveEveryMs = 60_000;

const usageFile = z.object({
  version: z.literal(1),
  entries: z.array(
    z.tuple([
      z.number(),
      z.object({
        lastUsedAt: z.number(),
        watchedSince: z.number(),
        seenAt: z.number(),
        knowsGpu: z.boolean(),
      }),
    ]),
  ),
});

type UsageContent = z.infer<typeof usageFile>;
export type UsageFile = Pick<JsonFile<UsageContent>, 'read' | 'write'>;

export function openUsageFile(storageDir: string, accountKey: string, log: Log): UsageFile {
  return new JsonFile(accountPath(storageDir, accountKey, 'usage.json'), usageFile, log);
}

export interface IdleWatchDeps {
  readonly accounts: Pick<Accounts, 'active' | 'onDidChange'>;
  readonly fleet: Pick<Fleet, 'state'> & { readonly onDidPoll: Event<FleetSnapshot> };
  readonly hub: WindowHub;
  readonly presence: Presence;
  readonly aliasOf: (account: Account, instanceId: number) => string;
  readonly clock: Clock;
  readonly log: Log;
  /** Returns the file of an account. */
  readonly file: (accountKey: string) => UsageFile;
}

/**
 * Tracks since when each running instance is idle: nothing of ours on this computer is connected to it, and its GPU
 * use is low if reported. The leading window knows from the lists it reads anyway.
 */
export class IdleWatch implements Disposable {
  private readonly owned = new DisposableStore();
  private readonly changed = this.owned.add(new Emitter<void>());
  private entries = new Map<number, IdleFacts>();
  private account: { readonly key: string; readonly file: KeptFile<UsageContent> } | undefined;
  /** Instances that were in use since the disk refused the file. */
  private readonly usedUnread = new Set<number>();
  private loaded: Promise<void> = Promise.resolve();
  private savedAt = -Infinity;
  /** Instances connected at the last look; the end of a connection is the last sign of use. */
  private connected = new Set<number>();

  /** Fires after each look of the leading window. */
  readonly onDidCheck = this.changed.event;

  constructor(private readonly deps: IdleWatchDeps) {
    const { accounts, fleet, presence, hub } = deps;
    this.owned.add(hub.onDidChangeLeader(() => this.reload()));
    this.owned.add(fleet.onDidPoll((snapshot) => void this.check(snapshot)));
    this.owned.add(
      presence.onDidChange(() => {
        const { state } = deps.fleet;
        if (state.kind === 'ready') {
          void this.check(state.value, false);
        }
      }),
    );
    this.owned.add(
      followAccount(accounts, (account) => {
        this.account = account && { key: account.key, file: this.open(account.key) };
        this.reload();
      }),
    );
  }

  facts(instanceId: number): IdleFacts | undefined {
    return this.entries.get(instanceId);
  }

  /** Returns when the idle time began, as far as it was observed; `undefined` if in use or unknown. */
  idleSince(instanceId: number): number | undefined {
    const facts = this.entries.get(instanceId);
    const { clock, presence } = this.deps;
    const now = clock.now();
    if (!facts || !presence.isComplete || now - facts.seenAt > longestGapMs || now < facts.seenAt) {
      return undefined;
    }
    const since = Math.max(facts.lastUsedAt, facts.watchedSince);
    return since < facts.seenAt ? since : undefined;
  }

  /** Restarts the count: something was found to use the instance that no list shows. */
  noteUse(instanceId: number): void {
    const facts = this.entries.get(instanceId);
    if (facts) {
      this.entries.set(instanceId, { ...facts, lastUsedAt: this.deps.clock.now() });
      this.usedUnread.add(instanceId);
      this.changed.fire();
    }
  }

  dispose(): void {
    this.owned.dispose();
  }

  private open(accountKey: string): KeptFile<UsageContent> {
    const { file, log } = this.deps;
    return new KeptFile(file(accountKey), log, 'Since when instances are idle could not be read');
  }

  /** Reads what the previous leading window wrote. */
  private reload(): void {
    this.entries = new Map();
    this.usedUnread.clear();
    this.loaded = this.load();
  }

  /** Merges the file with what was observed since a refused read, if there was one. Never rejects. */
  private async load(): Promise<void> {
    const { account } = this;
    const content = await account?.file.read();
    if (!content || account !== this.account) {
      return;
    }
    for (const [id, kept] of content.entries) {
      const seen = this.entries.get(id);
      this.entries.set(id, seen ? joined(kept, seen, this.usedUnread.has(id)) : kept);
    }
  }

  /** Reads a file again that the disk refused; one reading at a time, so that nothing is joined twice. */
  private async loadRefused(): Promise<void> {
    this.loaded = this.loaded.then(() => (this.account?.file.isRefused === true ? this.load() : undefined));
    await this.loaded;
  }

  /** Updates the idle times; `isFresh` means that the figures in the list are current. */
  private async check({ instances }: FleetSnapshot, isFresh = true): Promise<void> {
    const { hub, clock, accounts } = this.deps;
    await (hub.isLeader ? this.loadRefused() : this.loaded);
    const { active } = accounts;
    if (!hub.isLeader || !active || this.owned.isDisposed) {
      return;
    }
    const now = clock.now();
    const running = instances.filter(({ actualStatus }) => actualStatus === 'running');
    this.entries = new Map(running.map((one) => [one.id, this.factsOf(active, one, now, isFresh)]));
    this.connected = new Set(running.map(({ id }) => id).filter((id) => this.isConnected(active, id)));
    this.changed.fire();
    if (Math.abs(now - this.savedAt) >= saveEveryMs) {
      this.savedAt = now;
      await this.save();
    }
  }

  private factsOf(account: Account, instance: Instance, now: number, isFresh: boolean): IdleFacts {
    const known = this.entries.get(instance.id);
    const gpu = instance.gpuUtilPercent;
    const isUsed =
      this.isConnected(account, instance.id) ||
      this.connected.has(instance.id) ||
      (isFresh && gpu !== undefined && gpu >= idleGpuPercent);
    if (isUsed) {
      this.usedUnread.add(instance.id);
    }
    if (!known || known.seenAt > now || known.lastUsedAt > now) {
      return { lastUsedAt: now, watchedSince: now, seenAt: now, knowsGpu: gpu !== undefined };
    }
    const hasGap = now - known.seenAt > longestGapMs;
    return {
      lastUsedAt: isUsed ? now : known.lastUsedAt,
      watchedSince: hasGap ? now : known.watchedSince,
      seenAt: isFresh || isUsed ? now : known.seenAt,
      knowsGpu: gpu !== undefined || (known.knowsGpu && !isUsed),
    };
  }

  private isConnected(account: Account, instanceId: number): boolean {
    const { presence, aliasOf } = this.deps;
    return presence.isAnyUsed && presence.isUsed(aliasOf(account, instanceId));
  }

  private async save(): Promise<void> {
    try {
      await this.account?.file.write({ version: 1, entries: [...this.entries] });
    } catch (error) {
      this.deps.log.warn(`Since when instances are idle could not be kept: ${String(error)}`);
    }
  }
}

/**
 * Returns facts from the file that continue with the later ones. Facts of an observation
 * outside the longest gap, or from before the clock was set back, are left out.
 */
function joined(kept: IdleFacts, seen: IdleFacts, isUsed: boolean): IdleFacts {
  if (kept.seenAt > seen.watchedSince || seen.watchedSince - kept.seenAt > longestGapMs) {
    return seen;
  }
  return {
    lastUsedAt: isUsed ? seen.lastUsedAt : kept.lastUsedAt,
    watchedSince: kept.watchedSince,
    seenAt: seen.seenAt,
    knowsGpu: seen.knowsGpu || (kept.knowsGpu && !isUsed),
  };
}
