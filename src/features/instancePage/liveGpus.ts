import { runCommand } from '../../editor/commands';
import { withGpuReading, type GpuReading } from '../../model/instances/gpuReading';
import type { Services } from '../../services';
import { followGpus } from '../../ssh/gpuUse';
import type { Disposable } from '../../util/disposable';

/** What each GPU of a machine does, over one login that lasts while its page is visible and the user wants it. */
export class LiveGpus implements Disposable {
  private login: AbortController | undefined;
  private isWanted = false;
  private all: readonly GpuReading[] = [];

  constructor(
    private readonly deps: Pick<Services, 'ssh' | 'clock' | 'report'>,
    private readonly of: { readonly instanceId: number; readonly accountKey: string },
    private readonly onChange: () => void,
    /** Whether the page is visible: a message of it may outlive that, and the page. */
    private readonly isShown: () => boolean,
  ) {}

  /** The readings of the last hour. */
  get readings(): readonly GpuReading[] {
    return this.all;
  }

  get isReading(): boolean {
    return this.login !== undefined;
  }

  /** Begins to read, after what has to be asked before a login. */
  start(): Promise<void> {
    this.isWanted = true;
    return !this.isShown()
      ? Promise.resolve()
      : this.follow(() => runCommand('gpuRental.prepareSsh', { ...this.of, isEntryOnly: false }));
  }

  stop(): void {
    this.isWanted = false;
    this.pause();
  }

  /** Ends the login until the page is visible again. */
  pause(): void {
    const { login } = this;
    if (login) {
      this.login = undefined;
      login.abort();
      this.onChange();
    }
  }

  /** Reads again what was paused. The user has asked for that before, so nothing is asked now. */
  resume(): void {
    if (this.isWanted) {
      void this.follow(async () => {
        const reached = await runCommand('gpuRental.prepareSshOfSeveral', this.of);
        return reached && 'alias' in reached ? reached.alias : undefined;
      });
    }
  }

  dispose(): void {
    this.isWanted = false;
    this.login?.abort();
    this.login = undefined;
  }

  private async follow(reach: () => PromiseLike<string | undefined>): Promise<void> {
    if (this.login) {
      return;
    }
    const { ssh, clock, report } = this.deps;
    const login = new AbortController();
    this.login = login;
    this.onChange();
    try {
      const alias = await reach();
      if (alias !== undefined && !login.signal.aborted) {
        await followGpus(ssh, alias, {
          clock,
          signal: login.signal,
          onReading: (reading) => {
            this.all = withGpuReading(this.all, reading);
            this.onChange();
          },
        });
      }
    } catch (error) {
      if (!login.signal.aborted) {
        report.error(error, { retry: () => this.start() });
      }
    } finally {
      if (this.login === login) {
        this.isWanted = false;
        this.login = undefined;
        this.onChange();
      }
    }
  }
}
