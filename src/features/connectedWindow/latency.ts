import { stateOf } from '../../model/instances/instanceState';
import type { Services } from '../../services';
import { DisposableStore, MutableDisposable, type Disposable } from '../../util/disposable';

type Deps = Pick<Services, 'fleet' | 'ssh' | 'clock' | 'windowInUse' | 'log'>;

/** Rare enough that no server mistakes connections without a login for an attack (ms). */
const everyMs = 60_000;
/** Older measurements are not shown (ms). */
const keepMs = 3 * everyMs;

/** Measures the latency to this window's machine while the window is in use. */
export class Latency implements Disposable {
  private readonly store = new DisposableStore();
  private readonly timer = this.store.add(new MutableDisposable());
  private readonly stop = new AbortController();
  /** `at` is an elapsed time (ms). */
  private last: { readonly at: number; readonly ms: number | undefined } | undefined;
  private isMeasuring = false;

  constructor(
    private readonly deps: Deps,
    private readonly host: { readonly alias: string; readonly instanceId: number },
    private readonly onDidMeasure: () => void,
  ) {
    this.store.add(deps.windowInUse.onDidChange(() => this.plan()));
  }

  /** Whole milliseconds; `undefined` without a recent measurement. */
  get milliseconds(): number | undefined {
    const { last } = this;
    return last?.ms === undefined || this.deps.clock.elapsed() - last.at > keepMs
      ? undefined
      : Math.max(1, Math.round(last.ms));
  }

  /** Measures now if due, and continues while the window is in use and the machine runs. */
  plan(): void {
    this.timer.value = undefined;
    const { fleet, clock, windowInUse, log } = this.deps;
    const instance = fleet.find(this.host.instanceId);
    const isRunning = instance && stateOf(instance, fleet.facts(instance.id), clock.now()) === 'running';
    if (!isRunning || !windowInUse.isFocused || this.isMeasuring) {
      return;
    }
    const age = this.last === undefined ? everyMs : clock.elapsed() - this.last.at;
    if (age < everyMs) {
      this.timer.value = clock.schedule(() => this.plan(), everyMs - age);
      return;
    }
    this.measure().catch((error: unknown) => {
      log.info(`The latency of ${this.host.alias} could not be measured: ${String(error)}`);
    });
  }

  dispose(): void {
    this.stop.abort();
    this.store.dispose();
  }

  private async measure(): Promise<void> {
    this.isMeasuring = true;
    let ms: number | undefined;
    try {
      ms = await this.deps.ssh.latency(this.host.alias, this.stop.signal);
    } finally {
      this.isMeasuring = false;
      this.last = { at: this.deps.clock.elapsed(), ms };
      if (!this.stop.signal.aborted) {
        this.onDidMeasure();
        this.plan();
      }
    }
  }
}
