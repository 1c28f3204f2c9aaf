import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { Client } from '../../src/api/client';
import type { Account, Accounts, AccountsState } from '../../src/store/accounts/accounts';
import type { KeptSecrets } from '../../src/store/accounts/keptSecrets';
import type { SecretPort } from '../../src/store/accounts/patientSecrets';
import { TemplateCreation } from '../../src/store/templates/templateCreation';
import { TemplateDocuments } from '../../src/store/templates/templateDocuments';
import { TemplateRefs } from '../../src/store/templates/templateRefs';
import { storedSecrets, TemplateSecrets } from '../../src/store/templates/templateSecrets';
import { TemplateStorage, type StorageLock } from '../../src/store/templates/templateStorage';
import type { WindowHub } from '../../src/store/windows/windowHub';
import { Emitter } from '../../src/util/emitter';
import { FakeClock, settle } from './fakeClock';
import { MemoryLog } from './fakeTransport';
import { keptSecrets, oneByOne } from './keptSecrets';
import type { SlowFile } from './slowFile';

/** The talk between the windows of one computer, without a network. */
class Wire {
  readonly messages = new Emitter<{
    readonly from: string;
    readonly topic: string;
    readonly data: unknown;
  }>();
}

class FakeHub implements WindowHub {
  readonly isLeader = false;
  readonly peers = new Set<string>();
  readonly onDidChangePeers = new Emitter<ReadonlySet<string>>().event;
  readonly onDidChangeLeader = new Emitter<boolean>().event;

  constructor(
    private readonly wire: Wire,
    readonly windowId: string,
  ) {}

  broadcast(topic: string, data: unknown): void {
    this.wire.messages.fire({ from: this.windowId, topic, data });
  }

  on(topic: string, listener: (data: unknown) => void) {
    return this.wire.messages.event((message) => {
      if (message.topic === topic && message.from !== this.windowId) {
        listener(message.data);
      }
    });
  }

  claim(): Promise<boolean> {
    return Promise.resolve(true);
  }

  dispose(): void {
    this.wire.messages.dispose();
  }
}

class FakeAccounts implements Accounts {
  private readonly changed = new Emitter<AccountsState>();
  readonly onDidChange = this.changed.event;

  constructor(public active: Account | undefined) {}

  get state(): AccountsState {
    return this.active ? { kind: 'signedIn', account: this.active } : { kind: 'signedOut' };
  }

  switchAccount(account: Account | undefined): void {
    this.active = account;
    this.changed.fire(this.state);
  }

  load = () => Promise.resolve();
  known = () => Promise.resolve(this.active ? [this.active] : []);
  damaged = () => Promise.resolve({ accounts: new Map<string, string>(), active: undefined });
  signIn = () => Promise.reject(new Error('Not part of this fake'));
  switchTo = () => Promise.resolve();
  signOut = () => Promise.resolve();
  refreshUser = () => Promise.reject(new Error('Not part of this fake'));
}

class FakeSecrets implements SecretPort {
  readonly values = new Map<string, string>();
  readonly onDidChange = new Emitter<string>().event;

  keys(): Promise<readonly string[]> {
    return Promise.resolve([...this.values.keys()]);
  }

  get(key: string): Promise<string | undefined> {
    return Promise.resolve(this.values.get(key));
  }

  store(key: string, value: string): Promise<void> {
    this.values.set(key, value);
    return Promise.resolve();
  }

  delete(key: string): Promise<void> {
    this.values.delete(key);
    return Promise.resolve();
  }
}

/** What one window has of the templates, against a simulator. */
export interface TemplateWindow {
  readonly documents: TemplateDocuments;
  readonly creation: TemplateCreation;
  readonly memory: TemplateStorage;
  readonly secrets: TemplateSecrets;
  readonly kept: KeptSecrets;
  readonly refs: TemplateRefs;
  readonly accounts: FakeAccounts;
  readonly clock: FakeClock;
  /** Ids of the documents that are being edited. */
  readonly dirty: Set<number>;
  /** Ids in the order in which their shown text changed. */
  readonly shownAnew: number[];
  /** Values that the log must not show. */
  readonly heard: string[];
}

/** A computer with windows that share their disk and their secret store. */
export class TemplateComputer {
  readonly storageDir = mkdtempSync(path.join(os.tmpdir(), 'gpu-rental-templates-'));
  readonly secretPort = new FakeSecrets();
  /** Of all windows. */
  readonly log = new MemoryLog();
  private readonly wire = new Wire();
  private windows = 0;
  /** One after the other. */
  private readonly lock: StorageLock = oneByOne();
  private readonly secretsLock: StorageLock = oneByOne();

  constructor(private readonly connect: () => Client) {}

  async account(key = 'account-1'): Promise<Account> {
    const client = this.connect();
    const user = await client.users.current();
    return {
      key,
      serviceUrl: 'http://127.0.0.1',
      userId: user.id,
      name: 'Test',
      isDemo: false,
      isKept: true,
      client,
      user,
    };
  }

  /** Another window, or with the same name the same one after a restart; what it remembers is on disk. */
  async openWindow(file?: SlowFile, windowName = 'window'): Promise<TemplateWindow> {
    const clock = new FakeClock();
    const accounts = new FakeAccounts(await this.account());
    const secretsHere = () => storedSecrets(this.secretPort);
    const memory = new TemplateStorage(this.storageDir, this.log, this.lock, secretsHere, file);
    const heard: string[] = [];
    const kept = keptSecrets(this.secretPort, {
      ...{ lock: this.secretsLock, clock, onSecret: (value) => heard.push(value) },
      earlierUses: (key) => memory.earlierUses(key),
    });
    const secrets = new TemplateSecrets(this.secretPort, memory, kept);
    const hub = new FakeHub(this.wire, `window-${++this.windows}`);
    const ofWindow = { accounts, memory, secrets, hub, windowName, clock, log: this.log };
    const documents = new TemplateDocuments(ofWindow);
    const refs = new TemplateRefs({ accounts, hub, memory, log: this.log });
    const dirty = new Set<number>();
    const shownAnew: number[] = [];
    documents.setDirtyProbe((id) => dirty.has(id));
    documents.onDidChange((id) => shownAnew.push(id));
    let drafts = 0;
    const newToken = () => `${hub.windowId}-${++drafts}`;
    const creation = new TemplateCreation({ documents, memory, secrets, clock, newToken });
    return { documents, creation, memory, secrets, kept, refs, accounts, clock, dirty, shownAnew, heard };
  }

  /** What is still being written would make the folder again. */
  async dispose(): Promise<void> {
    await settle();
    rmSync(this.storageDir, { recursive: true, force: true });
  }
}
