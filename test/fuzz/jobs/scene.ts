import { randomBytes } from 'node:crypto';
import path from 'node:path';
import { Computer } from '../../support/feature/computer';
import { areJobsOver, jobsOnDisk, playOrder, type PlayedJob } from '../../support/feature/jobDriver';
import { JobJudge, jobRows, type JobRows } from '../../support/feature/jobJudge';
import { atPlaces, jobPlaces } from '../../support/feature/jobPlaces';
import { evenPrices, haveKey } from '../../support/feature/rentDriver';
import type { FeatureWindow } from '../../support/feature/window';
import { Dice } from '../dice';
import { anyFault } from '../faults';
import { stackOf } from '../judge';
import type { RunResult } from '../scene';

const minute = 60_000;
/** The most windows in which the user goes on. */
const mostTries = 8;

/** What goes wrong, and where; the count says at which visit of the place. */
export interface Blow {
  readonly place: string;
  readonly visit: number;
  readonly name: string;
  readonly strike: (scene: JobPlay, window: FeatureWindow) => void;
}

interface Judge extends Pick<JobJudge, 'violations' | 'rentals' | 'takenAway' | 'report'> {
  check(rows: JobRows): void;
}

/** A job that a machine is rented for, or something else. */
export interface Played {
  readonly judge: Judge;
  /** Until its order stands on the disk; false where none came of it. */
  readonly order: (window: FeatureWindow) => Promise<boolean>;
  /** What others do while it runs, and what a window is at then; called again and again. */
  readonly use?: (play: JobPlay) => string | undefined;
  /** What the user does in each window, again and again until it is over. */
  readonly goOn?: (window: FeatureWindow) => Promise<unknown>;
  /** Whether it is over; by default, whether all jobs are. */
  readonly isOver?: () => boolean;
  /** Ends what the machines do wrong. */
  readonly heal?: () => void;
  /** What is not settled by then needs the user. */
  readonly patienceMs: number;
}

/** One such job, from the confirmation to its end, with what goes wrong on the way. */
export class JobPlay {
  readonly steps: string[] = [];
  private readonly visits = new Map<string, number>();
  private readonly left: Blow[];

  constructor(
    readonly computer: Computer,
    private readonly played: Played,
    blows: readonly Blow[],
  ) {
    this.left = [...blows];
  }

  get judge(): Judge {
    return this.played.judge;
  }

  note(what: string): void {
    this.steps.push(`${this.computer.clock.elapsed()} ms: ${what}`);
  }

  async play(): Promise<void> {
    const first = await this.open();
    await first.signIn();
    if (!(await this.played.order(first))) {
      this.note('nothing was ordered');
    }
    await this.useWindows();
    this.left.length = 0;
    const { simulator } = this.computer;
    simulator.faults.clear();
    simulator.orders.clear();
    this.played.heal?.();
    const window = await this.useWindows();
    await this.computer.pass(minute);
    this.judge.check(await jobRows(window));
    for (const { errors } of this.computer.windows) {
      for (const error of errors) {
        this.judge.report(`a command failed: ${stackOf(error)}`);
      }
    }
    this.note(`over: ${JSON.stringify(jobsOnDisk(this.computer))}`);
  }

  /** Uses windows until it is over, or nothing more comes of it. */
  private async useWindows(): Promise<FeatureWindow> {
    const { goOn } = this.played;
    for (let tries = 1; ; tries += 1) {
      const window = await this.open();
      await goOn?.(window).catch((error: unknown) => {
        this.note(String(error).split('\n')[0] ?? '');
      });
      await this.isQuiet();
      if (window.isOpen && (!goOn || tries >= mostTries || (await this.isSettled()))) {
        return window;
      }
    }
  }

  private async open(): Promise<FeatureWindow> {
    const known = this.computer.windows.find(({ isOpen }) => isOpen);
    if (known) {
      // One that was opened beside another begins to work once the user looks at it.
      await known.view('instances').rows();
      await this.computer.rest();
      return known;
    }
    const window = await this.computer.openWindow({ isFocused: true });
    atPlaces(window.fate, (place) => this.visit(place, window));
    await window.view('instances').rows();
    await window.view('jobs').rows();
    await this.computer.rest();
    return window;
  }

  private visit(place: string, window: FeatureWindow): void {
    const count = (this.visits.get(place) ?? 0) + 1;
    this.visits.set(place, count);
    const at = this.left.findIndex((blow) => blow.place === place && blow.visit === count);
    const [blow] = at < 0 ? [] : this.left.splice(at, 1);
    if (!blow) {
      return;
    }
    this.note(`${blow.name} ${place}, visit ${count}`);
    blow.strike(this, window);
  }

  private async isSettled(): Promise<boolean> {
    await this.computer.rest();
    return this.played.isOver?.() ?? areJobsOver(this.computer);
  }

  /** Until the job is over or its window is, or neither comes. */
  private async isQuiet(): Promise<void> {
    const { computer, played } = this;
    const isOver = async () => {
      const window = computer.windows.find(({ isOpen }) => isOpen);
      const place = window && played.use?.(this);
      if (window && place !== undefined) {
        this.visit(place, window);
      }
      return !window || (await this.isSettled());
    };
    await computer
      .until('the end of the job or of the window', isOver, { withinMs: played.patienceMs })
      .catch((error: unknown) => {
        if (/it hangs/.test(String(error))) {
          throw error;
        }
        this.note('it does not end by itself');
      });
  }
}

type Result = RunResult & { readonly steps: readonly string[] };
type BlowsOf = (dice: Dice) => readonly Blow[];

/** Plays a job with blows. Throws nothing: each failure is a violation. */
export function playJob(seed: number, blowsOf: BlowsOf, trace?: (line: string) => void): Promise<Result> {
  return playLife({ seed, blowsOf, trace }, (computer, dice) => {
    const job: PlayedJob = {
      name: 'train',
      startsFile: path.join(computer.root, 'starts'),
      payload: randomBytes(dice.between(1, 400_000)),
      epochs: dice.between(1, 3),
      code: dice.pick([0, 0, 3]) ?? 0,
      ends: {
        success: dice.pick(['destroy', 'destroy', 'stop']) ?? 'destroy',
        failure: dice.pick(['destroy', 'stop']) ?? 'stop',
        limit: 'stop',
      },
    };
    return {
      judge: new JobJudge(computer, job),
      order: (window) => playOrder(window, job),
      patienceMs: 20 * minute,
    };
  });
}

interface Life {
  readonly seed: number;
  readonly blowsOf: BlowsOf;
  readonly trace: ((line: string) => void) | undefined;
  readonly settings?: Readonly<Record<string, unknown>>;
}

/** The same for what else a machine is rented for. */
export async function playLife(
  { seed, blowsOf, trace, settings = {} }: Life,
  playedOn: (computer: Computer, dice: Dice) => Played | Promise<Played>,
): Promise<Result> {
  const dice = new Dice(seed);
  const computer = await Computer.start({ simulator: { sshServer: true, credit: 10_000 }, settings });
  await haveKey(computer);
  await evenPrices(computer);
  const played = await playedOn(computer, dice);
  const { judge } = played;
  const scene = new JobPlay(computer, played, blowsOf(dice));
  const reject = (error: unknown) => judge.report(`unhandled: ${stackOf(error)}`);
  process.on('unhandledRejection', reject);
  try {
    await scene.play();
  } catch (error) {
    judge.report(stackOf(error));
  } finally {
    if (trace) {
      [...scene.steps, computer.describe()].forEach((line) => trace(line));
    }
    await computer.close().catch((error: unknown) => judge.report(stackOf(error)));
    process.off('unhandledRejection', reject);
  }
  return { seed, violations: judge.violations, rentals: judge.rentals, steps: scene.steps };
}

export const kill = (place: string, visit = 1): Blow => ({
  place,
  visit,
  name: 'kill',
  strike: (_, window) => window.kill(),
});

/** One to four blows at places of the dice's choice. */
export const anyBlows: BlowsOf = (dice) => blowsAt(dice, jobPlaces);

/** The same at other places as well, and of more kinds. */
export function blowsAt(
  dice: Dice,
  places: readonly string[],
  more: (at: Pick<Blow, 'place' | 'visit'>) => readonly (readonly [weight: number, blow: Blow])[] = () => [],
): readonly Blow[] {
  return Array.from({ length: dice.between(1, 4) }, () => {
    const at = {
      place: dice.pick(places) ?? '',
      visit: dice.weighted([
        [4, 1],
        [2, 2],
        [1, 3],
      ] as const),
    };
    const fault = anyFault(dice);
    const machine = dice.pick(['exited', 'offline', 'reboot', 'destroy', 'stop']) ?? '';
    const delayMs = dice.between(0, 60);
    return dice.weighted<Blow>([
      [5, kill(at.place, at.visit)],
      [
        3,
        {
          ...at,
          name: `cut after ${delayMs} ms`,
          strike: (_, { fate }) => void setTimeout(() => fate.cut(), delayMs),
        },
      ],
      [3, { ...at, name: JSON.stringify(fault), strike: ({ computer }) => computer.simulator.fail(fault) }],
      [2, { ...at, name: machine, strike: (scene) => endMachine(scene, machine) }],
      [1, { ...at, name: 'clock', strike: ({ computer }) => computer.clock.jump(-20 * minute) }],
      ...more(at),
    ]);
  });
}

function endMachine({ computer, judge }: JobPlay, how: string): void {
  const { lifecycle, world } = computer.simulator;
  const [victim] = world.instances;
  if (!victim) {
    return;
  }
  if (how === 'destroy') {
    judge.takenAway.add(victim.id);
    lifecycle.destroy(victim);
  } else if (how === 'stop') {
    lifecycle.stop(victim);
  } else if (how !== 'reboot') {
    lifecycle.fail(victim, how, 'The container ended with code 1');
  } else if (victim.actualStatus === 'running' && victim.intendedStatus === 'running') {
    lifecycle.reboot(victim, false);
  }
}
