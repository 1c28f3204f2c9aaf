import { Computer } from '../support/feature/computer';
import { haveKey } from '../support/feature/rentDriver';
import type { FeatureWindow } from '../support/feature/window';
import { Dice } from './dice';
import { anyFault, anyLie } from './faults';
import { Judge, stackOf } from './judge';
import { User, type Action } from './user';

const minute = 60_000;
const mostWindows = 3;

export interface RunResult {
  readonly seed: number;
  readonly violations: readonly string[];
  readonly rentals: number;
}

/** One computer with its windows, its user and a service in trouble, for two or three rounds with a check after each. */
class Scene {
  private readonly judge: Judge;
  private readonly user: User;
  private mayLie: boolean;
  readonly steps: string[] = [];

  constructor(
    private readonly computer: Computer,
    private readonly dice: Dice,
    replacesUnasked: boolean,
  ) {
    this.judge = new Judge(computer, replacesUnasked);
    this.user = new User(computer, dice, this.judge);
    this.mayLie = dice.chance(0.4);
  }

  get result(): Omit<RunResult, 'seed'> {
    return { violations: this.judge.violations, rentals: this.judge.rentals };
  }

  say(what: string): void {
    this.judge.say(what);
  }

  async play(): Promise<void> {
    const first = await this.open();
    await first.signIn();
    for (let round = this.dice.between(2, 3); round > 0; round -= 1) {
      if (this.dice.chance(0.7)) {
        await this.useWindow('rent');
      }
      for (let step = this.dice.between(4, 8); step > 0; step -= 1) {
        await this.step();
      }
      await this.check();
    }
    await this.leaveAlone();
  }

  /** The service works, and the user does nothing more: idle machines end as agreed with their rentals, and no other. */
  private async leaveAlone(): Promise<void> {
    const window = await this.anyWindow();
    const rows = await window.view('instances').texts();
    const left = this.computer.simulator.world.instances.filter(
      ({ id, actualStatus }) =>
        actualStatus === 'running' &&
        !this.judge.ownEnds.has(id) &&
        rows.some((row) => row.includes(`#${id}`) && row.includes('stops when idle')),
    );
    const working = left.filter(() => this.dice.chance(0.3));
    for (const instance of left) {
      instance.gpuUse = working.includes(instance) ? 80 : 0;
    }
    await this.computer.pass(70 * minute);
    for (const instance of left) {
      this.judge.leftAlone(instance.id, working.includes(instance));
    }
    this.note(`left ${left.length} alone, ${this.judge.violations.length} violations`);
  }

  private async step(): Promise<void> {
    const [name, step] = this.dice.weighted<readonly [string, () => Promise<void> | void]>([
      [7, ['user', () => this.useWindow()]],
      [3, ['fault', () => this.fault()]],
      [1, ['lie', () => this.lie()]],
      [2, ['machine', () => this.breakMachine()]],
      [4, ['pass', () => this.computer.pass(this.dice.pick([50, 900, 8000, 45_000, 4 * minute]) ?? 0)]],
      [1, ['jump', () => this.computer.clock.jump(minute * (this.dice.pick([-60, -2, 3, 60, 600]) ?? 0))]],
      [2, ['kill', () => this.strike('kill', (window) => window.kill())]],
      [1, ['close', () => this.strike('close', (window) => window.close())]],
      [2, ['hang', () => this.strike('hang', (window) => window.fate.hang())]],
      [1, ['go on', () => this.goOn()]],
      [2, ['open', () => this.openAnother()]],
    ]);
    await step();
    this.note(name);
    await this.computer.rest();
  }

  /** Often a fault waits for what the user does. */
  private async useWindow(action?: Action): Promise<void> {
    const window = await this.anyWindow();
    if (this.dice.chance(0.4)) {
      this.fault();
    }
    this.note(`${await this.user.act(window, action)} in ${this.nameOf(window)}`);
  }

  private fault(): void {
    const fault = anyFault(this.dice);
    this.computer.simulator.fail(fault);
    this.note(`fault ${JSON.stringify(fault)}`);
  }

  private note(what: string): void {
    this.steps.push(`${this.computer.clock.elapsed()} ms: ${what}`);
  }

  /** The editor ends the program of a window that does not react when it is closed. */
  private end(window: FeatureWindow): void {
    if (window.fate.isHung) {
      window.kill();
    } else {
      window.close();
    }
  }

  private nameOf(window: FeatureWindow): string {
    return `window ${this.computer.windows.indexOf(window) + 1}`;
  }

  private strike(name: string, blow: (window: FeatureWindow) => void): void {
    const window = this.dice.pick(this.living());
    if (!window) {
      return;
    }
    this.note(`${name} ${this.nameOf(window)}`);
    blow(window);
  }

  private lie(): void {
    const lie = this.mayLie ? anyLie(this.dice) : undefined;
    this.mayLie = false;
    if (!lie) {
      return;
    }
    this.computer.simulator.fail(lie);
    this.note(`lie ${JSON.stringify(lie)}`);
  }

  /** A machine that does not boot, or one that ends while it runs. */
  private breakMachine(): void {
    const { orders, lifecycle, world } = this.computer.simulator;
    const running = world.instances.filter(({ actualStatus }) => actualStatus === 'running');
    const victim = this.dice.chance(0.4) ? this.dice.pick(running) : undefined;
    if (victim) {
      lifecycle.fail(victim, 'exited', 'The container ended with code 1');
    } else {
      orders.failBoot({
        outcome: this.dice.pick(['exited', 'offline', 'stuck']) ?? '',
        message: 'no device',
      });
    }
  }

  private living(): FeatureWindow[] {
    return this.computer.windows.filter((window) => window.isOpen && !window.fate.isHung);
  }

  private async anyWindow(): Promise<FeatureWindow> {
    const window = this.dice.pick(this.living()) ?? (await this.open());
    window.focus();
    return window;
  }

  goOn(): void {
    for (const window of this.computer.windows) {
      window.fate.goOn();
    }
  }

  private async openAnother(): Promise<void> {
    await this.open();
  }

  private async open(): Promise<FeatureWindow> {
    const open = this.computer.windows.filter(({ isOpen }) => isOpen);
    if (open.length >= mostWindows && open[0]) {
      this.end(open[0]);
    }
    const window = await this.computer.openWindow({ isFocused: this.living().length === 0 });
    this.judge.watch(window);
    // A window that was opened before anything was rented loads the product with its first view.
    await window.view('instances').rows();
    await this.computer.rest();
    return window;
  }

  /** The service works, every window goes on and one of them is loaded. What began before may still be answered late. */
  private async check(): Promise<void> {
    const { computer } = this;
    computer.simulator.faults.clear();
    computer.simulator.orders.clear();
    this.goOn();
    const window = await this.anyWindow();
    this.user.leave(window);
    await window.view('instances').rows();
    await computer.until('the end of what was held back', () => computer.simulator.heldBack() === 0, {
      withinMs: 10 * minute,
    });
    await computer.pass(90_000);
    await this.judge.check(window);
    this.note(`checked in ${this.nameOf(window)}, ${this.judge.violations.length} violations`);
  }
}

/** Plays the run of a seed. Throws nothing: each failure is a violation. */
export async function play(seed: number, trace?: (line: string) => void): Promise<RunResult> {
  const dice = new Dice(seed);
  const replacesUnasked = dice.chance(0.5);
  const computer = await Computer.start({
    simulator: { credit: 100_000, limits: dice.chance(0.3) },
    settings: replacesUnasked ? { 'gpuRental.ready.onFailure': 'replace' } : {},
  });
  const scene = new Scene(computer, dice, replacesUnasked);
  const reject = (error: unknown) => scene.say(`unhandled: ${stackOf(error)}`);
  process.on('unhandledRejection', reject);
  try {
    await haveKey(computer);
    await evenPrices(computer);
    await scene.play();
  } catch (error) {
    scene.say(stackOf(error));
  } finally {
    if (trace) {
      [...scene.steps, computer.describe()].forEach((line) => trace(line));
    }
    scene.goOn();
    await computer.close().catch((error: unknown) => scene.say(stackOf(error)));
    process.off('unhandledRejection', reject);
  }
  return { seed, ...scene.result };
}

/** Several offers at one price, so that there is a next best one within the limit. */
async function evenPrices({ simulator }: Computer): Promise<void> {
  const { json } = await simulator.call('POST', '/api/v0/bundles/', { gpu_name: { eq: 'RTX 3090' } });
  for (const { id } of (json as { offers: readonly { id: number }[] }).offers) {
    await simulator.call('PUT', `/__sim/offers/${id}/`, { price_per_gpu: 0.2 });
  }
}
