import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { installedHost, repository } from './installed';
import { until } from './until';

export const packagedExtension = path.join(repository, 'dist', 'gpu-rental.vsix');

/** Settings that keep everything but the extension quiet, and the terminal's text readable in the page. */
const quietSettings: Readonly<Record<string, unknown>> = {
  'workbench.startupEditor': 'none',
  'telemetry.telemetryLevel': 'off',
  'chat.disableAIFeatures': true,
  'workbench.secondarySideBar.defaultVisibility': 'hidden',
  'extensions.autoCheckUpdates': false,
  'extensions.autoUpdate': false,
  'extensions.ignoreRecommendations': true,
  'update.mode': 'none',
  'workbench.enableExperiments': false,
  'workbench.tips.enabled': false,
  'git.enabled': false,
  'terminal.integrated.gpuAcceleration': 'off',
  'terminal.integrated.enablePersistentSessions': false,
  // A command above the answers that it gave is drawn as a terminal of its own.
  'terminal.integrated.stickyScroll.enabled': false,
  'workbench.reduceMotion': 'on',
  'files.autoSave': 'off',
  'workbench.editor.useModal': 'off',
  'window.confirmBeforeClose': 'never',
  'security.workspace.trust.enabled': false,
  'workbench.hover.delay': 200,
  // It forwards, and tells of, the ports of every program of this computer, other tests included.
  'remote.autoForwardPorts': false,
};

export type HostPatch =
  | 'toasts'
  | 'lastingToasts'
  | 'rowTexts'
  | 'treeFocus'
  | 'sharedSecrets'
  | 'secretStore'
  | 'authority'
  | 'sshWindow';

export interface EditorHostOptions {
  /** Everything the editor keeps: extensions, settings, logs. */
  readonly dataDir: string;
  readonly settings?: Readonly<Record<string, unknown>>;
  /** Variables that the extension host sees beside those of this process. */
  readonly env?: Readonly<Record<string, string>>;
  /** Needed for suites that run inside the extension host. */
  readonly driver?: boolean;
  readonly patches?: readonly HostPatch[];
  readonly configuration?: Readonly<Record<string, unknown>>;
  readonly serverArguments?: Readonly<Record<string, unknown>>;
}

/** Where windows are opened: browsers keep compiled scripts by their address, and the port is another one in each run. */
const windowAddress = 'http://editor.localhost/';

/** A running server of the browser-hosted editor, in a process of its own that ends with this one. */
export class EditorHost {
  private constructor(
    private readonly url: string,
    readonly dataDir: string,
    private readonly child: ChildProcess,
  ) {}

  /** Settles once the server answers; rejects with what it wrote when it ends instead. */
  static async start(options: EditorHostOptions): Promise<EditorHost> {
    writeSettings(options.dataDir, options.settings ?? {});
    const { node, codeServer } = installedHost();
    const { env = {}, ...forServer } = options;
    const argument = JSON.stringify({
      ...forServer,
      codeServer,
      extensionsDir: extensionsDirOf(options.dataDir),
    });
    const script = (name: string) => path.join(repository, 'scripts', name);
    const before = ['--import', script('hostExtensionHost.mjs')];
    // Its sockets are removed with its data.
    const temp = path.join(options.dataDir, 'tmp');
    mkdirSync(temp, { recursive: true });
    const child = spawn(node, [...before, script('hostServer.mjs'), argument], {
      env: { ...process.env, TMPDIR: temp, EXTENSIONS_GALLERY: '{"serviceUrl":""}', ...env },
      stdio: ['pipe', 'pipe', 'pipe'],
      // A group of its own, so that its extension hosts can be ended with it.
      detached: true,
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (chunk: string) => {
        output += chunk;
        appendFileSync(path.join(options.dataDir, 'server.log'), chunk);
      });
    }
    const url = await until('the editor to listen', () => {
      if (child.exitCode !== null) {
        throw new Error(`The editor's server ended:\n${output}`);
      }
      return /^listening (\S+)$/m.exec(output)?.[1];
    });
    return new EditorHost(url, options.dataDir, child);
  }

  /** Leads a browser from the address of the windows to this server. */
  get resolverRule(): string {
    return `MAP ${new URL(windowAddress).host}:80 ${new URL(this.url).host}`;
  }

  /** Settles when the server has ended by itself, which no test expects. */
  async ended(): Promise<number> {
    if (this.child.exitCode === null) {
      await once(this.child, 'exit');
    }
    return this.child.exitCode ?? 1;
  }

  /** Ends the server and its extension hosts, which would go on writing into their folder for some seconds. */
  async stop(): Promise<void> {
    if (this.child.exitCode === null && this.child.signalCode === null) {
      const exited = once(this.child, 'exit');
      this.child.kill('SIGTERM');
      const killer = setTimeout(() => this.child.kill('SIGKILL'), 5000);
      await exited;
      clearTimeout(killer);
    }
    try {
      if (this.child.pid !== undefined) {
        process.kill(-this.child.pid, 'SIGKILL');
      }
    } catch {
      // All of them have ended.
    }
  }

  /**
   * Address of a window: on a folder, on a file that names several, or empty. `development` and `tests` name folders that the extension host
   * loads, and need a host with the driver.
   */
  windowUrl(
    options: {
      folder?: string;
      workspace?: string;
      development?: string;
      tests?: string;
      payload?: readonly (readonly [string, string])[];
    } = {},
  ): string {
    const url = new URL(windowAddress);
    if (options.workspace !== undefined) {
      url.searchParams.set('workspace', options.workspace);
    } else if (options.folder !== undefined) {
      url.searchParams.set('folder', options.folder);
    } else {
      url.searchParams.set('ew', 'true');
    }
    const remote = (file: string): string => `vscode-remote://remote${file}`;
    const payload = [['skipWelcome', 'true'], ...(options.payload ?? [])];
    if (options.development !== undefined) {
      payload.push(['extensionDevelopmentPath', remote(options.development)]);
    }
    if (options.tests !== undefined) {
      payload.push(['extensionTestsPath', remote(options.tests)]);
    }
    url.searchParams.set('payload', JSON.stringify(payload));
    return url.toString();
  }
}

/**
 * Installs a packaged extension for hosts with this data folder; a running one loads it in its next window. Ours is
 * installed once for each package, and copied from there.
 */
export async function installExtension(dataDir: string, vsix = packagedExtension): Promise<void> {
  if (vsix !== packagedExtension || existsSync(extensionsDirOf(dataDir))) {
    return install(dataDir, vsix);
  }
  const hash = createHash('sha256').update(readFileSync(vsix)).digest('hex').slice(0, 16);
  const installed = path.join(repository, 'out', 'installed', hash);
  if (!existsSync(installed)) {
    await installOnce(installed);
  }
  cpSync(extensionsDirOf(installed), extensionsDirOf(dataDir), { recursive: true });
}

/** Whole or not at all; of two suites that begin at once, the later one finds it there. */
async function installOnce(folder: string): Promise<void> {
  mkdirSync(path.dirname(folder), { recursive: true });
  const partial = mkdtempSync(`${folder}.partial-`);
  await install(partial, packagedExtension);
  for (const name of readdirSync(path.dirname(folder))) {
    const other = path.join(path.dirname(folder), name);
    if (!other.startsWith(folder)) {
      rmSync(other, { recursive: true, force: true });
    }
  }
  if (existsSync(folder)) {
    rmSync(partial, { recursive: true });
  } else {
    renameSync(partial, folder);
  }
}

async function install(dataDir: string, vsix: string): Promise<void> {
  const { node, codeServer } = installedHost();
  const server = path.join(codeServer, 'lib', 'vscode', 'out', 'server-main.js');
  const folders = ['--server-data-dir', dataDir, '--extensions-dir', extensionsDirOf(dataDir)];
  await promisify(execFile)(node, [server, '--install-extension', vsix, '--force', ...folders]);
}

/** Replaces the user settings. A running window reads them when its server has seen the file change, or at a reload. */
export function writeSettings(dataDir: string, settings: Readonly<Record<string, unknown>>): void {
  const file = settingsFile(dataDir);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, JSON.stringify({ ...quietSettings, ...settings }, null, 2));
}

export function settingsFile(dataDir: string): string {
  return path.join(dataDir, 'data', 'User', 'settings.json');
}

function extensionsDirOf(dataDir: string): string {
  return path.join(dataDir, 'extensions');
}
