import { spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { mkdir, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Disposable } from '../util/disposable';
import { UserError } from '../util/errors';
import { LockBusyError, type FileLock } from '../util/fileLock';
import { parseJson } from '../util/json';
import type { Log } from '../util/log';
import { replaceFile } from '../util/replaceFile';
import { text } from '../util/text';
import { greet } from './demoGreeting';

/** Where the demo marketplace of this user answers; shared by all windows through one small file. */
interface DemoAddress {
  readonly pid: number;
  readonly port: number;
}

export class DemoUnavailableError extends UserError {
  constructor(detail: string) {
    super(text('The demo marketplace could not start: {0}. Run "Try the Demo Marketplace" again.', detail), {
      nextStep: 'showLog',
    });
  }
}

/** The demo does not accept its saved state. */
class StateRefusedError extends DemoUnavailableError {}

/** Its exit code. */
const stateRefusedCode = 3;

export interface DemoOptions {
  /** Folder for the state, the address and the log of the demo; one for all windows. */
  readonly dir: string;
  /** Held by the window that starts it. */
  readonly lock: FileLock;
  /** Folder of the homes of its machines, in which shells start: short, because prompts and windows show it. */
  readonly homesDir: string;
  /** Path of the bundled simulator. */
  readonly script: string;
  /** The runtime that runs it: the editor's own. */
  readonly runtime: string;
  readonly log: Log;
}

/** Names what belongs to a key without telling it. */
function digestOf(key: string): string {
  return createHash('sha256').update(key).digest('hex').slice(0, 8);
}

const startTimeoutMs = 20_000;
const heartbeatMs = 30_000;
/** A boot of one to three minutes becomes one that a first visitor waits for. */
const bootSpeed = 4;
/** The process ends by itself this long after the last window's last heartbeat. */
const idleExitSeconds = 180;

/**
 * The demo marketplace: one simulator process for all windows of this user. It outlives the window that
 * started it and ends a few minutes after the last one.
 */
export class DemoProcess implements Disposable {
  private starting: Promise<string> | undefined;
  private heartbeat: NodeJS.Timeout | undefined;

  constructor(private readonly options: DemoOptions) {}

  /** A key for a fresh demo account; it lives in the secret store like any other. */
  static makeKey(): string {
    return randomBytes(24).toString('hex');
  }

  /**
   * Makes sure that the demo answers and returns its address. `key` is given to a process that must be
   * started; a running one that refuses it is replaced.
   */
  ensure(key: string): Promise<string> {
    this.starting ??= this.findOrStart(key).finally(() => {
      this.starting = undefined;
    });
    return this.starting;
  }

  dispose(): void {
    clearInterval(this.heartbeat);
  }

  private async findOrStart(key: string): Promise<string> {
    const known = await this.readAddress();
    if (known) {
      const greeted = await greet(known.port, key);
      if (greeted === 'demo') {
        this.beat(known.port, key);
        return url(known.port);
      }
      if (greeted === 'stranger') {
        // A market whose key is lost, which ends by itself when it is unused, or another
        // program. We must not stop either.
        return this.startLocked(key, undefined);
      }
    }
    return this.startLocked(key, known?.port);
  }

  /** Two windows may want it at once: the one that has the lock starts it, and the other finds it then. */
  private async startLocked(key: string, port: number | undefined): Promise<string> {
    const { dir, lock } = this.options;
    try {
      await mkdir(dir, { recursive: true, mode: 0o700 });
      const started = await lock(async () => {
        const known = await this.readAddress();
        const isThere = known !== undefined && (await greet(known.port, key)) === 'demo';
        return isThere ? known : this.startSomehow(key, port);
      });
      this.beat(started.port, key);
      return url(started.port);
    } catch (error) {
      if (error instanceof DemoUnavailableError) {
        throw error;
      }
      const why = error instanceof LockBusyError ? 'another window is still starting it' : undefined;
      throw new DemoUnavailableError(why ?? (error instanceof Error ? error.message : String(error)));
    }
  }

  /** The state is sealed with the key, so that what an earlier key sealed is of no use any more. */
  private async stateFileFor(key: string): Promise<string> {
    const name = `state-${digestOf(key)}.json`;
    for (const other of await readdir(this.options.dir)) {
      const digest = /^state-([0-9a-f]{8})\.json/.exec(other)?.[1];
      if (digest !== undefined && !other.startsWith(name)) {
        await rm(join(this.options.dir, other), { recursive: true, force: true });
        await rm(join(this.options.homesDir, digest), { recursive: true, force: true });
      }
    }
    return join(this.options.dir, name);
  }

  private async startSomehow(key: string, port: number | undefined): Promise<DemoAddress> {
    try {
      return await this.start(key, port);
    } catch (error) {
      if (error instanceof StateRefusedError) {
        // Another version wrote it, or it is torn: a new market is better than none.
        await rm(await this.stateFileFor(key), { force: true });
        return this.start(key, port);
      }
      if (port === undefined) {
        throw error;
      }
      // Another program may use the earlier port by now.
      return this.startSomehow(key, undefined);
    }
  }

  private async start(key: string, preferredPort: number | undefined): Promise<DemoAddress> {
    const { script, runtime, log } = this.options;
    const stateFile = await this.stateFileFor(key);
    const args = [
      script,
      '--speed',
      String(bootSpeed),
      '--port',
      String(preferredPort ?? 0),
      '--state',
      stateFile,
      '--instances',
      join(this.options.homesDir, digestOf(key)),
      '--idle-exit',
      String(idleExitSeconds),
    ];
    return new Promise((resolve, reject) => {
      const child = spawn(runtime, args, {
        detached: true,
        stdio: ['ignore', 'pipe', 'pipe'],
        windowsHide: true,
        // The key is passed in the environment: arguments can be read by other users of the computer.
        env: { ...process.env, ELECTRON_RUN_AS_NODE: '1', SIMULATOR_API_KEY: key },
      });
      let output = '';
      const timer = setTimeout(() => {
        fail('it did not answer in time');
      }, startTimeoutMs);
      const fail = (detail: string, Failure = DemoUnavailableError) => {
        clearTimeout(timer);
        child.kill();
        log.warn(`The demo marketplace did not start: ${output.slice(-2000)}`);
        reject(new Failure(detail));
      };
      const onOutput = (chunk: Buffer) => {
        output += chunk.toString('utf8');
        const port = /listening http:\/\/127\.0\.0\.1:(\d+)/.exec(output)?.[1];
        if (port !== undefined) {
          clearTimeout(timer);
          child.stdout.removeAllListeners('data');
          child.stderr.removeAllListeners('data');
          child.stdout.destroy();
          child.stderr.destroy();
          child.removeAllListeners('exit');
          child.unref();
          const address = { pid: child.pid ?? 0, port: Number(port) };
          this.writeAddress(address).then(() => {
            resolve(address);
          }, reject);
        }
      };
      child.stdout.on('data', onOutput);
      child.stderr.on('data', onOutput);
      child.on('error', (error) => {
        fail(error.message);
      });
      child.on('exit', (code) => {
        fail(
          `it ended with code ${String(code)}`,
          code === stateRefusedCode ? StateRefusedError : DemoUnavailableError,
        );
      });
    });
  }

  /** Keeps the process alive while this window is open. */
  private beat(port: number, key: string): void {
    clearInterval(this.heartbeat);
    this.heartbeat = setInterval(() => void greet(port, key), heartbeatMs);
    this.heartbeat.unref();
  }

  private get addressFile(): string {
    return join(this.options.dir, 'address.json');
  }

  private async readAddress(): Promise<DemoAddress | undefined> {
    try {
      const value: unknown = parseJson(await readFile(this.addressFile, 'utf8'));
      const { pid, port } = value as Partial<Record<keyof DemoAddress, unknown>>;
      return typeof pid === 'number' && typeof port === 'number' ? { pid, port } : undefined;
    } catch {
      // Absent or torn: the demo is started and the file written again.
      return undefined;
    }
  }

  private async writeAddress(address: DemoAddress): Promise<void> {
    await replaceFile(this.addressFile, JSON.stringify(address));
  }
}

function url(port: number): string {
  return `http://127.0.0.1:${port}`;
}
