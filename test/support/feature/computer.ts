import { existsSync, mkdirSync, mkdtempSync, readdirSync, realpathSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type * as vscode from 'vscode';
import { FakeClock } from '../fakeClock';
import { FakeEventEmitter } from '../fakeEditor/events';
import { UserSettings } from '../fakeEditor/settings';
import type { WindowNature } from '../fakeEditor/vscodeModule';
import { removeFolder } from '../removeFolder';
import { rentCheapest } from '../rentRunning';
import { filesWithSecrets } from '../secretScan';
import {
  obeying,
  startTestSimulator,
  type TestSimulator,
  type TestSimulatorOptions,
} from '../startSimulator';
import { rest, whatIsUnderWay } from './underWay';
import { FeatureWindow } from './window';

export interface ComputerOptions {
  readonly simulator?: TestSimulatorOptions;
  readonly settings?: Readonly<Record<string, unknown>>;
}

/** One use of the secret store by a window. */
export interface SecretUse {
  readonly action: 'get' | 'store' | 'delete';
  readonly key: string;
  /** Does it; the value for `get`. */
  readonly proceed: () => string | undefined;
}

/** Represents an answer that is not there yet. */
const pending = Symbol('no answer yet');

/** How long the product's time may stand still in real time; reached only by what hangs. */
const hangMs = 60_000;

/**
 * A user's computer: a home folder, the storage of the product, the secret store and the settings that its windows
 * share, and the marketplace. Product and marketplace run by one clock, which moves only while nothing is under way.
 */
export class Computer {
  readonly clock: FakeClock;
  readonly settings: UserSettings;
  readonly clipboard = { text: '' };
  readonly windows: FeatureWindow[] = [];
  private readonly secretChanged = new FakeEventEmitter<{ key: string }>();
  private readonly mementos = new Map<string, Map<string, unknown>>();
  /** How long `until` waits in the product's time by default. */
  patienceMs = 15 * 60_000;
  /** Stands before the secret store, for tests of one in trouble. */
  secretTrouble: ((use: SecretUse) => Promise<string | undefined>) | undefined;

  private constructor(
    readonly root: string,
    clock: FakeClock,
    readonly simulator: TestSimulator,
    settings: Readonly<Record<string, unknown>>,
    private readonly secretValues = new Map<string, string>(),
  ) {
    this.clock = clock;
    this.settings = new UserSettings({
      'gpuRental.service.url': simulator.url,
      'remote.SSH.configFile': path.join(root, 'home', '.ssh', 'config'),
      // Machines without a server for logins are ready as soon as they run.
      'gpuRental.ready.checkLogin': simulator.world.options.sshServer !== false,
      ...settings,
    });
  }

  static async start({ simulator: wanted = {}, settings = {} }: ComputerOptions = {}): Promise<Computer> {
    const root = realpathSync(mkdtempSync(path.join(os.tmpdir(), 'gr-feature-')));
    for (const folder of ['home/.ssh', 'storage', 'workspace']) {
      mkdirSync(path.join(root, folder), { recursive: true, mode: 0o700 });
    }
    process.env['HOME'] = path.join(root, 'home');
    process.env['SSH_AUTH_SOCK'] = '';
    process.env['VAST_API_KEY'] = '';
    const held = { back: () => 0 };
    const clock = new FakeClock(undefined, () => rest(() => held.back()));
    const simulator = obeying(
      await startTestSimulator({ clock, instancesDir: path.join(root, 'instances'), ...wanted }),
    );
    held.back = () => simulator.heldBack();
    return new Computer(root, clock, simulator, settings);
  }

  /** For a process of its own: the computer that another process started, with what outlives this one. */
  static attach(
    root: string,
    clock: FakeClock,
    simulator: TestSimulator,
    secrets: Map<string, string>,
  ): Computer {
    return new Computer(root, clock, simulator, {}, secrets);
  }

  get sshConfig(): string {
    return path.join(this.root, 'home', '.ssh', 'config');
  }

  get workspace(): string {
    return path.join(this.root, 'workspace');
  }

  get storage(): string {
    return path.join(this.root, 'storage');
  }

  /** The files or folders of this name that are there, one for each account at most. */
  ofAccounts(name: string): readonly string[] {
    const accounts = path.join(this.storage, 'accounts');
    return (existsSync(accounts) ? readdirSync(accounts) : [])
      .map((key) => path.join(accounts, key, name))
      .filter((place) => existsSync(place));
  }

  /** Opens a window and activates the product in it; the first one has the focus. `kept`: documents from before that. */
  async openWindow(
    nature: Partial<WindowNature> & {
      readonly isFocused?: boolean;
      readonly kept?: readonly { readonly uri: vscode.Uri; readonly text: string }[];
    } = {},
  ): Promise<FeatureWindow> {
    const isFocused = nature.isFocused ?? this.windows.length === 0;
    const window = new FeatureWindow(this, isFocused, {
      folders: nature.folders ?? [this.workspace],
      isTrusted: nature.isTrusted ?? true,
      remoteName: nature.remoteName,
      uiKind: nature.uiKind ?? 1,
      appName: nature.appName ?? 'Visual Studio Code',
      extensions: nature.extensions ?? [],
      hasTools: nature.hasTools ?? true,
      takesServers: nature.takesServers ?? true,
      ...(nature.cursor ? { cursor: nature.cursor } : {}),
    });
    this.windows.push(window);
    nature.kept?.forEach(({ uri, text }) => window.screen.documents.keep(uri, text));
    window.activate();
    await this.rest();
    return window;
  }

  /** A window in which the user has signed in. */
  async openSignedIn(): Promise<FeatureWindow> {
    const window = await this.openWindow();
    await window.signIn();
    return window;
  }

  /** The memory that the editor keeps for the product, for all windows or only for those with these folders. */
  memento(folders?: readonly string[]): vscode.Memento & { setKeysForSync(keys: readonly string[]): void } {
    const mementos = this.mementosOf(folders?.join('\n') ?? '');
    return {
      keys: () => [...mementos.keys()],
      get: (key: string, otherwise?: unknown) => (mementos.has(key) ? mementos.get(key) : otherwise) as never,
      update: async (key: string, value: unknown) => {
        mementos.set(key, value);
        return Promise.resolve();
      },
      setKeysForSync: () => undefined,
    };
  }

  private mementosOf(place: string): Map<string, unknown> {
    const known = this.mementos.get(place) ?? new Map<string, unknown>();
    this.mementos.set(place, known);
    return known;
  }

  secretStorage(): vscode.SecretStorage {
    const use = async (action: SecretUse['action'], key: string, proceed: SecretUse['proceed']) =>
      this.secretTrouble ? this.secretTrouble({ action, key, proceed }) : proceed();
    const change = (action: 'store' | 'delete', key: string, work: () => unknown) =>
      use(action, key, () => {
        work();
        this.secretChanged.fire({ key });
        return undefined;
      }).then(() => undefined);
    return {
      keys: () => Promise.resolve([...this.secretValues.keys()]),
      get: (key) => use('get', key, () => this.secretValues.get(key)),
      store: (key, value) => change('store', key, () => this.secretValues.set(key, value)),
      delete: (key) => change('delete', key, () => this.secretValues.delete(key)),
      onDidChange: this.secretChanged.event,
    };
  }

  rest(): Promise<void> {
    return rest(() => this.simulator.heldBack());
  }

  /** Lets the time of product and marketplace pass. */
  async pass(ms: number): Promise<void> {
    await this.clock.advance(ms);
  }

  /**
   * Asks until the answer is neither `undefined` nor `false`. While nothing is under way, time jumps to the next
   * timer, so that a wait of minutes takes milliseconds; a wait for what never comes ends with all that is shown.
   */
  async until<T>(
    what: string,
    ask: () => T | Promise<T>,
    { withinMs = this.patienceMs }: { readonly withinMs?: number } = {},
  ): Promise<Exclude<T, undefined | false>> {
    const end = this.clock.elapsed() + withinMs;
    let moved = { at: Date.now(), elapsed: this.clock.elapsed() };
    let asked: Promise<T> | undefined;
    for (;;) {
      await this.rest();
      // A view may wait for the pace of its reads before it has rows, and so for time.
      asked ??= Promise.resolve(ask());
      const answer = await Promise.race([asked, this.rest().then(() => pending)]);
      if (answer !== pending) {
        if (answer !== undefined && answer !== false) {
          return answer as Exclude<T, undefined | false>;
        }
        asked = undefined;
      }
      const next = this.clock.untilNext;
      const isOver = next !== undefined && this.clock.elapsed() + next > end;
      if (next === undefined || isOver || Date.now() - moved.at > hangMs) {
        const why = next === undefined ? 'nothing waits for time' : isOver ? 'its time is over' : 'it hangs';
        throw new Error(`Waited in vain for ${what}: ${why}.\n${this.describe()}`);
      }
      await this.clock.advance(next);
      const elapsed = this.clock.elapsed();
      if (elapsed - moved.elapsed >= 1000) {
        moved = { at: Date.now(), elapsed };
      }
    }
  }

  /** The result of what another extension asked of the product; time passes until it is settled. */
  async settled<T>(what: string, work: Promise<T>): Promise<T> {
    let isSettled = false;
    const mark = () => {
      isSettled = true;
    };
    work.then(mark, mark);
    await this.until(what, () => isSettled);
    return work;
  }

  /** An instance that was rented elsewhere and that runs; its id. */
  async rentRunning(body: Readonly<Record<string, unknown>> = {}): Promise<number> {
    const id = await rentCheapest(this.simulator, body);
    await this.until(
      'the instance to run',
      () => this.simulator.world.instance(id)?.actualStatus === 'running',
    );
    return id;
  }

  /** Files of the product and of the home folder that hold one of the secrets. */
  filesWith(secrets: readonly string[]): string[] {
    return ['storage', 'home'].flatMap((folder) => filesWithSecrets(path.join(this.root, folder), secrets));
  }

  describe(): string {
    const recent = this.simulator.requests().slice(-5);
    return [
      `under way: ${whatIsUnderWay()}`,
      `last requests: ${recent.map(({ method, path: asked }) => `${method} ${asked}`).join(', ')}`,
      ...this.windows.map((window, index) => `window ${index + 1}:\n${window.describe()}`),
    ].join('\n');
  }

  async close(): Promise<void> {
    for (const window of this.windows) {
      window.close();
    }
    await this.rest();
    await this.simulator.close();
    await removeFolder(this.root);
  }
}
