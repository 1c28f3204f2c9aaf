import { actingMs, lateMs } from '../../src/schedules/model/schedule';
import type { InstanceState } from '../../src/simulator/state';
import type { ShownMessage } from '../support/fakeEditor/messages';
import type { Computer } from '../support/feature/computer';
import type { FeatureWindow } from '../support/feature/window';

const mark = /\[(gr-[0-9a-f]{8})\]$/;
/** Said as a fact, not as what is about to happen. */
const endTexts = [
  /^(?!.*not confirmed)(?<name>[^.]*#\d+) is destroyed[,.:]/,
  /^(?<name>[^.]*#\d+) cost .* It was destroyed\./,
];
const scheduleTexts = /#(\d+) will be (stopped|destroyed) (?:at|in) /;

const readyTexts = /^[^.]*#(\d+) is ready/;
const unseenMs = 2 * 60_000;

export const idIn = (text: string) => {
  const id = /#(\d+)/.exec(text)?.[1];
  return id === undefined ? undefined : Number(id);
};

export interface Schedule {
  readonly action: 'stop' | 'destroy';
  readonly dueAt: number;
}

/**
 * Keeps the books of one run: what the service did, what the user allowed, and what was told. A user's word counts
 * from the moment in which it is given, so that only what nobody wanted is a violation.
 */
export class Judge {
  readonly violations: string[] = [];
  /** Enters on a confirmation, and buttons that rent. */
  rentalsAllowed = 0;
  /** What the user allowed to be destroyed, data or not. */
  readonly mayEnd = new Set<number>();
  /** What the user scheduled and was told of, until it is carried out or the user changes it. */
  readonly schedules = new Map<number, Schedule>();
  /** Whose end the user has changed, and what comes of that may be under way. */
  readonly ownEnds = new Set<number>();
  private readonly labels = new Map<number, string>();
  /** When it was seen to run first, on the clock that no user sets. */
  private readonly ranSince = new Map<number, number>();
  private readonly reportedReady = new Set<number>();
  private ended = 0;

  constructor(
    private readonly computer: Computer,
    private readonly replacesUnasked: boolean,
  ) {
    computer.simulator.world.onDidChangeInstance((instance) => {
      this.enter(instance);
    });
  }

  get rentals(): number {
    return this.labels.size;
  }

  say(what: string): void {
    if (!this.violations.includes(what)) {
      this.violations.push(what);
    }
  }

  watch(window: FeatureWindow): void {
    const { messages } = window.screen;
    messages.history.forEach((message) => this.hear(message));
    messages.onDidShow = (message) => this.hear(message);
  }

  private hear({ text, kind }: ShownMessage): void {
    const name = endTexts
      .map((pattern) => pattern.exec(text)?.groups?.['name'])
      .find((one) => one !== undefined);
    const ready = readyTexts.exec(text)?.[1];
    if (ready !== undefined) {
      this.reportedReady.add(Number(ready));
    }
    const id = name === undefined ? undefined : idIn(name);
    if (id !== undefined && kind !== 'progress' && this.computer.simulator.world.instance(id)) {
      this.say(`told as destroyed while it bills: ${text}`);
    }
  }

  /** The message in which the product accepts a schedule; there the user relies on it. */
  scheduled(text: string, dueAt: number): void {
    const [, id, done] = scheduleTexts.exec(text) ?? [];
    if (id === undefined) {
      return;
    }
    this.schedules.set(Number(id), { action: done === 'stopped' ? 'stop' : 'destroy', dueAt });
  }

  private enter(instance: InstanceState): void {
    const { id } = instance;
    if (!this.labels.has(id)) {
      this.created(instance);
    }
    if (instance.actualStatus === 'running' && !this.ranSince.has(id)) {
      this.ranSince.set(id, this.computer.clock.elapsed());
    }
    if (instance.intendedStatus === 'stopped' || instance.failed) {
      this.schedules.delete(id);
    }
    if (this.computer.simulator.world.instance(id) === undefined) {
      this.end(id);
    }
  }

  private created({ id, label }: InstanceState): void {
    const own = mark.exec(label ?? '')?.[1];
    const twin = [...this.labels].find(([, other]) => other === own);
    if (own === undefined) {
      this.say(`#${id} was rented without a mark`);
    } else if (twin) {
      this.say(`#${twin[0]} and #${id} were rented for one Enter (${own})`);
    }
    this.labels.set(id, own ?? '');
    const most = this.rentalsAllowed + (this.replacesUnasked ? this.ended : 0);
    if (this.labels.size > most) {
      this.say(`#${id} is rental ${this.labels.size} of ${most} allowed`);
    }
  }

  private end(id: number): void {
    this.ended += 1;
    this.schedules.delete(id);
    const hadData = this.hadData(id);
    if (this.mayEnd.has(id) || (this.replacesUnasked && !hadData)) {
      return;
    }
    this.say(`#${id} was destroyed unasked${hadData ? ', with its data' : ''}`);
  }

  /** One that ran between two lists alone is not known to have run; see `longestGapMs` of the readiness. */
  private hadData(id: number): boolean {
    const since = this.ranSince.get(id);
    const isLong = since !== undefined && this.computer.clock.elapsed() - since >= unseenMs;
    return isLong || this.reportedReady.has(id);
  }

  /** After 90 s of a working service with a loaded window: what bills is in view, what was due is done. */
  async check(window: FeatureWindow): Promise<void> {
    const { world } = this.computer.simulator;
    const rows = await window.view('instances').texts();
    for (const { id } of world.instances) {
      const row = rows.find((text) => new RegExp(`#${id}\\b`).test(text));
      if (row === undefined) {
        this.say(`#${id} bills and is in no view; rows: ${rows.join(' / ')}`);
      } else {
        this.checkSchedule(id, row);
      }
    }
    for (const one of this.computer.windows) {
      for (const error of one.errors) {
        this.say(`a command failed: ${stackOf(error)}`);
      }
    }
  }

  /** After more than twice the idle time that was agreed with each rental; no answer is no idle time, and is told. */
  leftAlone(id: number, isWorking: boolean): void {
    const isStopped = this.computer.simulator.world.instance(id)?.intendedStatus === 'stopped';
    const isDoubtful = this.computer.windows.some(({ screen }) =>
      screen.messages.shown.some(({ text }) => idIn(text) === id && text.includes('did not stop when idle')),
    );
    if (isStopped === isWorking && (isWorking || !isDoubtful)) {
      this.say(isWorking ? `#${id} was stopped while it worked` : `#${id} outlived its agreed end`);
    }
  }

  private checkSchedule(id: number, row: string): void {
    const schedule = this.schedules.get(id);
    // The user's own stop may have come first, where the list could not show it.
    if (
      schedule?.action === 'stop' &&
      this.computer.simulator.world.instance(id)?.intendedStatus === 'stopped'
    ) {
      return;
    }
    const isDue = schedule !== undefined && this.computer.clock.now() > schedule.dueAt + 90_000;
    // A row that says when the next try is, or that the time was missed, has not dropped it.
    const isShown = isDue
      ? /next try|was to be|missed/.test(row) || this.isAhead(row) || this.isActing(row, schedule.dueAt)
      : /stop|destroy/.test(row);
    if (schedule && !isShown && !this.isTold(id)) {
      this.say(`the schedule of #${id} was dropped${isDue ? ' (it was due)' : ''}; row: ${row}`);
    }
  }

  /** What was due while no window could warn is warned of first, and its row says the time that is left. */
  private isAhead(row: string): boolean {
    const [, time] = /(?:stops|destroyed) (\d+:\d\d [AP]M)/.exec(row) ?? [];
    const at = new Date(this.computer.clock.now());
    const shown = Date.parse(`${at.toDateString()} ${time}`);
    return shown + 90_000 > at.getTime();
  }

  /** A window that was killed on the way is waited for, and then another one does it. */
  private isActing(row: string, dueAt: number): boolean {
    return /being (?:stopped|destroyed)/.test(row) && this.computer.clock.now() < dueAt + lateMs + actingMs;
  }

  private isTold(id: number): boolean {
    return this.computer.windows.some(({ screen }) =>
      screen.messages.shown.some(
        ({ text }) => idIn(text) === id && /was to be|could not|schedule/i.test(text),
      ),
    );
  }
}

export function stackOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
