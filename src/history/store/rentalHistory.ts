import type { Instance } from '../../model/instances/instance';
import { mostPastRentals, pastRentalShape, type PastRental } from '../../model/rentals/pastRental';
import { watchAccounts } from '../../shared/followAccount';
import { accountPath } from '../../store/accounts/accountFiles';
import type { Accounts } from '../../store/accounts/accounts';
import { DiskList } from '../../store/disk/diskList';
import { numberId, RowFolder } from '../../store/disk/rowFolder';
import type { Fleet } from '../../store/instances/fleetStore';
import type { KeptLogs } from '../../store/instances/keptLogs';
import type { WorkOnInstances } from '../../store/instances/workOnInstances';
import type { Rental, RentalStore } from '../../store/rentals/rentalStore';
import type { WindowHub } from '../../store/windows/windowHub';
import type { Clock } from '../../util/clock';
import { DisposableStore, type Disposable } from '../../util/disposable';
import type { Log } from '../../util/log';

interface RentalHistoryDeps {
  readonly accounts: Pick<Accounts, 'active' | 'known' | 'onDidChange'>;
  readonly fleet: Fleet;
  readonly rentals: Pick<RentalStore, 'find' | 'rentals' | 'onDidChange'>;
  readonly hub: WindowHub;
  readonly keptLogs: KeptLogs;
  readonly work: Pick<WorkOnInstances, 'rentedByAgents'>;
  readonly storageDir: string;
  readonly clock: Clock;
  readonly log: Log;
}

/** Rentals of the active account whose instances are gone, on disk and the same in all windows. */
export class RentalHistory implements Disposable {
  private readonly owned = new DisposableStore();
  private readonly list: DiskList<PastRental, PastRentalFiles>;
  /** The last seen instances, and their account. */
  private present: { readonly accountKey: string; readonly byId: ReadonlyMap<number, Instance> } | undefined;
  /** Markers of rentals whose log was read because their start failed. */
  private readonly failed = new Set<string>();
  private queue: Promise<void> = Promise.resolve();

  constructor(private readonly deps: RentalHistoryDeps) {
    const { storageDir } = deps;
    this.list = this.owned.add(
      new DiskList({
        ...deps,
        topic: 'history.changed',
        open: (accountKey) => new PastRentalFiles(accountPath(storageDir, accountKey, 'history'), deps.log),
        unreadable: 'The past rentals could not be read',
      }),
    );
    this.owned.add(deps.fleet.onDidChange(() => this.check()));
    this.owned.add(watchAccounts(deps.accounts, () => this.check()));
    this.owned.add(deps.rentals.onDidChange(() => this.keepLogsOfFailed()));
  }

  get onDidChange() {
    return this.list.onDidChange;
  }

  /** Past rentals, latest first. */
  get rows(): readonly PastRental[] {
    return this.list.rows;
  }

  /** The error of the last read from disk, of all past rentals or of some; rows that were read before are kept. */
  get error(): unknown {
    return this.list.anyError;
  }

  /** The paths of damaged files of past rentals, which are missing from the rows. */
  get damaged(): readonly string[] {
    return this.list.damaged;
  }

  /** Settles once the rows belong to the active account. */
  get ready(): Promise<void> {
    return this.list.ready;
  }

  find(instanceId: number): PastRental | undefined {
    return this.rows.find(({ instance }) => instance.id === instanceId);
  }

  /** Returns the log; `undefined` if none was read while the instance existed. */
  async logOf(instanceId: number): Promise<string | undefined> {
    const { accountKey } = this.list;
    return accountKey === undefined ? undefined : this.deps.keptLogs.read(accountKey, instanceId);
  }

  async put(past: PastRental): Promise<void> {
    const { files } = this.list;
    await files?.put(past);
    await this.list.publishChange(files);
  }

  /** Removes past rentals together with their keptLogs. */
  async remove(instanceIds: readonly number[]): Promise<void> {
    const { files, accountKey } = this.list;
    if (!files || accountKey === undefined) {
      return;
    }
    for (const id of instanceIds) {
      await files.remove(id);
      await this.deps.keptLogs.remove(accountKey, id);
    }
    await this.list.publishChange(files);
  }

  dispose(): void {
    this.owned.dispose();
  }

  /** Looks for instances that the list no longer has. Their rows stay until the end is proved. */
  private check(): void {
    const { accounts, fleet, hub } = this.deps;
    const accountKey = accounts.active?.key;
    const { state } = fleet;
    if (accountKey === undefined || state.kind !== 'ready') {
      if (this.present?.accountKey !== accountKey) {
        this.present = undefined;
      }
      return;
    }
    const before = this.present?.accountKey === accountKey ? this.present.byId : new Map<number, Instance>();
    const byId = new Map(state.value.instances.map((one) => [one.id, one]));
    this.present = { accountKey, byId };
    if (!hub.isLeader) {
      return;
    }
    const ended = [...before.values()].filter(({ id }) => !byId.has(id) && fleet.hasEnded(id));
    const back = this.rows.filter(({ instance }) => byId.has(instance.id));
    if (ended.length > 0 || back.length > 0) {
      this.enqueue(
        accountKey,
        ended.map((instance) => this.pastOf(instance)),
        back.map(({ instance }) => instance.id),
      );
    }
  }

  private pastOf(instance: Instance): PastRental {
    const { fleet, rentals, clock } = this.deps;
    const rental = rentals.find(instance.id);
    const wasDestroyed = fleet.facts(instance.id).lastRequest?.kind === 'destroy';
    const message = rental?.phase.kind === 'failed' ? rental.phase.message : undefined;
    return {
      version: 1,
      instance,
      endedAt: clock.now(),
      end: endOf(rental, rentals.rentals, wasDestroyed),
      ...(message === undefined ? {} : { message }),
    };
  }

  /** Keeps what has ended and removes what is back, even if another account is active by the time of the write. */
  private enqueue(accountKey: string, pasts: readonly PastRental[], back: readonly number[]): void {
    // Asked at once, because the answer is about the account that is active now.
    const reading = pasts.length > 0 ? this.deps.work.rentedByAgents() : Promise.resolve(undefined);
    this.queue = this.queue
      .then(async () => {
        const agents = await reading;
        const known = await this.deps.accounts.known();
        // A signed-out account leaves nothing on this computer.
        if (known.some(({ key }) => key === accountKey)) {
          const files = this.list.filesOf(accountKey);
          for (const past of pasts) {
            const agent = agents?.get(past.instance.id);
            await files.put(agent === undefined ? past : { ...past, agent });
          }
          for (const id of back) {
            await files.remove(id);
          }
          for (const id of await files.removeOldest()) {
            await this.deps.keptLogs.remove(accountKey, id);
          }
          await this.list.publishChange(files);
        }
      })
      .catch((error: unknown) => {
        this.deps.log.error('A past rental could not be kept', error);
      });
  }

  /**
   * Reads the logs of failed machines immediately, because such machines may end without us. Runs in the leading
   * window.
   */
  private keepLogsOfFailed(): void {
    const { accounts, hub, rentals, keptLogs } = this.deps;
    const account = accounts.active;
    for (const { marker, phase, accountKey } of rentals.rentals) {
      if (phase.kind === 'failed' && !this.failed.has(marker)) {
        this.failed.add(marker);
        if (hub.isLeader && account?.key === accountKey) {
          void keptLogs.capture(phase.instanceId, accountKey, account.client.instances);
        }
      }
    }
  }
}

/** A replacement may have ended before the list shows that the machine is gone. */
function endOf(
  rental: Rental | undefined,
  rentals: readonly Rental[],
  wasDestroyed: boolean,
): PastRental['end'] {
  const isReplaced = rentals.some(
    ({ replaces, phase }) => replaces === rental?.marker && phase.kind !== 'notRented',
  );
  if (rental && (isReplaced || rental.replacingSince !== undefined)) {
    return 'replaced';
  }
  if (rental?.phase.kind === 'failed') {
    return 'failed';
  }
  return wasDestroyed ? 'destroyed' : 'gone';
}

/** The past rentals of one account, latest first, next to their logs. */
export class PastRentalFiles extends RowFolder<PastRental> {
  constructor(folder: string, log: Pick<Log, 'warn'>) {
    super(folder, numberId, log);
  }

  /** Returns as many as are kept. Throws if the folder can't be read. */
  override async list(): Promise<readonly PastRental[]> {
    return (await super.list()).slice(0, mostPastRentals);
  }

  read(id: number | string): Promise<PastRental | undefined> {
    return this.file(id, pastRentalShape).value();
  }

  put(past: PastRental): Promise<void> {
    return this.file(past.instance.id, pastRentalShape).write(past);
  }

  remove(id: number): Promise<void> {
    return this.file(id, pastRentalShape).remove();
  }

  /** Removes those beyond the limit and returns their instances. */
  async removeOldest(): Promise<readonly number[]> {
    const oldest = (await super.list()).slice(mostPastRentals).map(({ instance }) => instance.id);
    for (const id of oldest) {
      await this.remove(id);
    }
    return oldest;
  }

  protected order(one: PastRental, other: PastRental): number {
    return other.endedAt - one.endedAt;
  }
}
