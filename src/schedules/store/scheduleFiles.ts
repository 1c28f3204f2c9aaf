import * as z from 'zod';
import { numberId, RowFolder } from '../../store/disk/rowFolder';
import { defined } from '../../util/defined';
import type { Log } from '../../util/log';
import type { Schedule, ScheduleState } from '../model/schedule';

const scheduleFile = z.object({
  version: z.literal(1),
  id: z.string(),
  action: z.enum(['stop', 'destroy']),
  term: z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('at'), at: z.number() }),
    z.object({
      kind: z.literal('idle'),
      minutes: z.number().positive(),
      notBefore: z.number().optional(),
    }),
  ]),
  setAt: z.number(),
  armed: z
    .object({
      token: z.string(),
      at: z.number().optional(),
      provedAt: z.number(),
      isDoubtful: z.boolean().optional(),
      action: z.enum(['stop', 'destroy']).optional(),
    })
    .optional(),
  isOnlyOnInstance: z.boolean().optional(),
  isAgreed: z.boolean().optional(),
  savedAt: z.number().optional(),
});
const stateFile = z.object({
  scheduleId: z.string(),
  idleSince: z.number().optional(),
  warnedAt: z.number().optional(),
  isAnnounced: z.boolean().optional(),
  missedAt: z.number().optional(),
  endedAt: z.number().optional(),
  attempts: z.number().optional(),
  nextTryAt: z.number().optional(),
  actingSince: z.number().optional(),
  sentAt: z.number().optional(),
});

export interface ScheduleRow {
  readonly schedule: Schedule;
  readonly state: ScheduleState;
}

/** A schedule that can't be carried out, because its file can't be read. */
export interface UnreadableSchedule {
  readonly instanceId: number;
  readonly path: string;
  /** `damaged`: it was set aside under this path. `refused`: the disk refused to read it. */
  readonly kind: 'damaged' | 'refused';
}

export interface ScheduleStorage {
  /** Returns the readable schedules by instance. Throws if the folder can't be read. */
  list(): Promise<readonly ScheduleRow[]>;
  /** The schedules that the last `list` could not read. */
  readonly unreadable: readonly UnreadableSchedule[];
  /** One that the disk refused, where the others were read. */
  readonly refused?: unknown;
  /** Throws `FileUnreadableError` when the disk refuses. */
  read(instanceId: number): Promise<ScheduleRow | undefined>;
  /** Returns the progress of any schedule of the instance, including canceled or replaced ones. */
  state(instanceId: number): Promise<ScheduleState | undefined>;
  put(schedule: Schedule): Promise<void>;
  putState(instanceId: number, state: ScheduleState): Promise<void>;
  /** Removes the user's decision first; returns the progress. */
  remove(instanceId: number): Promise<ScheduleState | undefined>;
}

/**
 * The schedules of one account. The user's decision and the progress are separate files, so that the window that carries
 * out a schedule never overwrites a change or restores a canceled one.
 */
export class ScheduleFiles extends RowFolder<ScheduleRow> implements ScheduleStorage {
  constructor(folder: string, log: Pick<Log, 'warn'>) {
    super(folder, numberId, log);
  }

  get unreadable(): readonly UnreadableSchedule[] {
    const refused = [...this.refusals.keys()].map((id) => [id, this.pathOf(id), 'refused'] as const);
    const damaged = [...this.damagedById].map(([id, path]) => [id, path, 'damaged'] as const);
    return [...refused, ...damaged].map(([id, path, kind]) => ({ instanceId: Number(id), path, kind }));
  }

  async read(id: number | string): Promise<ScheduleRow | undefined> {
    const content = await this.scheduleFile(id).value();
    if (!content) {
      return undefined;
    }
    const instanceId = Number(id);
    const { version: _, ...known } = content;
    const schedule = defined<Schedule>({ instanceId, ...known });
    const state = await this.state(instanceId);
    return { schedule, state: state?.scheduleId === schedule.id ? state : { scheduleId: schedule.id } };
  }

  async state(instanceId: number): Promise<ScheduleState | undefined> {
    // The file has the same members as the type; JSON omits undefined ones.
    return (await this.stateFile(instanceId).value()) as ScheduleState | undefined;
  }

  async put({ instanceId, ...schedule }: Schedule): Promise<void> {
    await this.scheduleFile(instanceId).write({ version: 1, ...schedule });
  }

  async putState(instanceId: number, state: ScheduleState): Promise<void> {
    await this.stateFile(instanceId).write({ ...state });
  }

  async remove(instanceId: number): Promise<ScheduleState | undefined> {
    await this.scheduleFile(instanceId).remove();
    const state = await this.state(instanceId);
    await this.stateFile(instanceId).remove();
    return state;
  }

  protected order({ schedule: one }: ScheduleRow, { schedule: other }: ScheduleRow): number {
    return one.instanceId - other.instanceId;
  }

  /** A schedule that can't be read is not carried out, and is named in `unreadable`. */
  protected override standIn(): undefined {
    return undefined;
  }

  private scheduleFile(instanceId: number | string) {
    return this.file(instanceId, scheduleFile);
  }

  private stateFile(instanceId: number) {
    return this.file(`${instanceId}.state`, stateFile);
  }
}
