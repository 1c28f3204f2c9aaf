import type { Forward } from '../../ssh/forward';
import { HostKeyError } from '../../ssh/hostKey';
import type { SshService } from '../../ssh/service';
import { wait, type Clock } from '../../util/clock';
import type { Disposable } from '../../util/disposable';
import { isCancelled } from '../../util/errors';
import type { Log } from '../../util/log';
import { Gate } from './gate';

export interface TunnelDeps {
  readonly ssh: Pick<SshService, 'forward'>;
  readonly clock: Clock;
  readonly log: Log;
  /** Called once if the tunnel is given up because ssh refused the host key; no retry changes that. */
  readonly onRefused?: (error: HostKeyError) => void;
  /** What bytes to the machine wait for; never rejects. */
  readonly before?: () => Promise<unknown>;
}

/**
 * Waits before each attempt to reopen a lost tunnel. Jupyter's client retries for 60 s on average and 120 s at most;
 * after that a notebook asks for its server again.
 */
const reopenMs = [500, 1_000, 2_000, 4_000, 8_000, 15_000, 15_000, 30_000, 30_000, 30_000];

/** A port of the machine behind one local port, which stays ours during an interruption: Jupyter reconnects to it only. */
export class Tunnel implements Disposable {
  private forward: Forward | undefined;
  private readonly stop = new AbortController();

  private constructor(
    private readonly deps: TunnelDeps,
    readonly alias: string,
    readonly remotePort: number,
    private readonly gate: Gate,
  ) {}

  /** Opens the tunnel at the wanted local port, or at another one if that is taken. */
  static async open(
    deps: TunnelDeps,
    alias: string,
    ports: { readonly remotePort: number; readonly localPort: number },
    signal?: AbortSignal,
  ): Promise<Tunnel> {
    const { remotePort } = ports;
    const gate = await Gate.open(ports.localPort, deps.before ?? (() => Promise.resolve()));
    try {
      const tunnel = new Tunnel(deps, alias, remotePort, gate);
      tunnel.keep(await deps.ssh.forward(alias, { remotePort, noticesLossSoon: true }, signal));
      return tunnel;
    } catch (error) {
      gate.dispose();
      throw error;
    }
  }

  get localPort(): number {
    return this.gate.localPort;
  }

  /** False during an interruption. */
  get isOpen(): boolean {
    return this.forward !== undefined;
  }

  /** True once the tunnel was closed or given up. */
  get isOver(): boolean {
    return this.stop.signal.aborted;
  }

  dispose(): void {
    void this.close();
  }

  /** Resolves once its port is free. */
  async close(): Promise<void> {
    this.stop.abort();
    this.forward?.close();
    this.forward = undefined;
    await this.gate.close();
  }

  private keep(forward: Forward): void {
    if (this.isOver) {
      forward.close();
      return;
    }
    this.forward = forward;
    this.gate.lead(forward.localPort);
    void forward.ended.then(() => {
      if (this.forward === forward) {
        this.forward = undefined;
        this.gate.lead(undefined);
        void this.reopen();
      }
    });
  }

  private async reopen(): Promise<void> {
    const { clock, log, ssh, onRefused } = this.deps;
    const { remotePort } = this;
    for (const pause of reopenMs) {
      try {
        await wait(clock, pause, this.stop.signal);
        const wanted = { remotePort, noticesLossSoon: true };
        this.keep(await ssh.forward(this.alias, wanted, this.stop.signal));
        return;
      } catch (error) {
        if (isCancelled(error)) {
          return;
        }
        if (error instanceof HostKeyError) {
          this.dispose();
          onRefused?.(error);
          return;
        }
        log.debug(`The tunnel to ${this.alias} is not open again yet: ${String(error)}`);
      }
    }
    this.dispose();
  }
}
