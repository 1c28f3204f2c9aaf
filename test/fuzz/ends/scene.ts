import { anOffer } from '../../support/builders';
import { scheduleScene } from '../../support/scheduleWindows';
import { Dice } from '../dice';
import { stackOf } from '../judge';
import type { RunResult } from '../scene';
import { day, hour, minute, type Machine } from './ledger';
import type { TimetableMood } from './machines';
import { keptMs, rentSomehow, runJob } from './ways';
import type { Window } from './window';
import { World, type Notice } from './world';

/** An idle instance is listed this often; a run that is over between two lists is not seen. */
const seenMs = 12 * minute;
const mostWindows = 2;
const anyDelay = [5, 20, 45, 90].map((minutes) => minutes * minute);
const anySleep = [15 * minute, 2 * hour, 25 * hour];

/**
 * Rented machines with their agreed ends, by all that keeps these ends and all that can go wrong with it: windows are opened,
 * closed and killed, the computer sleeps, its clock is set, timers are refused, killed and restarted with their machines, the
 * service fails or loses answers and has a timetable that works, is late, never runs or is absent, others start and stop
 * machines, and the user answers notices.
 */
class Ends {
  readonly steps: string[] = [];

  constructor(
    readonly world: World,
    private readonly dice: Dice,
  ) {
    world.onNotice = (window, notice) => this.answer(window, notice);
  }

  private note(what: string): void {
    this.steps.push(`${Math.round(this.world.time / minute)} min: ${what}`);
  }

  private async window(): Promise<Window> {
    return this.world.windows[0] ?? (await this.open());
  }

  private async open(): Promise<Window> {
    if (this.world.windows.length >= mostWindows) {
      this.close();
    }
    return this.world.open();
  }

  private close(): void {
    const { windows } = this.world;
    const window = this.dice.pick(windows);
    if (window) {
      windows.splice(windows.indexOf(window), 1);
      window.close();
      this.world.editorsChanged();
    }
  }

  private machine(state?: Machine['state']): Machine | undefined {
    return this.dice.pick(this.world.machines.filter((one) => state === undefined || one.state === state));
  }

  /** The user answers some of the messages as soon as they are shown. */
  private async answer(window: Window, { kind, instanceId, isAgreed, action }: Notice): Promise<void> {
    const machine = this.world.ledger.find(instanceId);
    if (!machine || !this.world.windows.includes(window)) {
      return;
    }
    const choice = this.dice.pick(kind === 'soon' || kind === 'missed' ? ['', '', 'keep', 'cancel'] : ['']);
    if (choice === 'keep') {
      const keptFor = kind === 'missed' ? 7 * day : isAgreed === true ? keptMs : hour;
      await this.keep(window, machine, keptFor, action === 'stop' && isAgreed === true);
    } else if (choice === 'cancel') {
      await this.cancel(window, machine);
    }
  }

  /** As the button does: here first, then on the machine, which may not be reached. */
  private async keep(window: Window, machine: Machine, ms: number, keeps: boolean): Promise<void> {
    const { world } = this;
    const row = window.schedules.find(machine.id);
    const changed = await world.through(window.schedules.extend(machine.id, ms, { keeps }));
    if (!row || !changed) {
      return;
    }
    this.note(`#${machine.id} is kept for ${ms / hour} h`);
    const { term } = row.schedule;
    const from = term.kind === 'idle' ? 0 : Math.max(0, term.at - world.scene.computer.clock.now());
    const { time } = world;
    machine.kept = { until: time + from + ms, at: time, ahead: world.ledger.ahead };
    if (term.kind === 'idle' && !keeps) {
      machine.kept = { ...machine.kept, until: 0 };
    }
    machine.isAsked = false;
    world.entryIsOld(machine);
    await this.endTimer(window, machine);
  }

  private async cancel(window: Window, machine: Machine): Promise<void> {
    const { world } = this;
    if (!window.schedules.find(machine.id)) {
      return;
    }
    this.note(`the end of #${machine.id} is canceled`);
    await this.endTimer(window, machine);
    await world.through(window.schedules.keepOnInstance(machine.id));
    machine.isCanceled = true;
    machine.isTimerStale ||= machine.timer !== undefined && window.schedules.find(machine.id) !== undefined;
    world.entryIsOld(machine);
  }

  private async endTimer(window: Window, machine: Machine): Promise<void> {
    const schedule = window.schedules.find(machine.id)?.schedule;
    if (!schedule?.armed || this.dice.chance(0.8)) {
      machine.timer = undefined;
      machine.isTimerStale = false;
      await (schedule?.armed && this.world.through(window.schedules.setArmed(schedule, undefined)));
      return;
    }
    machine.isTimerStale = machine.timer !== undefined;
  }

  private use(): void {
    const machine = this.machine('running');
    if (machine?.guard && machine.guard.job !== 'ended') {
      runJob(this.world, machine);
    } else if (machine) {
      machine.use = machine.use ? undefined : this.dice.pick(['gpu', 'terminal']);
      machine.lastUse = this.world.time;
      machine.isSaved = this.dice.chance(0.6);
    }
  }

  private startElsewhere(): void {
    const machine = this.machine('stopped');
    if (machine) {
      machine.isSaved = machine.isSaved && this.dice.chance(0.5);
      this.world.keepers.start(machine);
    }
  }

  private stopElsewhere(): void {
    const machine = this.machine('running');
    if (machine && this.world.time - machine.startedAt > seenMs) {
      this.world.keepers.stop(machine);
    }
  }

  private beSilent(): void {
    const machine = this.machine();
    if (machine) {
      machine.isSilent = !machine.isSilent;
      machine.answersSince = machine.isSilent ? Infinity : this.world.time;
    }
  }

  private fault(): void {
    const { faults } = this.world;
    const calls = ['list', 'get', 'stop', 'destroy'].map((name) => `instances.${name}`);
    const timetable = ['create', 'change', 'remove', 'list'].map((name) => `timetable.${name}`);
    const call = this.dice.pick([...calls, ...timetable]) ?? '';
    const isAfter = this.dice.chance(0.4);
    faults.push({ call, isAfter, left: this.dice.pick([1, 1, 3, Infinity]) ?? 1 });
    this.note(`${call} ${isAfter ? 'loses answers' : 'fails'}`);
    this.world.editorsChanged();
  }

  private repair(): void {
    this.world.faults.length = 0;
    this.world.editorsChanged();
  }

  private async step(): Promise<void> {
    const { world, dice } = this;
    const some = (run: (machine: Machine) => void) => () => {
      const machine = this.machine('running');
      if (machine) {
        run(machine);
      }
    };
    const [name, run] = dice.weighted<readonly [string, () => unknown]>([
      [6, ['pass', () => world.pass(dice.pick(anyDelay) ?? 0)]],
      [0.3, ['pass a day', () => world.pass(26 * hour)]],
      [2, ['sleep', () => world.pass(dice.pick(anySleep) ?? 0, true)]],
      [5, ['use', () => this.use()]],
      [2, ['open', () => this.open()]],
      [2, ['close', () => this.close()]],
      [1, ['set the clock', () => world.setClock((dice.pick([-26, -3, 1, 26]) ?? 1) * hour)]],
      [1, ['kill a timer', some((machine) => (machine.timer = undefined))]],
      [1, ['restart', some((machine) => world.keepers.restart(machine))]],
      [2, ['start elsewhere', () => this.startElsewhere()]],
      [2, ['stop elsewhere', () => this.stopElsewhere()]],
      [1, ['be silent', () => this.beSilent()]],
      [1, ['fault', () => this.fault()]],
      [1, ['repair', () => this.repair()]],
      [1, ['rent', async () => this.note(await rentSomehow(world, await this.window()))]],
    ]);
    this.note(name);
    await run();
    await world.scene.computer.clock.advance(0);
    await world.hear();
  }

  async play(): Promise<void> {
    const { world, dice } = this;
    for (let count = dice.between(1, 2); count > 0; count -= 1) {
      this.note(await rentSomehow(world, await this.window()));
    }
    for (let step = dice.between(8, 20); step > 0; step -= 1) {
      await this.step();
    }
    await this.leaveAlone();
  }

  /** Nobody uses them any more, and one keeper works: they end. */
  private async leaveAlone(): Promise<void> {
    const { world, dice } = this;
    this.note('left alone');
    this.repair();
    for (const machine of world.machines) {
      machine.use = undefined;
      machine.isSilent = false;
      machine.answersSince = Math.min(machine.answersSince, world.time);
      if (machine.guard?.job === 'running') {
        runJob(world, machine);
      }
    }
    const isKept = world.machines.every(({ state, timer }) => state !== 'running' || timer !== undefined);
    if (isKept && dice.chance(0.5)) {
      while (world.windows.length > 0) {
        this.close();
      }
    } else {
      await this.window();
    }
    await world.pass(3 * hour);
    const days = Math.max(...world.machines.map(({ agreed }) => agreed.destroyAfterDays));
    await world.pass(dice.chance(0.25) && days < 7 ? (days + 1.5) * day : 0);
  }
}

/** Plays the run of a seed. Throws nothing: each failure is a violation. */
export async function playEnds(seed: number, trace?: (line: string) => void): Promise<RunResult> {
  const dice = new Dice(seed);
  const scene = await scheduleScene({
    instances: [],
    offers: [anOffer(), anOffer({ id: 9002, machineId: 179 })],
  });
  const mood = dice.pick<TimetableMood>(['off', 'works', 'works', 'late', 'fails', 'absent']) ?? 'off';
  const world = new World(scene, dice, mood);
  const ends = new Ends(world, dice);
  const { violations, machines } = world.ledger;
  const reject = (error: unknown) => violations.push(`unhandled: ${stackOf(error)}`);
  process.on('unhandledRejection', reject);
  try {
    await ends.play();
  } catch (error) {
    violations.push(stackOf(error));
  } finally {
    [`timetable: ${mood}`, ...ends.steps].forEach((line) => trace?.(line));
    machines.forEach((machine) => trace?.(JSON.stringify(machine)));
    await scene.computer.dispose();
    process.off('unhandledRejection', reject);
  }
  return { seed, violations, rentals: machines.length };
}
