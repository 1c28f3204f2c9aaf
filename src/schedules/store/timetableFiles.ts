import * as z from 'zod';
import { numberId, RowFolder } from '../../store/disk/rowFolder';
import { defined } from '../../util/defined';
import type { Log } from '../../util/log';
import type { Text } from '../../util/text';

const recordFile = z.object({
  version: z.literal(1),
  startTime: z.number(),
  heldTime: z.number().optional(),
  entryId: z.number().optional(),
  checkedAt: z.number().optional(),
  isUnwanted: z.boolean().optional(),
  problem: z
    .custom<Text>((value) => typeof value === 'object' && value !== null && 'template' in value)
    .optional(),
});

/** What is known of our entry in the timetable of the service, from before it is sent until it is proved gone. */
export interface TimetableRecord {
  readonly instanceId: number;
  /** When the service stops the instance (Unix seconds of its clock). */
  readonly startTime: number;
  /** The time before that, while the entry may still have it. */
  readonly heldTime?: number | undefined;
  /** Absent until an answer stated it. */
  readonly entryId?: number | undefined;
  /** When it was read back with every field as it was sent (ms since 1970); absent until then. */
  readonly checkedAt?: number | undefined;
  /** It has to be removed. */
  readonly isUnwanted?: boolean | undefined;
  /** Why it is not set, or not removed. */
  readonly problem?: Text | undefined;
}

/** Our entries of one account, by instance. */
export class TimetableFiles extends RowFolder<TimetableRecord> {
  constructor(folder: string, log: Pick<Log, 'warn'>) {
    super(folder, numberId, log);
  }

  async read(id: string | number): Promise<TimetableRecord | undefined> {
    const content = await this.file(id, recordFile).value();
    if (!content) {
      return undefined;
    }
    const { version: _, ...known } = content;
    return defined<TimetableRecord>({ instanceId: Number(id), ...known });
  }

  async put({ instanceId, ...record }: TimetableRecord): Promise<void> {
    await this.file(instanceId, recordFile).write({ version: 1, ...record });
  }

  async remove(instanceId: number): Promise<void> {
    await this.file(instanceId, recordFile).remove();
  }

  protected order(one: TimetableRecord, other: TimetableRecord): number {
    return one.instanceId - other.instanceId;
  }
}
