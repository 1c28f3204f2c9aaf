import { rmSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Forward, WantedForward } from '../../ssh/forward';
import { HostKeyError } from '../../ssh/hostKey';
import type { SshService } from '../../ssh/service';
import { wait, type Clock } from '../../util/clock';
import type { Disposable } from '../../util/disposable';
import { Emitter } from '../../util/emitter';
import { isCancelled } from '../../util/errors';
import type { Log } from '../../util/log';
import type { EngineAddress } from '../model/engineAddress';
import { engineKeyProgram, readEngineKey } from './engineKey';

export interface EngineTunnelDeps {
  readonly ssh: Pick<SshService, 'exec' | 'forward'>;
  readonly clock: Clock;
  readonly log: Pick<Log, 'debug' | 'warn'>;
  readonly platform: NodeJS.Platform;
}

/** Waits before the next attempt (ms); the last one repeats. */
const reopenMs = [1_000, 2_000, 4_000, 8_000, 15_000, 30_000];
const readKeyMs = 30_000;
/** The longest path of a socket on macOS has 103 bytes. */
const longestSocketPath = 100;

/**
 * The way from this computer to the engine of a model, by SSH. It opens again as long as it is wanted, and reads the
 * engine's key each time. ssh listens at a socket for this user alone: the engine's key guards only a part of its
 * addresses, and any program of this computer could use the rest by a port.
 */
export class EngineTunnel implements Disposable {
  private readonly stop = new AbortController();
  private readonly changed = new Emitter<void>();
  private forward: Forward | undefined;
  private known: EngineAddress | undefined;
  private folder: string | undefined;
  readonly onDidChange = this.changed.event;

  constructor(
    private readonly deps: EngineTunnelDeps,
    private readonly target: { readonly alias: string; readonly jobId: string },
  ) {
    void this.keep();
  }

  /** Absent during an interruption. */
  get address(): EngineAddress | undefined {
    return this.known;
  }

  /** Reads the key and opens the tunnel again, for an engine that was started anew. */
  renew(): void {
    this.forward?.close();
  }

  dispose(): void {
    this.stop.abort();
    this.forward?.close();
    // The window may close now.
    this.removeFolder();
    this.set(undefined);
  }

  private removeFolder(): void {
    if (this.folder !== undefined) {
      rmSync(this.folder, { recursive: true, force: true });
      this.folder = undefined;
    }
  }

  /** Never rejects. */
  private async keep(): Promise<void> {
    const { clock, log } = this.deps;
    const { signal } = this.stop;
    for (let failures = 0; !signal.aborted; failures += 1) {
      try {
        if (await this.open(signal)) {
          failures = 0;
        }
        await wait(clock, reopenMs[Math.min(failures, reopenMs.length - 1)] ?? 0, signal);
      } catch (error) {
        if (isCancelled(error)) {
          return;
        }
        if (error instanceof HostKeyError) {
          log.warn(`The tunnel to the model on ${this.target.alias} was given up: ${error.message}`);
          return;
        }
        log.debug(`The tunnel to the model on ${this.target.alias} is not open: ${String(error)}`);
        await wait(clock, reopenMs[Math.min(failures, reopenMs.length - 1)] ?? 0, signal).catch(
          () => undefined,
        );
      }
    }
  }

  /** Resolves once an open tunnel has ended; false if there was none. */
  private async open(signal: AbortSignal): Promise<boolean> {
    const { ssh } = this.deps;
    const { alias, jobId } = this.target;
    const answer = await ssh.exec(alias, engineKeyProgram(jobId), {
      signal,
      timeoutMs: readKeyMs,
      isLook: true,
    });
    const engine = readEngineKey(answer.stdout);
    if (!engine) {
      return false;
    }
    const folder = await this.socketFolder();
    this.folder = folder;
    try {
      signal.throwIfAborted();
      const wanted: WantedForward = {
        remotePort: engine.port,
        noticesLossSoon: true,
        ...(folder === undefined ? {} : { localSocket: join(folder, 's') }),
      };
      this.forward = await ssh.forward(alias, wanted, signal);
      const { localSocket, localPort, ended } = this.forward;
      this.set({
        place:
          localSocket === undefined ? { host: '127.0.0.1', port: localPort } : { socketPath: localSocket },
        key: engine.key,
      });
      await ended;
      return true;
    } finally {
      this.forward = undefined;
      this.removeFolder();
      this.set(undefined);
    }
  }

  /** Closed to other users. */
  private async socketFolder(): Promise<string | undefined> {
    if (
      this.deps.platform === 'win32' ||
      join(tmpdir(), 'gpu-rental-XXXXXX', 's').length > longestSocketPath
    ) {
      return undefined;
    }
    return mkdtemp(join(tmpdir(), 'gpu-rental-'));
  }

  private set(address: EngineAddress | undefined): void {
    if (this.known !== address) {
      this.known = address;
      this.changed.fire();
    }
  }
}
