import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Client } from '../../src/api/client';
import { guardedRental } from '../../src/jobs/guardedRental';
import { MisfitError } from '../../src/shared/channel';
import { OneWindow } from '../../src/shared/oneWindow';
import type { ClientFactory } from '../../src/store/accounts/accountClients';
import {
  createAccounts,
  type AccountChanges,
  type Accounts,
  type OtherAccounts,
} from '../../src/store/accounts/accounts';
import type { SecretPort } from '../../src/store/accounts/patientSecrets';
import type { SessionAccess } from '../../src/store/accounts/sessionRenewal';
import { createFleet } from '../../src/store/instances/fleet';
import type { FleetStore } from '../../src/store/instances/fleetStore';
import type { RentalStore } from '../../src/store/rentals/rentalStore';
import { createRentals } from '../../src/store/rentals/rentals';
import type { WindowHub } from '../../src/store/windows/windowHub';
import { DisposableStore, type Disposable } from '../../src/util/disposable';
import { Emitter } from '../../src/util/emitter';
import { FakeClock } from './fakeClock';
import { MemoryLog } from './fakeTransport';

/** No limit is set. */
export const noBudget = { current: () => Promise.resolve(undefined) };

/** A key ring shared by all windows; it can be locked. */
export class FakeSecrets implements SecretPort {
  readonly values = new Map<string, string>();
  private readonly changed = new Emitter<string>();
  isLocked = false;
  /** A browser that blocks storage takes a value and forgets it. */
  forgets = false;

  keys(): Promise<readonly string[]> {
    return Promise.resolve([...this.values.keys()]);
  }

  get(key: string): Promise<string | undefined> {
    return this.isLocked ? Promise.reject(new Error('locked')) : Promise.resolve(this.values.get(key));
  }

  store(key: string, value: string): Promise<void> {
    if (!this.forgets) {
      this.values.set(key, value);
      this.changed.fire(key);
    }
    return Promise.resolve();
  }

  delete(key: string): Promise<void> {
    this.values.delete(key);
    this.changed.fire(key);
    return Promise.resolve();
  }

  onDidChange(listener: (key: string) => void): Disposable {
    return this.changed.event(listener);
  }
}

/** The talk between windows in one process; the oldest window leads. */
export class FakeHubs {
  readonly hubs: FakeHub[] = [];
  readonly claimed = new Set<string>();
  private held: (() => void)[] | undefined;

  /** Messages are under way until `arrive`, as between windows that act at the same moment. */
  hold(): void {
    this.held ??= [];
  }

  arrive(): void {
    const { held = [] } = this;
    this.held = undefined;
    for (const deliver of held) {
      deliver();
    }
  }

  /** True once something was said that is still under way; it never arrives. */
  lose(): boolean {
    const isLost = this.held !== undefined && this.held.length > 0;
    if (isLost) {
      this.held = undefined;
    }
    return isLost;
  }

  carry(deliver: () => void): void {
    if (this.held) {
      this.held.push(deliver);
    } else {
      deliver();
    }
  }

  open(): FakeHub {
    const hub = new FakeHub(this, `window${this.hubs.length + 1}-${Math.random()}`);
    this.hubs.push(hub);
    this.announce();
    return hub;
  }

  announce(): void {
    for (const hub of this.hubs) {
      hub.leads(hub === this.hubs[0]);
    }
  }
}

/** As the hub does: a message that is none is logged, and everything else that fails is a fault. */
function ignoreMisfit(error: unknown): void {
  if (!(error instanceof MisfitError)) {
    throw error;
  }
}

class FakeHub implements WindowHub {
  isLeader = false;
  private isKnown = false;
  private readonly leaderChanged = new Emitter<boolean>();
  private readonly peersChanged = new Emitter<ReadonlySet<string>>();
  private readonly topics = new Map<string, Emitter<unknown>>();
  readonly onDidChangeLeader = this.leaderChanged.event;
  readonly onDidChangePeers = this.peersChanged.event;

  constructor(
    private readonly all: FakeHubs,
    readonly windowId: string,
  ) {}

  get peers(): ReadonlySet<string> {
    return new Set(this.all.hubs.filter((hub) => hub !== this).map(({ windowId }) => windowId));
  }

  leads(isLeader: boolean): void {
    const hasChanged = !this.isKnown || isLeader !== this.isLeader;
    this.isKnown = true;
    this.isLeader = isLeader;
    if (hasChanged) {
      this.leaderChanged.fire(isLeader);
    }
    this.peersChanged.fire(this.peers);
  }

  broadcast(topic: string, data: unknown): void {
    const wire = data === undefined ? undefined : (JSON.parse(JSON.stringify(data)) as unknown);
    for (const hub of this.all.hubs) {
      if (hub !== this) {
        this.all.carry(() => hub.topics.get(topic)?.fire(wire));
      }
    }
  }

  on(topic: string, listener: (data: unknown) => void): Disposable {
    const emitter = this.topics.get(topic) ?? new Emitter<unknown>(ignoreMisfit);
    this.topics.set(topic, emitter);
    return emitter.event(listener);
  }

  claim(key: string): Promise<boolean> {
    const isFirst = !this.all.claimed.has(key);
    this.all.claimed.add(key);
    return Promise.resolve(isFirst);
  }

  dispose(): void {
    const index = this.all.hubs.indexOf(this);
    if (index < 0) {
      return;
    }
    this.all.hubs.splice(index, 1);
    this.all.announce();
  }
}

export interface FakeWindow {
  readonly hub: FakeHub;
  readonly accounts: Accounts & AccountChanges & OtherAccounts & SessionAccess;
  readonly fleet: FleetStore;
  readonly rentals: RentalStore;
  readonly owned: DisposableStore;
  /** Whether it is in use. */
  readonly focus: { isFocused: boolean };
  readonly oneWindow: OneWindow;
  close(): void;
}

/** One user's computer with its windows, disk, key ring and clock. */
export class FakeComputer {
  readonly clock = new FakeClock();
  /** Of all windows. */
  readonly log = new MemoryLog();
  readonly secrets = new FakeSecrets();
  readonly hubs = new FakeHubs();
  readonly clients: Parameters<ClientFactory>[0][] = [];
  private readonly windows: FakeWindow[] = [];

  private constructor(
    readonly storageDir: string,
    private readonly client: (serviceUrl: string) => Client,
  ) {}

  static async make(client: Client | ((serviceUrl: string) => Client)): Promise<FakeComputer> {
    const storageDir = await mkdtemp(join(tmpdir(), 'gpu-rental-store-'));
    return new FakeComputer(storageDir, typeof client === 'function' ? client : () => client);
  }

  openWindow(): FakeWindow {
    const { clock, log, secrets, storageDir } = this;
    const owned = new DisposableStore();
    const hub = owned.add(this.hubs.open());
    const accounts = owned.add(
      createAccounts({
        createClient: (input) => {
          this.clients.push(input);
          return this.client(input.serviceUrl);
        },
        secrets,
        storageDir,
        hub,
        clock,
        log,
      }),
    );
    const fleet = owned.add(createFleet({ accounts, hub, clock, log, storageDir, random: () => 0.5 }));
    const rentals = owned.add(
      createRentals({
        accounts,
        fleet,
        budget: noBudget,
        guarded: guardedRental,
        hub,
        secrets,
        storageDir,
        clock,
        log,
      }),
    );
    const focus = { isFocused: true, onDidChange: new Emitter<boolean>().event };
    const onError = (error: unknown) => {
      throw error;
    };
    const oneWindow = owned.add(new OneWindow({ hub, focus, clock, log, onError }));
    const window: FakeWindow = {
      focus,
      oneWindow,
      hub,
      accounts,
      fleet,
      rentals,
      owned,
      close: () => {
        owned.dispose();
      },
    };
    this.windows.push(window);
    return window;
  }

  /** A signed-in window. */
  async openSignedIn(): Promise<FakeWindow> {
    const window = this.openWindow();
    await window.accounts.load();
    if (!window.accounts.active) {
      await window.accounts.signIn({ serviceUrl: 'https://console.example.com', apiKey: 'key-of-the-user' });
    }
    return window;
  }

  async dispose(): Promise<void> {
    for (const window of this.windows) {
      window.close();
    }
    await this.clock.advance(0);
    await rm(this.storageDir, { recursive: true, force: true, maxRetries: 5 });
  }
}
