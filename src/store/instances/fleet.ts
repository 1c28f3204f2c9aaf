import { setImmediate as otherWork } from 'node:timers/promises';
import type { Instance } from '../../model/instances/instance';
import type { OwnRequest } from '../../model/instances/instanceState';
import { watchAccounts } from '../../shared/followAccount';
import { NotSignedInError } from '../../shared/notSignedIn';
import type { Loaded, ReadOptions } from '../../shared/reading';
import type { Clock } from '../../util/clock';
import { DisposableStore } from '../../util/disposable';
import { Emitter } from '../../util/emitter';
import type { Log } from '../../util/log';
import type { Accounts } from '../accounts/accounts';
import type { WindowHub } from '../windows/windowHub';
import { FleetList, readFleet } from './fleetList';
import {
  describeError,
  FleetRequests,
  FleetTalk,
  Interests,
  openFleetCache,
  type FleetCache,
  type FleetNews,
  type Interest,
} from './fleetShared';
import { noRentals, type Fleet, type FleetSnapshot, type FleetStore, type RecentRentals } from './fleetStore';
import { isComplete } from './listed';
import { CreditReads, fleetIntervalMs, Poller } from './poller';
import { RememberedFacts } from './rememberedFacts';

interface FleetDeps {
  readonly accounts: Accounts;
  readonly hub: WindowHub;
  readonly clock: Clock;
  readonly log: Log;
  readonly storageDir: string;
  /** 0 to 1, to spread retries. */
  readonly random?: () => number;
}

export function createFleet(deps: FleetDeps): FleetStore {
  return new PolledFleet(deps);
}

class PolledFleet implements FleetStore {
  private readonly owned = new DisposableStore();
  private readonly poller: Poller;
  private readonly changed: Emitter<Loaded<FleetSnapshot>>;
  private readonly polled: Emitter<FleetSnapshot>;
  private readonly memory = new RememberedFacts();
  private readonly list: FleetList;
  private readonly interests = new Interests();
  private readonly requests: FleetRequests;
  private readonly talk: FleetTalk;
  private readonly credit: CreditReads;
  private interest: Interest = { viewVisible: false, windowFocused: false };
  private account: { readonly key: string; readonly cache: FleetCache } | undefined;
  private ready: Promise<void> = Promise.resolve();
  private rented: RecentRentals = noRentals;

  constructor(private readonly deps: FleetDeps) {
    const { accounts, hub } = deps;
    const onError = (error: unknown) => {
      deps.log.error('A listener of the fleet failed', error);
    };
    this.changed = this.owned.add(new Emitter(onError));
    this.polled = this.owned.add(new Emitter(onError));
    this.list = new FleetList(deps.clock, (state) => this.changed.fire(state));
    this.poller = this.owned.add(
      new Poller({
        clock: deps.clock,
        random: deps.random ?? Math.random,
        interval: () => this.interval(),
        read: (options) => this.read(options),
      }),
    );
    this.requests = this.owned.add(new FleetRequests({ ...deps, readHere: () => this.poller.readNow() }));
    this.credit = new CreditReads(deps);
    this.interests.set(hub.windowId, this.interest);
    this.talk = this.owned.add(this.startTalk());
    this.listen();
    this.owned.add(watchAccounts(accounts, () => this.followAccount()));
    if (accounts.onDidRecover) {
      this.owned.add(
        accounts.onDidRecover((key) => {
          if (key === accounts.active?.key) {
            this.poller.recovered();
          }
        }),
      );
    }
    this.followAccount();
  }

  get state(): Loaded<FleetSnapshot> {
    return this.list.state;
  }

  get onDidChange() {
    return this.changed.event;
  }

  get onDidPoll() {
    return this.polled.event;
  }

  find(instanceId: number): Instance | undefined {
    return this.list.find(instanceId);
  }

  hasEnded(instanceId: number): boolean {
    return this.list.hasEnded(instanceId);
  }

  facts(instanceId: number) {
    return this.memory.facts(instanceId);
  }

  note(...[instanceId, request, key]: Parameters<Fleet['note']>): void {
    const named = { at: this.deps.clock.now(), ...request, ...this.named(instanceId, request) };
    this.sendNote(instanceId, named, key);
  }

  /** Returns the contract that a destroy is for. Uses the earlier request if the row is gone already. */
  private named(id: number, { kind }: Pick<OwnRequest, 'kind'>): Pick<OwnRequest, 'createdAt'> {
    const known = this.list.find(id)?.startedAt ?? this.memory.facts(id).lastRequest?.createdAt;
    return kind !== 'destroy' || known === undefined ? {} : { createdAt: known };
  }

  forget(instanceId: number, key?: string): void {
    this.sendNote(instanceId, null, key);
  }

  refresh(): Promise<void> {
    if (!this.deps.accounts.active) {
      return Promise.reject(new NotSignedInError());
    }
    return this.requests.refresh();
  }

  setInterest(interest: Interest): void {
    this.interest = interest;
    this.interests.set(this.deps.hub.windowId, interest);
    this.talk.sendInterest(interest);
    this.poller.plan();
  }

  setRented(rented: RecentRentals): void {
    if (rented.accountKey !== this.account?.key) {
      return;
    }
    this.rented = rented;
    if (this.list.expect(rented) && this.deps.hub.isLeader) {
      this.sendNews();
    }
    this.poller.plan();
  }

  dispose(): void {
    this.owned.dispose();
  }

  private startTalk(): FleetTalk {
    const { hub } = this.deps;
    return new FleetTalk({
      hub,
      accountKey: () => this.account?.key,
      onHello: () => {
        if (hub.isLeader) {
          this.sendNews();
        }
      },
      onInterest: (windowId, interest) => {
        this.interests.set(windowId, interest);
        this.poller.plan();
      },
      onNews: (news) => this.applyNews(news),
      onNote: (id, request) => this.applyNote(id, request),
    });
  }

  private listen(): void {
    const { hub } = this.deps;
    this.owned.add(
      hub.onDidChangeLeader((leads) => {
        if (!leads) {
          this.talk.sendHello();
        }
        this.talk.sendInterest(this.interest);
        this.poller.plan();
      }),
    );
    this.owned.add(
      hub.onDidChangePeers((peers) => {
        this.interests.keepOnly(new Set([...peers, hub.windowId]));
        this.poller.plan();
      }),
    );
  }

  /** Starts over if another account is active. A changed credit alone has no effect here. */
  private followAccount(): void {
    const key = this.deps.accounts.active?.key;
    if (key === this.account?.key) {
      this.poller.plan();
      return;
    }
    this.poller.reset();
    this.credit.begin();
    this.memory.clear();
    this.rented = noRentals;
    this.account =
      key === undefined
        ? undefined
        : { key, cache: openFleetCache(this.deps.storageDir, key, this.deps.log) };
    this.list.clear();
    this.ready = this.loadCache();
  }

  private async loadCache(): Promise<void> {
    const account = this.account;
    if (!account) {
      this.poller.plan();
      return;
    }
    const cached = await account.cache.load();
    if (account !== this.account) {
      return;
    }
    if (cached) {
      this.memory.import(cached.memory);
      // An empty list would claim that nothing costs money until something makes it be read again.
      if (cached.snapshot && cached.snapshot.instances.length > 0 && this.state.kind === 'idle') {
        this.poller.wasReadAt(cached.fetchedAt);
        this.list.restore(cached.snapshot, cached.fetchedAt);
      }
    }
    if (!this.deps.hub.isLeader) {
      this.talk.sendHello();
    }
    this.poller.plan();
  }

  /** Returns the interval (ms). Only the leading window reads. */
  private interval(): number | undefined {
    if (!this.deps.hub.isLeader) {
      return undefined;
    }
    return fleetIntervalMs({
      state: this.state,
      isSignedIn: this.account !== undefined,
      isAwaited: this.rented.isAwaited,
      isInView: this.interests.isInView,
      memory: this.memory,
      now: this.deps.clock.now(),
    });
  }

  private async read(options: ReadOptions): Promise<void> {
    const { signal } = options;
    await this.ready;
    const active = this.deps.accounts.active;
    const account = this.account;
    if (!active || !account || signal.aborted) {
      return;
    }
    if (this.state.kind === 'idle' || this.state.kind === 'failed') {
      this.list.become({ kind: 'loading' });
      this.sendNews();
    }
    try {
      const read = await readFleet(active.client, this.list, () => this.rented.ids, options, this.deps.log);
      if (!read || this.isOver(signal)) {
        return;
      }
      this.succeed(read);
      this.credit.refresh();
      // The reactions to the list are a task of their own. Nothing waits for the disk, which may be slow.
      void otherWork().then(() => this.save());
    } catch (error) {
      if (!this.isOver(signal)) {
        this.fail(error);
      }
      throw error;
    }
  }

  /** Returns true if another account has become active during a wait. */
  private isOver(signal: AbortSignal): boolean {
    return signal.aborted;
  }

  private succeed(read: FleetSnapshot): void {
    const now = this.deps.clock.now();
    const snapshot = this.list.withUnconfirmed(read);
    this.memory.learn(snapshot.instances, isComplete(snapshot), now, new Set(snapshot.unconfirmed));
    this.list.become({ kind: 'ready', value: snapshot, fetchedAt: now });
    this.polled.fire(snapshot);
    this.sendNews();
  }

  private fail(error: unknown): void {
    this.deps.log.warn(`The instances could not be read: ${describeError(error)}`);
    this.list.fail(error);
    this.sendNews();
  }

  private sendNews(): void {
    this.talk.sendNews(this.state, this.memory.export());
  }

  private applyNews({ state, memory }: FleetNews): void {
    this.memory.import(memory);
    if (state.kind === 'ready') {
      this.poller.wasReadAt(state.fetchedAt);
    }
    this.list.applyNews(state);
  }

  private sendNote(id: number, request: OwnRequest | null, key = this.account?.key): void {
    if (this.account && this.account.key === key) {
      this.talk.sendNote(id, request);
      this.applyNote(id, request);
    }
  }

  private applyNote(id: number, request: OwnRequest | null): void {
    if (request) {
      this.memory.note(id, request);
      if (request.kind === 'destroy' && request.tookEffect === true) {
        this.list.drop(id);
      }
    } else {
      this.memory.forget(id);
    }
    this.changed.fire(this.state);
    if (this.deps.hub.isLeader) {
      void this.save();
    }
    this.poller.plan();
  }

  private async save(): Promise<void> {
    const { account } = this;
    if (account?.cache.isRefused === true) {
      const cached = await account.cache.load();
      if (account !== this.account) {
        return;
      }
      this.memory.recall(cached?.memory ?? []);
    }
    await account?.cache.save(this.state, this.memory.export());
  }
}
