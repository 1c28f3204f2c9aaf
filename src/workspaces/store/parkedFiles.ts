import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { micros } from '../../model/money';
import type { RentedLike } from '../../model/rentals/rentedLike';
import { RowFolder } from '../../store/disk/rowFolder';
import type { Clock } from '../../util/clock';
import { fileLock } from '../../util/fileLock';
import type { Log } from '../../util/log';
import { text, type Text } from '../../util/text';
import {
  newParkingState,
  parkingPhases,
  type ParkedRow,
  type ParkedSet,
  type ParkingState,
} from '../model/parking';

const optionalTime = z.number().optional();
const machine = z.object({
  instanceId: z.int().nonnegative(),
  name: z.string(),
  contractStart: z.number(),
  perHour: micros.optional(),
  perDay: micros.optional(),
});
const savedText = z.custom<Text>(
  (value) => z.looseObject({ template: z.string(), args: z.array(z.unknown()) }).safeParse(value).success,
);
/** Only this store writes it, and renting shows all of it before anything is sent. */
const rentedLike = z.custom<RentedLike>(
  (value) =>
    z
      .looseObject({ config: z.looseObject({}), rentalType: z.enum(['on-demand', 'interruptible']) })
      .safeParse(value).success,
);

const setFile = z.object({
  version: z.literal(1),
  id: z.string(),
  plan: z.enum(['park', 'move', 'rescue']),
  orderedAt: z.number(),
  accountKey: z.string(),
  serviceUrl: z.string(),
  from: machine,
  root: z.string().startsWith('/'),
  leftOut: z.array(z.string()),
  like: rentedLike,
  hasVolume: z.boolean().optional(),
  cloud: z
    .object({ connectionId: z.int().nonnegative(), name: z.string(), folder: z.string().startsWith('/') })
    .optional(),
  host: z
    .string()
    .regex(/^gpu-ws-[a-z0-9-]+$/)
    .optional(),
  isByService: z.boolean().optional(),
  replaces: z.string().optional(),
  rental: z.object({ marker: z.string(), accountKey: z.string() }).optional(),
  decidedAt: z.object({ stop: optionalTime, retry: optionalTime }),
});

const stateFile = z.object({
  setId: z.string(),
  phase: z.enum(parkingPhases),
  since: z.number(),
  rounds: z.number(),
  files: z.number().optional(),
  bytes: z.number().optional(),
  provedAt: optionalTime,
  endedAt: optionalTime,
  copy: z
    .object({
      begunAt: z.number(),
      before: z.string().optional(),
      endedAt: optionalTime,
      why: savedText.optional(),
    })
    .optional(),
  lacking: z.array(z.string()).optional(),
  marker: z.string().optional(),
  carry: z.object({ begunAt: z.number(), isOver: z.boolean().optional() }).optional(),
  next: machine.optional(),
  resumed: machine.extend({ root: z.string().startsWith('/'), at: z.number() }).optional(),
  trouble: z.object({ why: savedText, tries: z.number(), nextTryAt: optionalTime }).optional(),
});

/** The parked sets of all accounts: signing out must not delete work. Each has a folder for its files. */
export class ParkedFiles extends RowFolder<ParkedRow> {
  constructor(
    folder: string,
    log: Pick<Log, 'warn'>,
    private readonly clock: Clock,
  ) {
    super(folder, /^[0-9a-f]{8}$/, log, () => clock.now());
  }

  /** Reads a set; one whose progress is damaged or missing does nothing until the user decides. */
  async read(id: string): Promise<ParkedRow | undefined> {
    const set: ParkedSet | undefined = await this.setFile(id).value();
    if (!set) {
      return undefined;
    }
    const state: ParkingState | undefined = await this.stateFile(id).value();
    if (state) {
      return { set, state };
    }
    const lost: ParkingState = {
      ...newParkingState(set),
      phase: 'stopped',
      trouble: { why: text('The file about its progress is damaged.'), tries: 1 },
    };
    // One that was removed during this read has no state either.
    return (await this.setFile(id).value()) && { set, state: lost };
  }

  async put(set: ParkedSet): Promise<void> {
    await this.setFile(set.id).write({ version: 1, ...set, leftOut: [...set.leftOut] });
  }

  async putState(state: ParkingState): Promise<void> {
    const { lacking } = state;
    await this.stateFile(state.setId).write({ ...state, lacking: lacking && [...lacking] });
  }

  /** Changes what was decided about a set by what is on disk, while no other window does. */
  change<T>(action: () => Promise<T>): Promise<T> {
    return fileLock(join(this.path, 'lock'), this.clock)(action);
  }

  /** Removes a set with its files; what names it goes first, so that no half of it counts as whole. */
  async remove(id: string): Promise<void> {
    await this.setFile(id).remove();
    await this.stateFile(id).remove();
    await rm(this.folderOf(id), { recursive: true, force: true, maxRetries: 3 });
  }

  folderOf(id: string): string {
    return join(this.path, id);
  }

  protected order(one: ParkedRow, other: ParkedRow): number {
    return other.set.orderedAt - one.set.orderedAt || one.set.id.localeCompare(other.set.id);
  }

  private setFile(id: string) {
    return this.file(
      id,
      setFile.refine((set) => set.id === id),
    );
  }

  private stateFile(id: string) {
    return this.file(
      `${id}.state`,
      stateFile.refine((state) => state.setId === id),
    );
  }
}
