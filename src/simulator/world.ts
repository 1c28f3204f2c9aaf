import { randomBytes } from 'node:crypto';
import type { Disposable } from '../util/disposable';
import { Emitter } from '../util/emitter';
import { KeyStore } from './keys';
import { demoHostId } from './market/machines';
import { Market } from './market/market';
import type { SimulatorOptions } from './options';
import type { WorldPorts } from './ports';
import type { Caller, Route, SimRequest } from './route';
import { ServiceError } from './route';
import { SimClock } from './simClock';
import type { Account, InstanceState, WorldState } from './state';
import { StateFile } from './stateFile';

/** Refuses a call before its handler runs, by throwing a ServiceError. */
export type Guard = (caller: Caller, route: Route, request: SimRequest) => void;

/**
 * The state of the simulator, shared by all resources. Call `changed()` after each
 * change; the state file follows soon after and at the end.
 */
export class World implements Disposable {
  readonly clock: SimClock;
  readonly keys: KeyStore;
  readonly market: Market;
  readonly ports: WorldPorts = {};
  /** Called for every recognised caller; a resource may add its own. */
  readonly guards: Guard[] = [];
  /** Set once the server listens. */
  baseUrl = '';
  /** The first account's full key, as given or made up. */
  readonly apiKey: string;
  private readonly state: WorldState;
  private readonly file: StateFile | undefined;
  private readonly instanceEmitter = new Emitter<InstanceState>((error) => this.report(error));
  private saving: NodeJS.Timeout | undefined;
  /** After an instance was changed in any way, its removal included. */
  readonly onDidChangeInstance = this.instanceEmitter.event;

  constructor(readonly options: SimulatorOptions = {}) {
    this.apiKey = options.apiKey ?? randomBytes(32).toString('hex');
    this.file =
      options.stateFile === undefined
        ? undefined
        : new StateFile(options.stateFile, this.apiKey, options.plainState ?? false);
    const kept = this.file?.read();
    this.state = kept ?? emptyState(options.seed ?? 1);
    this.clock = new SimClock(options.clock, this.state.clockOffsetMs, options.speed);
    this.keys = new KeyStore(
      this.state,
      () => this.nextId('key', 1001),
      () => this.now(),
    );
    this.market = new Market(this);
    this.ensureFirstAccount();
  }

  get seed(): number {
    return this.state.seed;
  }

  /** Unix seconds of the simulated time. */
  now(): number {
    return this.clock.nowSeconds();
  }

  nextId(kind: string, first = 1): number {
    const id = this.state.nextIds[kind] ?? first;
    this.state.nextIds[kind] = id + 1;
    return id;
  }

  /** The part of the state that one resource keeps, plain JSON, changed in place. */
  section<T extends object>(name: string, initial: () => T): T {
    // A section is read and written by the one file that names it.
    return (this.state.sections[name] ??= initial()) as T;
  }

  get accounts(): readonly Account[] {
    return this.state.accounts;
  }

  account(id: number): Account {
    const account = this.state.accounts.find((other) => other.id === id);
    if (!account) {
      throw new ServiceError(401, 'auth_error', 'Invalid user key');
    }
    return account;
  }

  addAccount(wanted: Partial<Omit<Account, 'id'>> = {}): Account {
    const id = this.nextId('account', 4101);
    const account: Account = {
      id,
      email: `renter${id}@example.com`,
      username: `renter${id}`,
      fullName: `Renter ${id}`,
      credit: this.options.credit ?? 25,
      balance: 0,
      createdAt: this.now(),
      emailVerifiedAt: this.now(),
      isAdmin: false,
      spent: 0,
      ...wanted,
    };
    this.state.accounts.push(account);
    this.changed();
    return account;
  }

  /** Of all accounts; see `instancesOf`. */
  get instances(): readonly InstanceState[] {
    return this.state.instances;
  }

  instancesOf(accountId: number): readonly InstanceState[] {
    return this.state.instances.filter((instance) => instance.accountId === accountId);
  }

  instance(id: number): InstanceState | undefined {
    return this.state.instances.find((instance) => instance.id === id);
  }

  addInstance(instance: InstanceState): void {
    this.state.instances.push(instance);
    this.instanceChanged(instance);
  }

  removeInstance(instance: InstanceState): void {
    this.state.instances = this.state.instances.filter((other) => other !== instance);
    this.instanceChanged(instance);
  }

  instanceChanged(instance: InstanceState): void {
    this.changed();
    this.instanceEmitter.fire(instance);
  }

  get sshKeys() {
    return this.state.sshKeys;
  }

  removeSshKey(id: number): void {
    this.state.sshKeys = this.state.sshKeys.filter((key) => key.id !== id);
    this.changed();
  }

  /** Writes the state file soon; one write for all changes of this moment. */
  changed(): void {
    if (this.file && !this.saving) {
      this.saving = setTimeout(() => {
        this.save();
      }, 50);
    }
  }

  save(): void {
    clearTimeout(this.saving);
    this.saving = undefined;
    this.state.clockOffsetMs = this.clock.offsetMs;
    try {
      this.file?.write(this.state);
    } catch (error) {
      this.options.onError?.(error);
    }
  }

  /** Anything that went wrong inside, for the log of the program that runs the simulator. */
  report(error: unknown): void {
    this.options.onError?.(error);
  }

  dispose(): void {
    this.save();
    this.clock.dispose();
    this.instanceEmitter.dispose();
  }

  private ensureFirstAccount(): void {
    const first =
      this.state.accounts[0] ??
      this.addAccount({
        email: 'ada@example.com',
        username: 'ada',
        fullName: 'Ada Example',
        hostId: demoHostId,
      });
    if (!this.keys.find(this.apiKey)) {
      this.keys.create({ accountId: first.id, name: 'Full access' }, this.apiKey);
      this.changed();
    }
  }
}

function emptyState(seed: number): WorldState {
  return {
    version: 1,
    seed,
    clockOffsetMs: 0,
    nextIds: {},
    accounts: [],
    keys: [],
    instances: [],
    sshKeys: [],
    sections: {},
  };
}
