import type { Accounts } from '../../store/accounts/accounts';
import { DiskList } from '../../store/disk/diskList';
import { newOwnId } from '../../store/disk/rowFolder';
import type { WindowHub } from '../../store/windows/windowHub';
import type { Clock } from '../../util/clock';
import type { Disposable } from '../../util/disposable';
import { UserError } from '../../util/errors';
import { inTurn } from '../../util/inTurn';
import type { Log } from '../../util/log';
import { RowIndex } from '../../util/rowIndex';
import { text } from '../../util/text';
import {
  stillTold,
  timerOf,
  type ArmedTimer,
  type Schedule,
  type ScheduleAction,
  type ScheduleState,
  type ScheduleTerm,
} from '../model/schedule';
import type { ScheduleRow, ScheduleStorage, UnreadableSchedule } from './scheduleFiles';

export interface InstanceSchedulesDeps {
  readonly accounts: Pick<Accounts, 'active' | 'onDidChange'>;
  readonly hub: WindowHub;
  readonly clock: Clock;
  readonly log: Log;
  /** Returns the storage of an account. */
  readonly storage: (accountKey: string) => ScheduleStorage;
}

/** A schedule after a change, and when a request for the previous one left, if it did. */
export interface ChangedSchedule {
  readonly schedule: Schedule;
  readonly sentAt: number | undefined;
}

/** Scheduled stops and destroys of the active account, on disk and the same in all windows. */
export class InstanceSchedules implements Disposable {
  private readonly list: DiskList<ScheduleRow, ScheduleStorage>;
  private readonly index = new RowIndex<ScheduleRow, number>(({ schedule }) => schedule.instanceId);
  /** The window that carries out schedules changes them in several places at the same time. */
  private readonly inTurn = inTurn();

  constructor(private readonly deps: InstanceSchedulesDeps) {
    this.list = new DiskList({
      ...deps,
      topic: 'schedules.changed',
      open: deps.storage,
      unreadable: 'What is to be stopped or destroyed later could not be read',
    });
  }

  get onDidChange() {
    return this.list.onDidChange;
  }

  get rows(): readonly ScheduleRow[] {
    return this.list.rows;
  }

  /** The rows as text, which is the same as long as they are. */
  get text(): string {
    return this.list.text;
  }

  /** The error of the last read from disk; rows that were read before are kept. */
  get error(): unknown {
    return this.list.error;
  }

  /** Settles once the rows belong to the active account. */
  get ready(): Promise<void> {
    return this.list.ready;
  }

  find(instanceId: number): ScheduleRow | undefined {
    return this.index.find(this.list.rows, instanceId);
  }

  /** Schedules whose files can't be read. */
  get unreadable(): readonly UnreadableSchedule[] {
    return this.list.files?.unreadable ?? [];
  }

  /** Looks whether another window has changed a schedule without saying so. Never rejects. */
  rereadAll(): Promise<void> {
    return this.list.reread();
  }

  /** Reads the schedules again, here and in the other windows. Never rejects. */
  refresh(): Promise<void> {
    return this.list.publishChange(this.list.files);
  }

  /**
   * Sets a schedule in place of the present one; a timer on the machine that could not be ended stays visible. Throws
   * if no user is signed in or the disk refuses.
   */
  async set(instanceId: number, action: ScheduleAction, term: ScheduleTerm): Promise<ChangedSchedule> {
    const files = this.files();
    return this.inTurn(async () => {
      const id = newOwnId();
      const setAt = this.deps.clock.now();
      const before = await this.current(files, instanceId);
      return this.replace({ id, instanceId, action, term, setAt, armed: timerOf(before) }, files);
    });
  }

  /** Schedules an instance of any account, unless it has a schedule. Throws where the disk refuses. */
  setFirst(
    accountKey: string,
    instanceId: number,
    action: ScheduleAction,
    term: ScheduleTerm,
  ): Promise<void> {
    const files = this.list.filesOf(accountKey);
    return this.inTurn(async () => {
      if ((await this.current(files, instanceId)) === undefined) {
        const id = newOwnId();
        await this.replace({ id, instanceId, action, term, setAt: this.deps.clock.now() }, files);
      }
    });
  }

  /**
   * Sets what the agreed end of a rental means in the present state of its instance, or nothing, in place of what it
   * meant before. A schedule of the user or of an agent stays. Throws where the disk refuses.
   */
  setAgreed(
    accountKey: string,
    instanceId: number,
    next: Pick<Schedule, 'action' | 'term' | 'savedAt'> | undefined,
  ): Promise<void> {
    const files = this.list.filesOf(accountKey);
    return this.inTurn(async () => {
      const before = await this.current(files, instanceId);
      if (before !== undefined && before.isAgreed !== true) {
        return;
      }
      if (next) {
        const armed = timerOf(before);
        const setAt = this.deps.clock.now();
        await this.replace({ id: newOwnId(), instanceId, ...next, setAt, armed, isAgreed: true }, files);
      } else if (before) {
        await this.remove(instanceId, files);
      }
    });
  }

  /**
   * Puts the schedule back that preceded one, in any account; without one it is canceled. A newer decision of the user
   * stays.
   */
  putBack(
    accountKey: string,
    instanceId: number,
    isReplaced: (schedule: Schedule) => boolean,
    before: Schedule | undefined,
  ): Promise<void> {
    const files = this.list.filesOf(accountKey);
    return this.inTurn(async () => {
      const schedule = await this.current(files, instanceId);
      if (schedule && isReplaced(schedule)) {
        await (before ? this.replace(before, files) : this.remove(instanceId, files));
      }
    });
  }

  /** Postpones a schedule. For an idle schedule, counting restarts now; it can also be kept for that time. */
  extend(
    instanceId: number,
    byMs: number,
    how?: { readonly keeps: boolean },
  ): Promise<ChangedSchedule | undefined> {
    return this.inTurn(() => this.prolong(instanceId, byMs, how));
  }

  private async prolong(
    instanceId: number,
    byMs: number,
    { keeps = false } = {},
  ): Promise<ChangedSchedule | undefined> {
    const row = this.find(instanceId);
    if (!row) {
      return undefined;
    }
    const { schedule } = row;
    const now = this.deps.clock.now();
    const term: ScheduleTerm =
      schedule.term.kind === 'idle'
        ? { ...schedule.term, ...(keeps ? { notBefore: now + byMs } : {}) }
        : { kind: 'at', at: Math.max(schedule.term.at, now) + byMs };
    const next: Schedule = { ...schedule, id: newOwnId(), term, setAt: now };
    const files = this.files();
    const changed = await this.replace(next, files);
    const told = stillTold(next, row.state, now);
    if (told) {
      await files.putState(instanceId, told);
      await this.list.publishChange(files);
    }
    return changed;
  }

  /** Writes the new decision first: then either the acting window sees it, or this window sees what left. */
  private async replace(schedule: Schedule, files = this.files()): Promise<ChangedSchedule> {
    const before = await this.current(files, schedule.instanceId);
    await files.put(schedule);
    const sentAt = sentFor(before, await files.state(schedule.instanceId));
    await this.list.publishChange(files);
    return { schedule, sentAt };
  }

  /**
   * Records whether the timer on the machine was proved, for this exact schedule. Returns false if the schedule was canceled
   * or changed in between.
   */
  setArmed({ id, instanceId }: Schedule, armed: ArmedTimer | undefined): Promise<boolean> {
    const { files } = this.list;
    return this.inTurn(async () => {
      const row = await files?.read(instanceId);
      if (!files || row?.schedule.id !== id) {
        return false;
      }
      if (row.schedule.isOnlyOnInstance === true && !armed) {
        await this.remove(instanceId, files);
      } else {
        await this.write({ ...row.schedule, armed }, files);
      }
      return true;
    });
  }

  /** Records the user's cancellation. Returns when the request to the service left, if it was before this. */
  cancel(instanceId: number): Promise<number | undefined> {
    const { files } = this.list;
    return this.inTurn(() => this.remove(instanceId, files));
  }

  private async remove(instanceId: number, files: ScheduleStorage | undefined): Promise<number | undefined> {
    const before = await this.current(files, instanceId);
    const state = await files?.remove(instanceId);
    await this.list.publishChange(files);
    return sentFor(before, state);
  }

  /** Records a canceled schedule whose timer on the instance could not be ended, so that it stays visible. */
  keepOnInstance(instanceId: number): Promise<number | undefined> {
    const { files } = this.list;
    return this.inTurn(async () => {
      const before = await this.current(files, instanceId);
      if (before?.armed) {
        const { action = before.action } = before.armed;
        const id = newOwnId();
        const { sentAt } = await this.replace({ ...before, id, action, isOnlyOnInstance: true }, files);
        return sentAt;
      }
      return this.remove(instanceId, files);
    });
  }

  /** For the window that carries out schedules: removes a schedule; a newer decision of the user stays. */
  finish({ id, instanceId }: Schedule): Promise<void> {
    const { files } = this.list;
    return this.inTurn(async () => {
      if ((await files?.read(instanceId))?.schedule.id === id) {
        await this.remove(instanceId, files);
      }
    });
  }

  /**
   * For the window that carries out schedules, right before its request leaves: returns false if the user changed or
   * canceled the schedule. It first stores that the request leaves, so that a later cancel knows.
   */
  async isAboutToSend(schedule: Schedule, state: ScheduleState): Promise<boolean> {
    await this.putState(schedule.instanceId, { ...state, sentAt: this.deps.clock.now() });
    return (await this.reread(schedule.instanceId))?.schedule.id === schedule.id;
  }

  /** For the window that carries out schedules: reads the schedule from disk, including the user's last decision. */
  async reread(instanceId: number): Promise<ScheduleRow | undefined> {
    return this.list.files?.read(instanceId);
  }

  /** For the window that carries out schedules: returns false if the user changed or canceled the schedule. */
  amend(schedule: Schedule): Promise<boolean> {
    const { files } = this.list;
    return this.inTurn(async () => {
      if (!files || (await files.read(schedule.instanceId))?.schedule.id !== schedule.id) {
        return false;
      }
      await this.write(schedule, files);
      return true;
    });
  }

  /** For the window that carries out schedules: stores progress; a canceled schedule leaves nothing behind. */
  putState(instanceId: number, state: ScheduleState): Promise<void> {
    const { files } = this.list;
    return this.inTurn(async () => {
      if ((await files?.read(instanceId))?.schedule.id !== state.scheduleId) {
        return;
      }
      await files?.putState(instanceId, state);
      await this.list.publishChange(files);
    });
  }

  dispose(): void {
    this.list.dispose();
  }

  private async write(schedule: Schedule, files: ScheduleStorage): Promise<void> {
    await files.put(schedule);
    await this.list.publishChange(files);
  }

  /** Returns the storage of the active account. Get it before reading: another account may be active afterwards. */
  private files(): ScheduleStorage {
    const { files } = this.list;
    if (!files) {
      throw new UserError(text('You are not signed in. Sign in first.'), { nextStep: 'signIn' });
    }
    return files;
  }

  /** Returns the schedule on disk, or the last one read if the disk refuses. */
  private async current(
    files: ScheduleStorage | undefined,
    instanceId: number,
  ): Promise<Schedule | undefined> {
    const row = await files?.read(instanceId).catch(() => {
      return files === this.list.files ? this.find(instanceId) : undefined;
    });
    return row?.schedule;
  }
}

function sentFor(schedule: Schedule | undefined, state: ScheduleState | undefined): number | undefined {
  return schedule !== undefined && state?.scheduleId === schedule.id ? state.sentAt : undefined;
}
