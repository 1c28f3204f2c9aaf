import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { BrowserContext, Page } from 'playwright-core';
import { launchProfile, newProfile } from './browser';
import { EditorHost, installExtension, settingsFile, writeSettings, type HostPatch } from './editorHost';
import { packageFolder } from './packageFolder';
import { removeFolder } from './removeFolder';
import { filesWithSecrets } from './secretScan';
import { slowService, type SlowService } from './slowMotion';
import { obeying, startTestSimulator, type TestSimulator, type TestSimulatorOptions } from './startSimulator';
import { themeSettings } from './theme';
import { saveTrace, traceFailure } from './trace';
import { until } from './until';
import { Workbench } from './workbench';

const alwaysPatched: readonly HostPatch[] = ['rowTexts', 'treeFocus'];
const usualPatches: readonly HostPatch[] = ['sharedSecrets', 'authority'];

/** For suites that look at a pop-up some time after it came. */
export const lastingToasts: readonly HostPatch[] = [...usualPatches, 'lastingToasts'];

/** The editors of nearly all suites. */
export const commonEditors = [usualPatches, lastingToasts].map((patches) => [...alwaysPatched, ...patches]);

export interface UiSessionOptions {
  readonly simulator?: TestSimulatorOptions;
  readonly settings?: Readonly<Record<string, unknown>>;
  readonly patches?: readonly HostPatch[];
  readonly env?: Readonly<Record<string, string>>;
  /** Folders under `test/` with small extensions to install as well. */
  readonly extensions?: readonly string[];
  /** Windows open folders that are not trusted; otherwise every folder is. */
  readonly workspaceTrust?: boolean;
  /** The driver opens doors for measuring, and is off in tests. */
  readonly driver?: boolean;
}

/**
 * The packaged extension, installed in a real editor with a profile, a home folder and a marketplace of its own.
 * Steps act by mouse and keyboard; what they caused is asserted at the simulator.
 */
export class UiSession {
  private readonly windows: Workbench[] = [];

  private constructor(
    /** Names the folder of the screenshots. */
    readonly name: string,
    readonly root: string,
    readonly simulator: TestSimulator,
    readonly host: EditorHost,
    readonly profile: BrowserContext,
    private readonly settings: Readonly<Record<string, unknown>>,
    private readonly slow: SlowService | undefined,
  ) {}

  /** What has begun ends where the rest cannot begin: it would keep the run from coming to an end. */
  static async start(name: string, options: UiSessionOptions = {}): Promise<UiSession> {
    const begun: (() => Promise<unknown>)[] = [];
    try {
      return await UiSession.begin(name, options, (end) => begun.unshift(end));
    } catch (error) {
      for (const end of begun) {
        await end().catch(() => undefined);
      }
      throw error;
    }
  }

  private static async begin(
    name: string,
    options: UiSessionOptions,
    ends: (end: () => Promise<unknown>) => void,
  ): Promise<UiSession> {
    const root = realpathSync(mkdtempSync(path.join(os.tmpdir(), 'gr-ui-')));
    ends(() => removeFolder(root));
    const dataDir = path.join(root, 'editor');
    for (const folder of ['editor', 'workspace', 'home/.ssh']) {
      mkdirSync(path.join(root, folder), { recursive: true, mode: 0o700 });
    }
    await installExtension(dataDir);
    for (const folder of options.extensions ?? []) {
      await installExtension(dataDir, await packageFolder(folder, root));
    }
    const service = obeying(
      await startTestSimulator({
        sshServer: true,
        instancesDir: path.join(root, 'instances'),
        ...options.simulator,
      }),
    );
    ends(() => service.close());
    const slow = await slowService(service.url);
    ends(() => slow?.close() ?? Promise.resolve());
    const simulator = { ...service, ...(slow && { url: slow.url }) };
    const trust = options.workspaceTrust ?? false;
    const settings = {
      'gpuRental.service.url': simulator.url,
      ...(trust ? { 'security.workspace.trust.enabled': true } : {}),
      'remote.SSH.configFile': path.join(root, 'home', '.ssh', 'config'),
      'gpuRental.ready.checkLogin': options.simulator?.sshServer ?? true,
      ...themeSettings(),
      ...options.settings,
    };
    writeSettings(dataDir, settings);
    const host = await EditorHost.start({
      dataDir,
      settings,
      driver: options.driver ?? false,
      serverArguments: { 'disable-workspace-trust': !trust },
      patches: [...alwaysPatched, ...(options.patches ?? usualPatches)],
      env: { HOME: path.join(root, 'home'), SSH_AUTH_SOCK: '', VAST_API_KEY: '', ...options.env },
    });
    ends(() => host.stop());
    const profile = await launchProfile(host, path.join(root, 'profile'));
    ends(() => profile.close());
    return new UiSession(name, root, simulator, host, profile, settings, slow);
  }

  /** SSH config that the product writes to. */
  get sshConfig(): string {
    return path.join(this.root, 'home', '.ssh', 'config');
  }

  /** A profile of another user in the same browser. */
  otherProfile(): Promise<BrowserContext> {
    const browser = this.profile.browser();
    if (browser === null) {
      throw new Error('The browser has closed.');
    }
    return newProfile(browser);
  }

  /** A further window of the same user; its screenshots go to a folder named after it. */
  async window(
    name = '',
    opens: Parameters<EditorHost['windowUrl']>[0] = { folder: path.join(this.root, 'workspace') },
  ): Promise<Workbench> {
    const workbench = await Workbench.open(this.profile, this.host, path.join(this.name, name), opens);
    this.windows.push(workbench);
    return workbench;
  }

  /** Changes user settings while windows are open. */
  changeSettings(settings: Readonly<Record<string, unknown>>): void {
    writeSettings(this.host.dataDir, { ...this.settings, ...settings });
  }

  /** Runs something that opens a window, and gives back its page once it has its address. */
  async opensWindow(action: () => Promise<void>): Promise<Page> {
    const opened = this.profile.waitForEvent('page', { timeout: 30_000 });
    await action();
    const page = await opened;
    await page.waitForURL(/\?/, { waitUntil: 'commit' });
    return page;
  }

  /** Files of the editor's data folder that hold one of the secrets. Browser storage is the secret store here. */
  filesWithSecrets(secrets: readonly string[]): string[] {
    return filesWithSecrets(this.host.dataDir, secrets);
  }

  /** What the editor keeps on the disk of documents that are not saved. */
  backups(): string {
    const folder = path.join(this.host.dataDir, 'data', 'User', 'Backups');
    if (!existsSync(folder)) {
      return '';
    }
    return readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => readFileSync(path.join(entry.parentPath, entry.name), 'utf8'))
      .join('\n');
  }

  /** What the extension wrote to its log, in all windows. */
  log(): string {
    return this.logsOf(/GPU Rental[^/]*\.log$/);
  }

  private logsOf(names: RegExp): string {
    const logs = path.join(this.host.dataDir, 'data', 'logs');
    return readdirSync(logs, { recursive: true, encoding: 'utf8' })
      .filter((file) => names.test(file))
      .map((file) => readFileSync(path.join(logs, file), 'utf8'))
      .join('\n');
  }

  /** Takes a picture of each window, for a test that failed. */
  async shotFailure(title: string): Promise<void> {
    const open = this.windows.filter(({ page }) => !page.isClosed());
    for (const [index, workbench] of open.entries()) {
      await workbench.shot(`failed ${title}-${index + 1}`);
    }
    await traceFailure(open.map(({ page }) => page));
  }

  async close(): Promise<void> {
    await saveTrace(this.profile, {
      'log.txt': () => this.log(),
      'server.txt': () => this.logsOf(/(remoteagent|remoteexthost)[^/]*\.log$/),
      'settings.json': () => readFileSync(settingsFile(this.host.dataDir), 'utf8'),
      'requests.json': () => JSON.stringify(this.simulator.requests(), null, 2),
    });
    await this.profile.close();
    await this.host.stop();
    await endDemo(this.host.dataDir);
    await this.slow?.close();
    await this.simulator.close();
    await removeFolder(this.root);
  }
}

/** Ends the demo of an editor, which outlives its windows by some minutes and goes on writing into this folder. */
export async function endDemo(dataDir: string): Promise<void> {
  const storage = path.join(dataDir, 'data', 'User', 'globalStorage', 'gpu-rental.gpu-rental');
  const file = path.join(storage, 'demo', 'address.json');
  if (!existsSync(file)) {
    return;
  }
  const { pid } = JSON.parse(readFileSync(file, 'utf8')) as { pid: number }; // written by the product
  const signalProcess = (signal: 'SIGTERM' | 0) => {
    try {
      return process.kill(pid, signal);
    } catch {
      // It has ended.
      return false;
    }
  };
  signalProcess('SIGTERM');
  await until('the end of the demo', () => !signalProcess(0));
}

/** One session for all tests of a `describe`; a failed test leaves a picture of every window, and the end of the log. */
export function useUiSession(name: string, options: UiSessionOptions = {}): () => UiSession {
  let session: UiSession | undefined;
  before(async function () {
    this.timeout(120_000);
    session = await UiSession.start(name, options);
  });
  afterEach(async function () {
    if (this.currentTest?.state === 'failed') {
      console.log(session?.log().split('\n').slice(-15).join('\n') ?? '');
      await session?.shotFailure(this.currentTest.title.replaceAll(/\W+/g, ' '));
    }
  });
  after(async function () {
    this.timeout(60_000);
    await session?.close();
  });
  return () => {
    if (session === undefined) {
      throw new Error('The session starts before the first test.');
    }
    return session;
  };
}
