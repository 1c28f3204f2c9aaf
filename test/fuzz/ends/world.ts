import { NotFoundError, TimedOutError } from '../../../src/api/errors';
import { scheduleNotice } from '../../../src/schedules/store/scheduleNotice';
import type { scheduleScene } from '../../support/scheduleWindows';
import type { Dice } from '../dice';
import { Ledger, minute, newMachine, type Agreement, type Machine } from './ledger';
import { Machines, type TimetableMood } from './machines';
import { openWindow, type Window } from './window';

export type Scene = Awaited<ReturnType<typeof scheduleScene>>;
export type Notice = ReturnType<typeof scheduleNotice.parse>;

/** A call that fails, before it takes effect or by a lost answer, so many times. */
export interface Fault {
  readonly call: string;
  readonly isAfter: boolean;
  left: number;
}

/** The computer, its windows, the service and the machines, and the time that they share. */
export class World {
  readonly ledger = new Ledger(() => this.time);
  readonly keepers: Machines;
  readonly windows: Window[] = [];
  readonly faults: Fault[] = [];
  /** What the next rental of a user is for. */
  renting:
    { readonly way: string; readonly agreed: () => Agreement; readonly guardSeconds?: number } | undefined;
  /** Killed while the request of a rental is under way. */
  killWhileRenting = false;
  /** What a window showed for the first time. */
  onNotice: (window: Window, notice: Notice) => Promise<void> = () => Promise.resolve();
  private readonly heard = new Set<string>();
  private sleptMs = 0;
  private isAsleep = false;

  constructor(
    readonly scene: Scene,
    readonly dice: Dice,
    readonly mood: TimetableMood,
  ) {
    const { service, computer } = scene;
    this.keepers = new Machines(this.ledger, service, mood, () => this.time);
    service.before = (call, id) => this.before(call, id);
    service.after = (call) => this.after(call);
    service.here = () => computer.clock.now();
    const began = computer.clock.now();
    service.date = () => began + this.time;
  }

  /** The time that no clock shows (ms). */
  get time(): number {
    return this.scene.computer.clock.elapsed() + this.sleptMs;
  }

  get machines(): readonly Machine[] {
    return this.ledger.machines;
  }

  private fail(call: string, isAfter: boolean): void {
    const fault = this.faults.find((one) => one.call === call && one.isAfter === isAfter);
    if (fault) {
      fault.left -= 1;
      if (fault.left === 0) {
        this.faults.splice(this.faults.indexOf(fault), 1);
      }
      throw new TimedOutError({});
    }
    if (call.startsWith('timetable.') && this.mood === 'absent') {
      throw new NotFoundError({ code: 'not_found' });
    }
  }

  private before(call: string, id: number | undefined): void {
    this.fail(call, false);
    const machine = this.ledger.find(id);
    if (machine && call === 'instances.stop') {
      this.ledger.stopping(machine, 'an editor');
      // It has just been asked, and answered as it is.
      this.keepers.ended(machine, { wasProved: machine.isSaved && !machine.isSilent });
    } else if (machine && call === 'instances.destroy') {
      this.ledger.destroying(machine);
      machine.state = 'gone';
    }
  }

  private after(call: string): void {
    if (call === 'offers.rent') {
      this.rented();
      if (this.killWhileRenting) {
        this.killWhileRenting = false;
        this.windows.splice(0, 1)[0]?.close();
      }
    }
    this.fail(call, true);
  }

  private rented(): void {
    const { instances } = this.scene.service;
    const { renting, time } = this;
    const id = instances.at(-1)?.id;
    if (!renting || id === undefined) {
      this.ledger.say({ id: id ?? 0, way: 'none' }, 'was rented without a confirmation');
      return;
    }
    const machine = newMachine(id, renting.way, renting.agreed(), time);
    this.ledger.machines.push(machine);
    if (renting.guardSeconds !== undefined) {
      machine.guard = { seconds: renting.guardSeconds, job: 'none', endedAt: 0 };
    }
  }

  /** Time goes by for the machines, and for windows unless the computer sleeps. */
  async pass(ms: number, isAsleep = false): Promise<void> {
    this.isAsleep = isAsleep;
    for (let left = ms; left > 0; left -= minute) {
      if (isAsleep) {
        this.sleptMs += minute;
      }
      this.keepers.pass();
      this.noteEditor();
      if (!isAsleep) {
        await this.scene.computer.clock.advance(minute);
        await this.hear();
      }
      this.ledger.check();
    }
    this.isAsleep = false;
    if (isAsleep) {
      this.scene.computer.clock.jump(ms);
    }
  }

  /** Waits for what a user does, at most so long: its window may be killed. */
  async through<T>(work: Promise<T>, mostMs = 5 * minute): Promise<T | undefined> {
    const done: { value?: T; isOver: boolean } = { isOver: false };
    work.then(
      (value) => Object.assign(done, { value, isOver: true }),
      () => (done.isOver = true),
    );
    for (let left = mostMs; left > 0 && !done.isOver; left -= 1000) {
      await this.scene.computer.clock.advance(1000);
    }
    this.noteEditor();
    return done.value;
  }

  /** An editor works while one is open, its computer is awake and the service answers what it needs. */
  private noteEditor(): void {
    const isBad = this.faults.some(({ call }) => !call.startsWith('timetable.'));
    const works = this.windows.length > 0 && !this.isAsleep && !isBad;
    this.ledger.editorSince = works ? (this.ledger.editorSince ?? this.time) : undefined;
  }

  /** Whoever leads now has to look first. */
  editorsChanged(): void {
    this.ledger.editorSince = undefined;
    this.noteEditor();
  }

  /** Reads what windows show, as their user does, and what they say of the timetable. */
  async hear(): Promise<void> {
    for (const window of [...this.windows]) {
      for (const { key, data } of window.posted.slice(window.read.notices)) {
        window.read.notices += 1;
        const notice = scheduleNotice.safeParse(data);
        const machine = this.ledger.find(notice.data?.instanceId);
        if (!notice.data || !machine || this.heard.has(key)) {
          continue;
        }
        this.heard.add(key);
        const { kind, action } = notice.data;
        if (kind === 'soon') {
          machine.warned = action === 'destroy' ? { at: this.time, ahead: this.ledger.ahead } : undefined;
        } else if (kind === 'missed') {
          machine.isAsked = true;
        }
        await this.onNotice(window, notice.data);
      }
      for (const machine of this.machines) {
        const record = window.timetable.find(machine.id);
        if (record?.checkedAt !== undefined && record.isUnwanted !== true && this.mood === 'works') {
          const isOld = machine.entry?.isOld === true && machine.entry.startTime === record.startTime;
          machine.entry = { startTime: record.startTime, isOld };
        }
      }
    }
  }

  /** The user changed the end: an entry for the one before may still act, until another is read back. */
  entryIsOld(machine: Machine): void {
    if (machine.entry) {
      machine.entry = { ...machine.entry, isOld: true };
    }
  }

  async open(): Promise<Window> {
    const window = await openWindow(this);
    this.windows.push(window);
    this.noteEditor();
    return window;
  }

  setClock(ms: number): void {
    this.scene.computer.clock.jump(ms);
    this.ledger.ahead += Math.max(0, ms);
    this.ledger.behind += Math.max(0, -ms);
    this.editorsChanged();
  }
}
