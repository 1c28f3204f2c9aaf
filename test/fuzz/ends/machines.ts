import type { FakeService } from '../../support/fakeService';
import { minute, noChoices, type Cause, type Ledger, type Machine } from './ledger';

/** A list each five minutes shows a stop. */
const seenMs = 7 * minute;

/** What the service makes of its timetable: it never runs an entry, or late, or it has no timetable. */
export type TimetableMood = 'off' | 'works' | 'late' | 'fails' | 'absent';

/** What machines and the service do by themselves, by the time of the world. */
export class Machines {
  constructor(
    private readonly ledger: Ledger,
    private readonly service: FakeService,
    readonly mood: TimetableMood,
    private readonly now: () => number,
  ) {}

  private get time(): number {
    return this.now();
  }

  /** It no longer runs. */
  ended(machine: Machine, { wasProved }: { readonly wasProved: boolean }): void {
    machine.state = 'stopped';
    machine.use = undefined;
    machine.timer = undefined;
    machine.isTimerStale = false;
    machine.stopped = { at: this.time, wasProved };
    this.changed(machine, machine.isRunSeen);
  }

  /**
   * A new time that it runs or rests begins, with the end that was agreed. If no editor has seen the last one, what was chosen
   * before that still holds.
   */
  private changed(machine: Machine, isSeen: boolean): void {
    const { isCanceled, isAsked, warned, kept } = machine;
    const next = isSeen ? noChoices : machine.before;
    Object.assign(machine, next, { before: { isCanceled, isAsked, warned, kept } });
    machine.isChoiceDoubtful = !isSeen && machine.isWatched;
    machine.isWatched = false;
    machine.isRunSeen = false;
    machine.isStopSeen = false;
  }

  /** Something other than an editor stops it. */
  stop(machine: Machine, by?: Cause): void {
    if (by) {
      this.ledger.stopping(machine, by);
    }
    this.ended(machine, { wasProved: false });
    this.change(machine.id, { actualStatus: 'exited', intendedStatus: 'stopped' });
  }

  start(machine: Machine): void {
    if (machine.agreed.then === 'stop' && machine.isStopSeen) {
      // That end is over, and whoever starts it again decides.
      const { idleMinutes, destroyAfterDays } = machine.agreed;
      machine.agreed = { idleMinutes, destroyAfterDays };
    }
    machine.isEndDoubtful = machine.agreed.at !== undefined;
    this.changed(machine, machine.isStopSeen);
    this.run(machine);
  }

  private run(machine: Machine): void {
    machine.state = 'running';
    machine.startedAt = this.time;
    machine.lastUse = this.time;
    machine.stopped = { at: 0, wasProved: false };
    this.change(machine.id, { actualStatus: 'running', intendedStatus: 'running', gpuUtilPercent: 0 });
  }

  /** A container that starts again has no timer, and what came with its rental. */
  restart(machine: Machine): void {
    machine.timer = undefined;
    machine.use = undefined;
    machine.startedAt = this.time;
    machine.lastUse = this.time;
  }

  change(id: number, more: object): void {
    const { service } = this;
    service.instances = service.instances.map((one) => (one.id === id ? { ...one, ...more } : one));
  }

  /** Passes a minute. */
  pass(): void {
    this.runMachines();
    this.runTimetable();
  }

  private runMachines(): void {
    const { time } = this;
    for (const machine of this.ledger.machines) {
      const { state, timer, guard } = machine;
      machine.isWatched ||= this.ledger.editorSince !== undefined;
      if (state === 'starting' && time - machine.startedAt > 2 * minute) {
        this.run(machine);
      }
      if (
        state === 'stopped' &&
        time - Math.max(machine.stopped.at, this.ledger.editorSince ?? time) > seenMs
      ) {
        machine.isStopSeen = true;
      }
      if (
        state === 'running' &&
        time - Math.max(machine.startedAt, this.ledger.editorSince ?? time) > seenMs
      ) {
        machine.isRunSeen = true;
      }
      if (state !== 'running') {
        continue;
      }
      if (machine.use) {
        machine.lastUse = time;
      }
      this.change(machine.id, { gpuUtilPercent: machine.use === 'gpu' ? 90 : 0 });
      if (timer) {
        timer.idleSince = time < timer.keptUntil ? time : Math.max(timer.idleSince, machine.lastUse);
      }
      if (timer && time - timer.idleSince >= timer.idleMs) {
        this.stop(machine, 'its timer');
      }
      const isForgotten = guard?.job === 'none' && time - machine.startedAt >= guard.seconds * 1000;
      const isOver = guard?.job === 'ended' && time - guard.endedAt >= 15 * minute;
      if (machine.state === 'running' && (isForgotten || isOver)) {
        this.stop(machine, 'its guard');
      }
    }
  }

  /** The service runs what it holds, by its own clock. */
  private runTimetable(): void {
    const { service } = this;
    if (this.mood !== 'works' && this.mood !== 'late') {
      return;
    }
    const lateMs = this.mood === 'late' ? 50 * minute : 0;
    const now = (service.date?.() ?? 0) - lateMs;
    for (const entry of service.timetable) {
      const { instanceId, startTime = Infinity, lastRun } = entry;
      if (lastRun !== undefined || now < startTime * 1000) {
        continue;
      }
      service.timetable = service.timetable.map((one) =>
        one === entry ? { ...one, lastRun: Math.floor(now / 1000) } : one,
      );
      const machine = this.ledger.find(instanceId);
      if (machine?.state === 'running') {
        this.stop(machine, 'the service');
      }
    }
  }
}
