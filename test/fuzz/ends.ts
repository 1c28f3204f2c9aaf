import { TimedOutError } from '../../src/api/errors';
import type { KernelUse } from '../../src/notebooks/model/kernelUse';
import { timerSeconds, type ScheduleTerm } from '../../src/schedules/model/schedule';
import { TimerProofs, type ArmTimer } from '../../src/schedules/store/timerProofs';
import { longestGapMs } from '../../src/store/instances/idleWatch';
import { silentLog } from '../../src/util/log';
import { anOffer } from '../support/builders';
import { rentalRequest } from '../support/rentalRequest';
import { aliasOf, openScheduleWindow, scheduleScene, type ScheduleWindow } from '../support/scheduleWindows';
import { Dice } from './dice';
import type { RunResult } from './scene';

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;
/** A list each five minutes, and a look at the clock, may each come late. */
const grace = 8 * minute;

type Scene = Awaited<ReturnType<typeof scheduleScene>>;

/** What a timer on the machine does, by the uptime of the machine. */
interface MachineTimer {
  readonly token: string;
  readonly idleMs: number;
  readonly keptUntil: number;
  idleSince: number;
}

/**
 * One rented machine with its agreed end: its use and its work as they are, which the product learns by lists, logins and a
 * timer alone. Windows are opened, closed and killed, the computer sleeps, its clock is set, the timer is refused, killed and
 * restarted with its machine, others start and stop it elsewhere. The books are kept by a time that no clock shows.
 */
class Ends {
  readonly violations: string[] = [];
  private readonly end;
  /** The time of the world (ms). */
  private time = 0;
  private use: 'gpu' | 'terminal' | undefined;
  private lastUse = 0;
  private startedAt = 0;
  private isSaved = true;
  private isSilent = false;
  private timer: MachineTimer | undefined;
  private state: 'none' | 'running' | 'stopped' | 'gone' = 'none';
  /** When it was last stopped, and by whom. */
  private stopped = { at: 0, wasProved: false };
  private told: { readonly at: number; readonly isDestroy: boolean } | undefined;
  /** By how much the clock was set forward since the last warning. */
  private ahead = 0;
  private windows: ScheduleWindow[] = [];
  private readonly heard = new Set<string>();
  readonly steps: string[] = [];

  constructor(
    private readonly scene: Scene,
    private readonly dice: Dice,
  ) {
    this.end = { idleMinutes: dice.pick([15, 30, 60]) ?? 30, destroyAfterDays: dice.pick([0, 1, 2]) ?? 0 };
    const { service } = scene;
    service.before = (call) => this.before(call);
  }

  private say(what: string): void {
    this.violations.push(`${what} (${Math.round(this.time / minute)} min)`);
  }

  private failing: string | undefined;

  private before(call: string): void {
    if (call === this.failing) {
      throw new TimedOutError({});
    }
    if (call === 'instances.stop' && this.state !== 'running') {
      this.say('a stop was sent for a machine that did not run');
    }
    if (call === 'instances.destroy') {
      this.judgeDestroy();
    }
  }

  private judgeDestroy(): void {
    if (this.state !== 'stopped') {
      this.say(`a destroy was sent for a machine that was ${this.state}`);
    }
    if (!this.isSaved || !this.stopped.wasProved) {
      this.say('it was destroyed with work unsaved or unknown');
    }
    const warnedMs = this.told?.isDestroy === true ? this.time - this.told.at + this.ahead : 0;
    if (warnedMs < day - grace) {
      this.say(`it was destroyed ${warnedMs} ms after its warning`);
    }
  }

  /** What changed at the service since the last look: an editor acted. */
  private look(): void {
    const [instance] = this.scene.service.instances;
    const now = !instance ? 'gone' : instance.intendedStatus === 'stopped' ? 'stopped' : 'running';
    if (this.state === 'running' && now === 'stopped') {
      this.judgeStop('an editor');
      // An editor has just asked the machine, which answers as it is.
      this.stopped = { at: this.time, wasProved: this.isSaved && !this.isSilent };
    }
    if (this.state !== 'none' && now !== this.state) {
      this.state = now;
      this.timer = undefined;
    }
    for (const { key, data } of this.windows.flatMap(({ posted }) => posted)) {
      const { kind, action } = data as { kind?: string; action?: string };
      if (!this.heard.has(key)) {
        this.heard.add(key);
        this.told = { at: this.time, isDestroy: kind === 'soon' && action === 'destroy' };
        this.ahead = 0;
      }
    }
  }

  private judgeStop(by: string): void {
    const idle = this.time - this.lastUse;
    if (this.use !== undefined || idle < this.end.idleMinutes * minute - grace) {
      this.say(`${by} stopped it after ${Math.round(idle / minute)} min of ${this.end.idleMinutes}`);
    }
  }

  /** Time goes by for the machine, and for windows unless the computer sleeps. */
  private async pass(ms: number, isAsleep = false): Promise<void> {
    for (let left = ms; left > 0; left -= minute) {
      this.time += minute;
      if (this.use && this.state === 'running') {
        this.lastUse = this.time;
      }
      this.runTimer();
      this.show();
      if (!isAsleep) {
        await this.scene.computer.clock.advance(minute);
        this.look();
      }
    }
    if (isAsleep) {
      this.scene.computer.clock.jump(ms);
    }
  }

  private runTimer(): void {
    const { timer } = this;
    if (!timer || this.state !== 'running') {
      return;
    }
    if (this.use || this.time < timer.keptUntil) {
      timer.idleSince = this.time;
    } else if (this.time - timer.idleSince >= timer.idleMs) {
      this.judgeStop('the timer');
      this.stop();
    }
  }

  /** Something other than an editor stopped it. */
  private stop(): void {
    this.state = 'stopped';
    this.timer = undefined;
    this.use = undefined;
    this.stopped = { at: this.time, wasProved: false };
    this.change({ actualStatus: 'exited', intendedStatus: 'stopped' });
  }

  private change(more: object): void {
    const { service } = this.scene;
    service.instances = service.instances.map((one) => ({ ...one, ...more }));
  }

  /** What lists, logins and looks show now. */
  private show(): void {
    if (this.state === 'running') {
      this.change({ actualStatus: 'running', gpuUtilPercent: this.use === 'gpu' ? 90 : 0 });
    }
    const isPrinted = this.time - this.lastUse < this.end.idleMinutes * minute;
    const use: KernelUse = this.isSilent ? 'silent' : isPrinted ? 'busy' : 'idle';
    for (const { kernels, work } of this.windows) {
      kernels.use = use;
      work.isSaved = this.isSaved && !this.isSilent;
    }
  }

  private readonly arm: ArmTimer = async (_account, _instance, { term }, token, mayStart) => {
    if (this.state !== 'running' || this.dice.chance(0.2) || !(await mayStart())) {
      return 'notAsked';
    }
    if (this.dice.chance(0.2)) {
      return 'notArmed';
    }
    this.timer = this.timerOf(term, token);
    return this.dice.chance(0.1) ? 'notKnown' : 'armed';
  };

  private timerOf(term: ScheduleTerm, token: string): MachineTimer {
    const { seconds, keptSeconds = 0 } = timerSeconds(term, this.scene.computer.clock.now());
    const keptUntil = this.time + keptSeconds * 1000 - seconds * 1000;
    return { token, idleMs: seconds * 1000, keptUntil, idleSince: this.time };
  }

  private async open(): Promise<void> {
    const { computer, disk } = this.scene;
    this.failing = undefined;
    const window = await openScheduleWindow(computer, disk);
    window.owned.add(
      new TimerProofs({
        ...window,
        clock: computer.clock,
        log: silentLog,
        aliasOf: (_, instanceId) => aliasOf(instanceId),
        arm: (...asked) => this.arm(...asked),
        check: (_account, _instance, _schedule, { token }) =>
          Promise.resolve(this.isSilent ? 'nothing' : this.timer?.token === token ? 'armed' : 'gone'),
      }),
    );
    this.windows.push(window);
    this.show();
  }

  private close(): void {
    const window = this.dice.pick(this.windows);
    window?.close();
    this.windows = this.windows.filter((one) => one !== window);
  }

  /** A machine takes minutes to start and to stop, so that no run is over between two lists. */
  private stopElsewhere(): void {
    if (this.state === 'running' && this.time - this.startedAt > longestGapMs) {
      this.stop();
    }
  }

  private start(): void {
    if (this.state === 'stopped') {
      this.state = 'running';
      this.startedAt = this.time;
      this.lastUse = this.time;
      this.isSaved = this.isSaved && this.dice.chance(0.5);
      this.stopped = { at: 0, wasProved: false };
      this.change({ actualStatus: 'running', intendedStatus: 'running', gpuUtilPercent: 0 });
    }
  }

  private toggleUse(): void {
    this.use = this.use || this.state !== 'running' ? undefined : this.dice.pick(['gpu', 'terminal']);
    if (this.use) {
      this.lastUse = this.time;
      this.isSaved = this.dice.chance(0.6);
    }
  }

  private async step(): Promise<void> {
    const [name, run] = this.dice.weighted<readonly [string, () => void | Promise<void>]>([
      [5, ['pass', () => this.pass((this.dice.pick([5, 20, 45, 90]) ?? 5) * minute)]],
      [1, ['pass a day', () => this.pass(26 * hour)]],
      [2, ['sleep', () => this.pass((this.dice.pick([15, 120, 1500]) ?? 15) * minute, true)]],
      [4, ['use', () => this.toggleUse()]],
      [2, ['open', () => this.open()]],
      [2, ['close', () => this.close()]],
      [1, ['set the clock', () => this.setClock((this.dice.pick([-26, -3, 1, 26]) ?? 1) * hour)]],
      [1, ['kill the timer', () => void (this.timer = undefined)]],
      [1, ['restart', () => this.restart()]],
      [3, ['start elsewhere', () => this.start()]],
      [3, ['stop elsewhere', () => this.stopElsewhere()]],
      [1, ['be silent', () => void (this.isSilent = !this.isSilent)]],
      [
        1,
        ['lists fail', () => void (this.failing = this.failing === undefined ? 'instances.list' : undefined)],
      ],
    ]);
    this.steps.push(`${Math.round(this.time / minute)} min: ${name}`);
    await run();
    this.show();
    await this.scene.computer.clock.advance(0);
    this.look();
  }

  private setClock(ms: number): void {
    this.scene.computer.clock.jump(ms);
    this.ahead += Math.max(0, ms);
  }

  /** A container that starts again has no timer, and counts from anew. */
  private restart(): void {
    if (this.state === 'running') {
      this.timer = undefined;
      this.lastUse = this.time;
    }
  }

  async play(): Promise<void> {
    await this.open();
    const [window] = this.windows;
    if (!window) {
      return;
    }
    await this.scene.computer.clock.through(window.rentals.rent({ ...rentalRequest, end: this.end }));
    this.state = 'running';
    this.change({ actualStatus: 'running', intendedStatus: 'running', gpuUtilPercent: 0 });
    this.lastUse = this.time;
    for (let step = this.dice.between(8, 25); step > 0; step -= 1) {
      await this.step();
    }
    await this.leaveAlone();
  }

  /** Nobody uses it any more, and one keeper works: it ends. */
  private async leaveAlone(): Promise<void> {
    this.failing = undefined;
    this.isSilent = false;
    this.use = undefined;
    if (this.windows.length === 0 && this.timer === undefined) {
      await this.open();
    } else if (this.timer !== undefined && this.dice.chance(0.5)) {
      while (this.windows.length > 0) {
        this.close();
      }
    }
    await this.pass(this.end.idleMinutes * 2 * minute + 60 * minute);
    if (this.state === 'running') {
      this.say('it outlived its agreed end');
    }
    await this.pass((this.end.destroyAfterDays + 1.5) * day);
  }
}

/** Plays the run of a seed. Throws nothing: each failure is a violation. */
export async function playEnds(seed: number, trace?: (line: string) => void): Promise<RunResult> {
  const dice = new Dice(seed);
  const scene = await scheduleScene({ instances: [], offers: [anOffer()] });
  const ends = new Ends(scene, dice);
  try {
    await ends.play();
  } catch (error) {
    ends.violations.push(error instanceof Error ? (error.stack ?? error.message) : String(error));
  } finally {
    ends.steps.forEach((line) => trace?.(line));
    await scene.computer.dispose();
  }
  return { seed, violations: ends.violations, rentals: 1 };
}
