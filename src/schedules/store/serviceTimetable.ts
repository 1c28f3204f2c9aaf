import { NotFoundError } from '../../api/errors';
import { secondsAhead } from '../../api/serviceClock';
import type { TimetableEntry } from '../../model/instances/timetable';
import type { Account, Accounts } from '../../store/accounts/accounts';
import { DiskList } from '../../store/disk/diskList';
import type { Fleet } from '../../store/instances/fleetStore';
import type { Notices } from '../../store/windows/notices';
import type { WindowHub } from '../../store/windows/windowHub';
import { actAs } from '../../util/acting';
import type { Clock } from '../../util/clock';
import { DisposableStore, type Disposable } from '../../util/disposable';
import { errorCode } from '../../util/errorCode';
import { isCancelled } from '../../util/errors';
import type { Log } from '../../util/log';
import { NextRead } from '../../util/nextRead';
import { text } from '../../util/text';
import { retryAfterMs } from '../model/schedule';
import { endOf, holds, isSameCall, stopOrder, wishOf, type TimetableWish } from '../model/timetable';
import type { InstanceSchedules } from './instanceSchedules';
import type { TimetableFiles, TimetableRecord } from './timetableFiles';
import { timetableNoticeKind, type TimetableNotice } from './timetableNotice';
import { isLasting, OtherEntryError, timetableProblem } from './timetableProblem';
import { heldBefore, isOfRecord } from './timetableRecord';

export interface ServiceTimetableDeps {
  readonly accounts: Pick<Accounts, 'active' | 'onDidChange'>;
  readonly fleet: Pick<Fleet, 'onDidChange'>;
  readonly hub: WindowHub;
  readonly schedules: InstanceSchedules;
  readonly notices: Pick<Notices, 'post'>;
  readonly clock: Clock;
  readonly log: Log;
  /** Whether the user wants the timetable of the service to be used. */
  readonly isOn: () => boolean;
  readonly files: (accountKey: string) => TimetableFiles;
}

/** A clock that is off by less is right: entries are for full hours (ms). */
const clockErrorMs = 5 * 60_000;
/** What does not show in the list after so many tries is not tried again before the schedule changes. */
const mostTries = 5;

/** How long a user waits for a removal (ms). */
const removalMs = 60_000;

/** `refused`: a message names it. `noAnswer`: the leading window has not even tried, or the service is that slow. */
export type Removal = 'gone' | 'refused' | 'noAnswer';

/** One look at the schedules of an account and at what the service has of them. */
interface Round {
  readonly account: Account;
  readonly files: TimetableFiles;
  entries: readonly TimetableEntry[] | undefined;
}

/**
 * Keeps a stop in the timetable of the service for each end at a time, in the leading window and for the active account. A
 * change of a schedule costs one write and one read, and nothing is read in between. The record on disk is written before
 * the request leaves, so a killed window leaves no entry that is not known.
 */
export class ServiceTimetable implements Disposable {
  private readonly owned = new DisposableStore();
  private readonly list: DiskList<TimetableRecord, TimetableFiles>;
  private readonly rounds = new NextRead(() => this.lookQuietly());
  private readonly stop = new AbortController();
  /** The account whose entries this window has read since it leads. */
  private opened: string | undefined;
  /** How often an entry was tried, for which time, and when the next try may be (`Clock.elapsed`). */
  private readonly tries = new Map<number, { key: string; count: number; nextAt: number }>();
  private aheadMs = 0;

  constructor(private readonly deps: ServiceTimetableDeps) {
    this.list = this.owned.add(
      new DiskList({
        ...deps,
        topic: 'timetable.changed',
        open: deps.files,
        unreadable: 'What the timetable of the service holds could not be read',
      }),
    );
    this.owned.add(deps.schedules.onDidChange(() => this.look()));
    this.owned.add(deps.fleet.onDidChange(() => this.look()));
    this.owned.add(
      deps.hub.onDidChangeLeader(() => {
        this.opened = undefined;
        this.look();
      }),
    );
    this.look();
  }

  get onDidChange() {
    return this.list.onDidChange;
  }

  find(instanceId: number): TimetableRecord | undefined {
    return this.list.rows.find((row) => row.instanceId === instanceId);
  }

  /** Returns what the service should do for an instance, if the timetable is used. */
  wish(instanceId: number): TimetableWish | undefined {
    const { schedules, isOn, clock } = this.deps;
    const row = isOn() ? schedules.find(instanceId) : undefined;
    const present = this.find(instanceId)?.startTime;
    return row && wishOf(row.schedule, row.state, this.times(clock.now(), present));
  }

  /** The time of an entry by this computer's clock (ms since 1970). */
  timeOf(startTime: number): number {
    return startTime * 1000 + this.aheadMs;
  }

  /** Waits at most a minute until the service holds nothing for an instance, or nothing for this time (Unix seconds). */
  async removal(instanceId: number, startTime?: number): Promise<Removal> {
    const { clock } = this.deps;
    const store = new DisposableStore();
    try {
      return await new Promise((resolve) => {
        const check = () => {
          const record = this.find(instanceId);
          const isOther = startTime !== undefined && record?.startTime !== startTime;
          const isRefused = record?.problem !== undefined && (record.isUnwanted === true || isOther);
          if (isRefused || !record || (isOther && record.checkedAt !== undefined)) {
            resolve(isRefused ? 'refused' : 'gone');
          }
        };
        store.add(this.list.onDidChange(check));
        store.add(clock.schedule(() => resolve('noAnswer'), removalMs));
        check();
      });
    } finally {
      store.dispose();
    }
  }

  /** Compares the schedules with what the service has. Never rejects. */
  look(): void {
    if (this.deps.hub.isLeader && !this.owned.isDisposed) {
      void this.rounds.ask();
    }
  }

  dispose(): void {
    this.stop.abort();
    this.owned.dispose();
  }

  private times(now: number, present: number | undefined) {
    return { now, aheadMs: this.aheadMs, ...(present === undefined ? {} : { present }) };
  }

  private async lookQuietly(): Promise<void> {
    const { log, accounts } = this.deps;
    const account = accounts.active;
    try {
      if (account) {
        await this.lookAt(account);
      }
    } catch (error) {
      if (!isCancelled(error)) {
        log.warn(`The timetable of the service could not be followed: ${String(error)}`);
      }
    }
  }

  private async lookAt(account: Account): Promise<void> {
    const { schedules, isOn } = this.deps;
    await Promise.all([schedules.ready, this.list.ready]);
    const { files } = this.list;
    if (
      !files ||
      !this.mayWrite(account) ||
      // An error is not an empty list: what can't be read may be an end that holds.
      schedules.error !== undefined ||
      this.list.anyError !== undefined ||
      (!isOn() && this.list.rows.length === 0)
    ) {
      return;
    }
    const round: Round = { account, files, entries: undefined };
    const isOpening = isOn() && this.opened !== account.key;
    if (isOpening) {
      this.opened = account.key;
      await this.compare(round);
    }
    const dropped = await this.drop(round);
    const made = await this.make(round);
    if (dropped.length > 0 || made.length > 0) {
      await this.verify(round, dropped, made);
    }
    if (isOpening) {
      this.offerLeftovers(round);
    }
    if (isOpening || dropped.length > 0 || made.length > 0) {
      await this.list.publishChange(files);
    }
  }

  /** The first read of this window: what is no longer as it was sent is made again. */
  private async compare(round: Round): Promise<void> {
    const entries = await this.read(round);
    for (const record of this.list.rows) {
      const order = stopOrder(record.instanceId, record.startTime);
      const found = entries.find((entry) => isSameCall(entry, record.instanceId));
      const isHeld = found !== undefined && holds(found, order);
      await round.files.put({
        ...record,
        entryId: found && (isHeld || found.id === record.entryId) ? found.id : undefined,
        checkedAt: isHeld ? this.deps.clock.now() : undefined,
      });
    }
    await this.list.publishChange(round.files);
  }

  /** Deletes the entries that no schedule wants any more. */
  private async drop(round: Round): Promise<readonly TimetableRecord[]> {
    const { schedules } = this.deps;
    const unreadable = new Set(schedules.unreadable.map(({ instanceId }) => instanceId));
    const tried: TimetableRecord[] = [];
    for (const record of this.list.rows) {
      const { instanceId, startTime } = record;
      if (
        this.wish(instanceId)?.kind === 'stop' ||
        unreadable.has(instanceId) ||
        !this.isDue(instanceId, `-${startTime}`)
      ) {
        continue;
      }
      const unwanted = { ...record, isUnwanted: true, checkedAt: undefined };
      tried.push(unwanted);
      await this.attempt(round, unwanted, async () => {
        const id = record.entryId ?? (await this.idOf(round, record));
        if (id !== undefined) {
          await this.remove(round, id);
        }
      });
    }
    return tried;
  }

  private async idOf(round: Round, record: TimetableRecord): Promise<number | undefined> {
    const entries = round.entries ?? (await this.read(round));
    return entries.find((entry) => isOfRecord(entry, record))?.id;
  }

  /** Sends the stops that are not held yet. */
  private async make(round: Round): Promise<readonly TimetableRecord[]> {
    const tried: TimetableRecord[] = [];
    for (const { schedule } of this.deps.schedules.rows) {
      const { instanceId } = schedule;
      const before = this.find(instanceId);
      const wish = this.wish(instanceId);
      const isHeld =
        wish?.kind === 'stop' &&
        before?.startTime === wish.startTime &&
        before.checkedAt !== undefined &&
        before.isUnwanted !== true;
      if (wish?.kind !== 'stop' || isHeld || !this.isDue(instanceId, `+${wish.startTime}`)) {
        continue;
      }
      const { startTime } = wish;
      const record = {
        instanceId,
        startTime,
        entryId: before?.entryId,
        heldTime: heldBefore(before, startTime),
      };
      tried.push(record);
      await this.attempt(round, record, () => this.send(round, record, before, schedule.id));
    }
    return tried;
  }

  private async send(
    round: Round,
    { instanceId, startTime }: TimetableRecord,
    before: TimetableRecord | undefined,
    scheduleId: string,
  ): Promise<void> {
    const { timetable } = round.account.client;
    const order = stopOrder(instanceId, startTime);
    const isStillWanted = async () =>
      this.mayWrite(round.account) &&
      (await this.deps.schedules.reread(instanceId))?.schedule.id === scheduleId;
    const options = { signal: this.stop.signal, isStillWanted };
    let id = before?.entryId;
    if (before && id === undefined) {
      id = await this.idOf(round, before);
    }
    if (id !== undefined && before && before.startTime * 1000 <= this.deps.clock.now() - this.aheadMs) {
      // It has run, which its row states for good.
      await this.remove(round, id);
      id = undefined;
    }
    if (id !== undefined) {
      const isChanged = await timetable.change(id, order, options).then(
        () => true,
        (error: unknown) => {
          if (!(error instanceof NotFoundError)) {
            throw error;
          }
        },
      );
      if (isChanged) {
        return;
      }
    }
    try {
      await timetable.create(order, options);
    } catch (error) {
      if (errorCode(error) !== 'job_exists') {
        throw error;
      }
      const found = (await this.read(round)).find((entry) => isSameCall(entry, instanceId));
      if (found && endOf(found) !== 'stop') {
        throw new OtherEntryError();
      }
      if (found && !holds(found, order)) {
        await timetable.change(found.id, order, options);
      }
    }
  }

  private async remove(round: Round, id: number): Promise<void> {
    const isStillWanted = () => Promise.resolve(this.mayWrite(round.account));
    const options = { signal: this.stop.signal, isStillWanted };
    await round.account.client.timetable.remove(id, options).catch((error: unknown) => {
      if (!(error instanceof NotFoundError)) {
        throw error;
      }
    });
  }

  /** Runs the requests for one instance. An answer that is lost is no problem yet: the list shows what happened. */
  private async attempt(round: Round, record: TimetableRecord, run: () => Promise<void>): Promise<void> {
    const { clock } = this.deps;
    const key = `${record.isUnwanted === true ? '-' : '+'}${record.startTime}`;
    const known = this.tries.get(record.instanceId);
    const count = known?.key === key ? known.count + 1 : 1;
    this.tries.set(record.instanceId, { key, count, nextAt: clock.elapsed() + retryAfterMs(count) });
    await round.files.put({ ...record, problem: undefined });
    try {
      await actAs({ kind: 'schedule' }, run);
    } catch (error) {
      if (isCancelled(error)) {
        throw error;
      }
      await round.files.put({ ...record, problem: timetableProblem(error) });
      if (isLasting(error)) {
        this.tries.set(record.instanceId, { key, count, nextAt: Infinity });
      }
    }
  }

  /** Whether an entry may be tried: at once after a change, later after a failure. */
  private isDue(instanceId: number, key: string): boolean {
    const known = this.tries.get(instanceId);
    const isLast = known !== undefined && known.count >= mostTries && key.startsWith('+');
    return known?.key !== key || (!isLast && this.deps.clock.elapsed() >= known.nextAt);
  }

  /** Reads the list after the writes: only what it shows is said to be set or gone. */
  private async verify(
    round: Round,
    dropped: readonly TimetableRecord[],
    made: readonly TimetableRecord[],
  ): Promise<void> {
    const { files } = round;
    const entries = await this.read(round).catch(async (error: unknown) => {
      for (const { instanceId } of [...dropped, ...made]) {
        const record = await files.read(instanceId);
        if (record) {
          await files.put({ ...record, problem: record.problem ?? timetableProblem(error) });
        }
      }
      dropped.forEach((record) => this.postNotRemoved(round.account, record));
      made.forEach((record) => this.postNotMoved(round.account, record));
      await this.list.publishChange(files);
      throw error;
    });
    for (const record of dropped) {
      const { instanceId } = record;
      if (entries.some((entry) => isOfRecord(entry, record))) {
        this.postNotRemoved(round.account, record);
      } else if ((await files.read(instanceId))?.isUnwanted === true) {
        this.tries.delete(instanceId);
        await files.remove(instanceId);
      }
    }
    for (const { instanceId, startTime } of made) {
      const record = await files.read(instanceId);
      const order = stopOrder(instanceId, startTime);
      const found = entries.find((entry) => isSameCall(entry, instanceId) && endOf(entry) === 'stop');
      if (found && holds(found, order)) {
        this.tries.delete(instanceId);
        await files.put({ instanceId, startTime, entryId: found.id, checkedAt: this.deps.clock.now() });
      } else {
        const problem =
          record?.problem ?? text('The timetable of the service does not hold what was sent to it.');
        const heldTime = heldBefore(found, startTime);
        await files.put({ instanceId, startTime, entryId: found?.id, heldTime, problem });
        this.postNotMoved(round.account, { instanceId, startTime, heldTime });
      }
    }
  }

  /** Entries of ours that no schedule here explains are offered for removal once. */
  private offerLeftovers({ account, entries = [] }: Round): void {
    const own = new Set(this.list.rows.map(({ entryId }) => entryId));
    const left = entries.flatMap((entry) => {
      const { id, instanceId, startTime } = entry;
      const action = own.has(id) ? undefined : endOf(entry);
      return action === undefined || instanceId === undefined || startTime === undefined
        ? []
        : [{ id, instanceId, action, startTime }];
    });
    if (left.length > 0) {
      const ids = left.map(({ id }) => id).sort((one, other) => one - other);
      this.post(account, `left:${ids.join()}`, { kind: 'left', entries: left });
    }
  }

  /** The user canceled or moved the end, so an entry that stays is a surprise. */
  private postNotRemoved(account: Account, { instanceId, startTime }: TimetableRecord): void {
    this.post(account, `${instanceId}:${startTime}`, { kind: 'notRemoved', instanceId, startTime });
  }

  private postNotMoved(account: Account, { instanceId, heldTime }: TimetableRecord): void {
    if (heldTime !== undefined) {
      this.postNotRemoved(account, { instanceId, startTime: heldTime });
    }
  }

  private post({ key }: Account, turn: string, data: TimetableNotice): void {
    this.deps.notices.post({
      key: `${key}:timetable:${turn}`,
      accountKey: key,
      kind: timetableNoticeKind,
      data,
    });
  }

  private async read(round: Round): Promise<readonly TimetableEntry[]> {
    const { items } = await round.account.client.timetable.list({
      signal: this.stop.signal,
      onHeaders: (headers, now) => {
        const ahead = secondsAhead(headers, now) * 1000;
        this.aheadMs = Math.abs(ahead) < clockErrorMs ? 0 : ahead;
      },
    });
    round.entries = items;
    return items;
  }

  private mayWrite({ key }: Account): boolean {
    const { hub, accounts } = this.deps;
    return hub.isLeader && accounts.active?.key === key && !this.owned.isDisposed;
  }
}
