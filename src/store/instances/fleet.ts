import { join } from 'node:path';
import type { Instance } from '../../model/instances/instance';
import type { OwnRequest } from '../../model/instances/instanceState';
import { withoutSecrets } from '../../model/instances/withoutSecrets';
import { watchAccounts } from '../../shared/followAccount';
import type { Clock } from '../../util/clock';
import { DisposableStore, type Disposable } from '../../util/disposable';
import { Emitter, type Event } from '../../util/emitter';
import type { Log } from '../../util/log';
import { NotSignedInError } from '../../shared/notSignedIn';
import { describeError, type FleetNews } from './fleetShared';
import { FleetCache } from './fleetCache';
import { fleetIntervalMs } from './fleetInterval';
import { FleetRequests } from './fleetRequests';
import { FleetList } from './fleetList';
import { FleetTalk } from './fleetTalk';
import { noRentals, readLate, type RecentRentals } from './recentRentals';
import { RememberedFacts } from './rememberedFacts';
import { Interests, type Interest } from './interests';
import { isComplete } from './listed';
import { Poller } from './poller';
import type { Account, Accounts, Fleet, FleetSnapshot, WindowHub } from '../ports';
import type { Loaded, ReadOptions } from '../../shared/reading';

export interface FleetDeps {
  readonly accounts: Accounts;
  readonly hub: WindowHub;
  readonly clock: Clock;
  readonly log: Log;
  readonly storageDir: string;
  /** 0 to 1, for spreading retries. */
  readonly random?: () => number;
}

/** What the other stores need beside the port. */
export interface FleetStore extends Fleet, Disposable {
  /** After each list that this window read itself, before the others hear of it. */
  readonly onDidPoll: Event<FleetSnapshot>;
  /** Follows what was rented a moment ago, which the list may have late. */
  setRented(rented: RecentRentals): void;
}

export function createFleet(deps: FleetDeps): FleetStore {
  return new PolledFleet(deps);
}

/** Credit changes slowly, and a refresh by hand reads it at once. */
const userEveryMs = 5 * 60_000;

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
  private interest: Interest = { viewVisible: false, windowFocused: false };
  private account: { readonly key: string; readonly cache: FleetCache } | undefined;
  private ready: Promise<void> = Promise.resolve();
  private userReadAt = 0;
  private rented: RecentRentals = noRentals;

  constructor(private readonly deps: FleetDeps) {
    const { accounts, hub } = deps;
    const onError = (error: unknown) => {
      deps.log.error('A listener of the fleet failed', error);
    };
    this.changed = this.owned.add(new Emitter(onError));
    this.polled = this.owned.add(new Emitter(onError));
    this.list = new FleetList(deps.clock, (state) => {
      this.changed.fire(state);
    });
    this.poller = this.owned.add(
      new Poller({
        clock: deps.clock,
        random: deps.random ?? Math.random,
        interval: () => this.interval(),
        read: (options) => this.read(options),
      }),
    );
    this.requests = this.owned.add(
      new FleetRequests({
        hub,
        clock: deps.clock,
        readHere: () => this.poller.readNow(),
      }),
    );
    this.interests.set(hub.windowId, this.interest);
    this.talk = this.owned.add(this.startTalk());
    this.listen();
    this.owned.add(
      watchAccounts(accounts, () => {
        this.followAccount();
      }),
    );
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

  note(...[instanceId, request]: Parameters<Fleet['note']>): void {
    this.tellNote(instanceId, { at: this.deps.clock.now(), ...request, ...this.named(instanceId, request) });
  }

  /** The contract that a destroy is for; known before as well where its row is gone by now. */
  private named(id: number, { kind }: Pick<OwnRequest, 'kind'>): Pick<OwnRequest, 'createdAt'> {
    const known = this.list.find(id)?.startedAt ?? this.memory.facts(id).lastRequest?.createdAt;
    return kind !== 'destroy' || known === undefined ? {} : { createdAt: known };
  }

  forget(instanceId: number): void {
    this.tellNote(instanceId, null);
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
    this.talk.tellInterest(interest);
    this.poller.plan();
  }

  setRented(rented: RecentRentals): void {
    if (rented.accountKey !== this.account?.key) {
      return;
    }
    this.rented = rented;
    if (this.list.expect(rented.expected) && this.deps.hub.isLeader) {
      this.tellNews();
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
          this.tellNews();
        }
      },
      onInterest: (windowId, interest) => {
        this.interests.set(windowId, interest);
        this.poller.plan();
      },
      onNews: (news) => {
        this.takeNews(news);
      },
      onNote: (id, request) => {
        this.takeNote(id, request);
      },
    });
  }

  private listen(): void {
    const { hub } = this.deps;
    this.owned.add(
      hub.onDidChangeLeader((leads) => {
        if (!leads) {
          this.talk.sayHello();
        }
        this.talk.tellInterest(this.interest);
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

  /** Starts over where another account is active; a changed credit alone changes nothing here. */
  private followAccount(): void {
    const key = this.deps.accounts.active?.key;
    if (key === this.account?.key) {
      this.poller.plan();
      return;
    }
    this.poller.reset();
    this.userReadAt = this.deps.clock.now();
    this.memory.clear();
    this.rented = noRentals;
    this.account =
      key === undefined
        ? undefined
        : { key, cache: new FleetCache(join(this.deps.storageDir, 'fleet', `${key}.json`), this.deps.log) };
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
      if (cached.snapshot && this.state.kind === 'idle') {
        this.poller.wasReadAt(cached.fetchedAt);
        this.list.restore(cached.snapshot, cached.fetchedAt);
      }
    }
    if (!this.deps.hub.isLeader) {
      this.talk.sayHello();
    }
    this.poller.plan();
  }

  /** Only the window that leads reads. */
  private interval(): number | undefined {
    if (!this.deps.hub.isLeader) {
      return undefined;
    }
    return fleetIntervalMs({
      state: this.state,
      isSignedIn: this.account !== undefined,
      isAwaited: this.rented.isAwaited,
      isLookedAt: this.interests.isLookedAt,
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
      this.tellNews();
    }
    try {
      const { items, skipped, found } = await active.client.instances.list(options);
      if (this.isOver(signal)) {
        return;
      }
      const missing = Math.max(0, (found ?? 0) - items.length - skipped);
      const late = await this.readLate(active, items, options);
      if (this.isOver(signal)) {
        return;
      }
      this.succeed({
        instances: [...items, ...late].map(withoutSecrets),
        skipped,
        ...(missing > 0 ? { missing } : {}),
      });
      // The disk may be slow; nobody waits for it.
      void this.save();
      this.refreshUser(active);
    } catch (error) {
      if (!this.isOver(signal)) {
        this.fail(error);
      }
      throw error;
    }
  }

  /** Reads the records of what was rented and is not in the list; a rental is in its own record first. */
  private readLate({ client }: Account, listed: readonly Instance[], options: ReadOptions) {
    const { list, rented, deps } = this;
    const present = new Set(listed.map(({ id }) => id));
    const ids = rented.ids.filter((id) => !present.has(id) && !list.hasEnded(id));
    return readLate(client, ids, options, (id, error) => {
      deps.log.warn(`The record of the new instance ${id} could not be read: ${describeError(error)}`);
      return list.find(id);
    });
  }

  /** Asked again after a wait: another account may be active. */
  private isOver(signal: AbortSignal): boolean {
    return signal.aborted;
  }

  private succeed(read: FleetSnapshot): void {
    const now = this.deps.clock.now();
    const snapshot = this.list.withUnconfirmed(read);
    this.memory.learn(snapshot.instances, isComplete(snapshot), now);
    this.list.become({ kind: 'ready', value: snapshot, fetchedAt: now });
    this.polled.fire(snapshot);
    this.tellNews();
  }

  private fail(error: unknown): void {
    this.deps.log.warn(`The instances could not be read: ${describeError(error)}`);
    this.list.fail(error);
    this.tellNews();
  }

  private refreshUser(active: Account): void {
    const now = this.deps.clock.now();
    if (Math.abs(now - this.userReadAt) < userEveryMs || this.deps.accounts.active?.key !== active.key) {
      return;
    }
    this.userReadAt = now;
    this.deps.accounts.refreshUser().catch((error: unknown) => {
      this.deps.log.warn(`The account could not be read: ${describeError(error)}`);
    });
  }

  private tellNews(): void {
    this.talk.tellNews(this.state, this.memory.export());
  }

  private takeNews({ state, memory }: FleetNews): void {
    this.memory.import(memory);
    if (state.kind === 'ready') {
      this.poller.wasReadAt(state.fetchedAt);
    }
    this.list.takeNews(state);
  }

  private tellNote(id: number, request: OwnRequest | null): void {
    if (this.account) {
      this.talk.tellNote(id, request);
      this.takeNote(id, request);
    }
  }

  private takeNote(id: number, request: OwnRequest | null): void {
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
    await this.account?.cache.save(this.state, this.memory.export());
  }
}
