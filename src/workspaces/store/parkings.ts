import * as z from 'zod';
import type { RentConfig } from '../../model/rentals/rent';
import type { RentedLike } from '../../model/rentals/rentedLike';
import { channel } from '../../shared/channel';
import type { SecretPort } from '../../store/accounts/patientSecrets';
import { DiskList, type DiskListDeps } from '../../store/disk/diskList';
import { newOwnId } from '../../store/disk/rowFolder';
import type { Clock } from '../../util/clock';
import { DisposableStore, type Disposable } from '../../util/disposable';
import { Emitter } from '../../util/emitter';
import { UserError } from '../../util/errors';
import { parseJson } from '../../util/json';
import type { Log } from '../../util/log';
import { text } from '../../util/text';
import type { ParkedProgress } from '../model/parkedSet';
import {
  canContinue,
  isAtRest,
  isResumable,
  isStopAsked,
  keepsOldMachine,
  newParkingState,
  usesOldMachine,
  type ParkedRow,
  type ParkedSet,
  type ParkingState,
} from '../model/parking';
import type { ParkedFiles } from './parkedFiles';
import { manyTries } from './parkingNotice';

interface Deps extends Pick<DiskListDeps<ParkedFiles>, 'hub'> {
  readonly files: ParkedFiles;
  readonly secrets: SecretPort;
  readonly clock: Clock;
  readonly log: Log;
}

const moves = channel(
  'parked.moved',
  z.object({ setId: z.string(), bytes: z.number(), totalBytes: z.number() }),
);
/** How often windows hear of a transfer (ms). */
const tellMs = 1_000;

/** Written by this store alone. */
const fullConfig = z.custom<RentConfig>((value) => z.looseObject({}).safeParse(value).success);

function secretKey(id: string): string {
  return `gpuRental.parked.${id}`;
}

/** The parked sets of this computer, on disk and the same in all windows. They belong to no account. */
export class Parkings implements Disposable {
  private readonly owned = new DisposableStore();
  private readonly changed = this.owned.add(new Emitter<void>());
  private readonly list: DiskList<ParkedRow, ParkedFiles>;
  private readonly moved = new Map<string, ParkedProgress>();
  /** Files that are named like sets but are none, so that they are read only once. */
  private readonly unreadable = new Set<string>();
  private toldAt = -Infinity;
  readonly onDidChange = this.changed.event;

  constructor(private readonly deps: Deps) {
    const { files, hub } = deps;
    this.list = this.owned.add(
      new DiskList<ParkedRow, ParkedFiles>({
        ...deps,
        topic: 'parked.changed',
        accounts: { active: { key: 'parked' }, onDidChange: () => ({ dispose: () => undefined }) },
        open: () => files,
        unreadable: 'The parked workspaces could not be read',
      }),
    );
    this.owned.add(
      this.list.onDidChange(() => {
        this.changed.fire();
      }),
    );
    this.owned.add(
      moves.on(hub, ({ setId, ...moved }) => {
        this.moved.set(setId, moved);
        this.changed.fire();
      }),
    );
  }

  get rows(): readonly ParkedRow[] {
    return this.list.rows;
  }

  /** Why all rows or some are missing or old. */
  get error(): unknown {
    return this.list.anyError;
  }

  get damaged(): readonly string[] {
    return this.list.damaged;
  }

  get ready(): Promise<void> {
    return this.list.ready;
  }

  find(id: string): ParkedRow | undefined {
    return this.rows.find(({ set }) => set.id === id);
  }

  /** The sets that are worked on. */
  get open(): readonly ParkedRow[] {
    return this.rows.filter((row) => !isAtRest(row));
  }

  /** What is done with an instance of an account, as its old or as its next machine. */
  onInstance(accountKey: string, instanceId: number): ParkedRow | undefined {
    return this.open.find(
      ({ set, state }) =>
        set.accountKey === accountKey &&
        (state.next?.instanceId === instanceId ||
          (set.from.instanceId === instanceId && usesOldMachine(state))),
    );
  }

  /** Returns the rescue that keeps an instance for the user. */
  keptOn(accountKey: string, instanceId: number): ParkedRow | undefined {
    return this.rows.find(
      (row) =>
        keepsOldMachine(row) && row.set.accountKey === accountKey && row.set.from.instanceId === instanceId,
    );
  }

  /** Returns the set that last continued in this folder of an instance; one of another folder is never replaced by it. */
  continuedIn(accountKey: string, instanceId: number, root: string): ParkedRow | undefined {
    return this.rows.find(
      ({ set, state: { resumed } }) =>
        set.accountKey === accountKey && resumed?.instanceId === instanceId && resumed.root === root,
    );
  }

  /**
   * Whether a schedule leaves an instance alone, also one that a rescue keeps for the user. One that is stopped loses no
   * files, and many failures cost money.
   */
  isSaving(accountKey: string, instanceId: number, loss: 'processes' | 'disk'): boolean {
    if (loss === 'disk' && this.keptOn(accountKey, instanceId)) {
      return true;
    }
    const row = this.onInstance(accountKey, instanceId);
    return row !== undefined && (loss === 'disk' || (row.state.trouble?.tries ?? 0) < manyTries);
  }

  /** How much of a transfer is done. */
  movedOf(id: string): ParkedProgress | undefined {
    return this.moved.get(id);
  }

  folderOf(id: string): string {
    return this.deps.files.folderOf(id);
  }

  /**
   * Orders a set. It is on disk when this resolves, and the leading window works on it. `full` is how its machine was
   * rented, with its secrets, which are kept as long as the set.
   */
  async order(
    given: Omit<ParkedSet, 'id' | 'orderedAt' | 'decidedAt'>,
    full?: RentConfig,
  ): Promise<ParkedSet> {
    const { files } = this.deps;
    const set: ParkedSet = { ...given, id: newOwnId(), orderedAt: this.deps.clock.now(), decidedAt: {} };
    await files.change(async () => {
      const { accountKey, from } = set;
      const other = (await files.list()).find(
        (row) =>
          !isAtRest(row) && row.set.accountKey === accountKey && row.set.from.instanceId === from.instanceId,
      );
      if (other) {
        throw new UserError(text('{0} is already being parked or moved.', from.name));
      }
      if (full) {
        await this.deps.secrets.store(secretKey(set.id), JSON.stringify(full));
      }
      // First, so that a missing state is never taken for that of a new set.
      await files.putState(newParkingState(set));
      await files.put(set);
    });
    await this.publish();
    return set;
  }

  /** Records the user's decision to leave the machine as it is. */
  stop(id: string): Promise<boolean> {
    return this.record(id, (row, at) =>
      isAtRest(row) ? undefined : { ...row.set, decidedAt: { ...row.set.decidedAt, stop: at } },
    );
  }

  /** Records the user's decision to go on. */
  goOn(id: string): Promise<boolean> {
    return this.record(id, (row, at) =>
      canContinue(row) ? { ...row.set, decidedAt: { ...row.set.decidedAt, retry: at } } : undefined,
    );
  }

  /**
   * Notes the rental on which a set continues, before it is sent. Returns false if it continued elsewhere since the
   * user saw it.
   */
  noteRental(seen: ParkedRow, rental: NonNullable<ParkedSet['rental']>): Promise<boolean> {
    return this.record(seen.set.id, (row, at) =>
      isResumable(row, seen)
        ? // A move that the user stopped destroys nothing any more.
          {
            ...row.set,
            plan: row.set.plan === 'rescue' ? 'rescue' : 'park',
            rental,
            decidedAt: { ...row.set.decidedAt, retry: at },
          }
        : undefined,
    );
  }

  /** Returns how the machine of a set was rented, with its secrets as far as the secret store has them. */
  async likeOf({ id, like }: ParkedSet): Promise<RentedLike> {
    const { log, secrets } = this.deps;
    try {
      const stored = await secrets.get(secretKey(id));
      const kept = stored === undefined ? undefined : fullConfig.safeParse(parseJson(stored));
      return kept?.success === true ? { ...like, config: kept.data, hasSecrets: true } : like;
    } catch (error) {
      log.warn(`The secrets of the parked set ${id} could not be read: ${String(error)}`);
      return like;
    }
  }

  /** Removes a set with its files and secrets, unless a window began to work on it. */
  async remove(id: string): Promise<void> {
    const { files } = this.deps;
    await files.change(async () => {
      const row = await files.read(id);
      if (row && !isAtRest(row)) {
        throw new UserError(text('{0} is being worked on. Stop that first.', row.set.from.name));
      }
      await files.remove(id);
    });
    await this.deps.secrets.delete(secretKey(id));
    await this.publish();
  }

  /** For the leading window: reads a set from disk, with the last decision of the user. */
  reread(id: string): Promise<ParkedRow | undefined> {
    return this.deps.files.read(id);
  }

  /** For the leading window: whether the end of the old machine is still wanted, by what is on disk. */
  async awaitsEnd(id: string): Promise<boolean> {
    const row = await this.reread(id);
    return row?.state.phase === 'proved' && row.set.plan !== 'rescue' && !isStopAsked(row.set);
  }

  /** For the leading window: stores progress; a removed set leaves nothing behind. */
  async putState(state: ParkingState): Promise<void> {
    const { files } = this.deps;
    if (await files.read(state.setId)) {
      await files.putState(state);
      this.moved.delete(state.setId);
      await this.publish();
    }
  }

  /** For the leading window: shows how much of a transfer is done. */
  showMoved(setId: string, moved: ParkedProgress): void {
    this.moved.set(setId, moved);
    const now = this.deps.clock.elapsed();
    if (now - this.toldAt >= tellMs) {
      this.toldAt = now;
      moves.send(this.deps.hub, { setId, ...moved });
      this.changed.fire();
    }
  }

  /** For the leading window: finds sets that a window ordered and did not announce before its end. */
  async findUnannounced(): Promise<void> {
    const ids = (await this.deps.files.ids().catch(() => undefined)) ?? [];
    const isNew = (id: string) => !this.find(id) && !this.unreadable.has(id);
    if (ids.some(isNew)) {
      await this.publish();
      ids.filter(isNew).forEach((id) => this.unreadable.add(id));
    }
  }

  private publish(): Promise<void> {
    return this.list.publishChange(this.deps.files);
  }

  dispose(): void {
    this.owned.dispose();
  }

  /** Changes a set by what is on disk. Returns false if it is gone, or the decision has no effect. */
  private async record(
    id: string,
    change: (row: ParkedRow, at: number) => ParkedSet | undefined,
  ): Promise<boolean> {
    const { files, clock } = this.deps;
    const isDone = await files.change(async () => {
      const row = await files.read(id);
      if (!row) {
        return false;
      }
      const { retry = 0, stop = 0 } = row.set.decidedAt;
      const next = change(row, Math.max(clock.now(), retry + 1, stop + 1, row.state.since + 1));
      if (next) {
        await files.put(next);
      }
      return next !== undefined;
    });
    await this.publish();
    return isDone;
  }
}
