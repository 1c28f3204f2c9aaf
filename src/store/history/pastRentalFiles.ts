import { mostPastRentals, pastRentalShape, type PastRental } from '../../model/rentals/pastRental';
import type { Log } from '../../util/log';
import { DiskRows } from '../diskRows';
import { IdFolder, numberId } from '../idFolder';
import { JsonFile } from '../jsonFile';

/** The past rentals of one account, one file each, next to their logs. */
export class PastRentalFiles {
  private readonly rows = new DiskRows<number, PastRental>();

  private readonly folder: IdFolder;
  /** The paths under which the last `list` found damaged files of past rentals, which were set aside. */
  damaged: readonly string[] = [];

  constructor(
    folder: string,
    private readonly log: Pick<Log, 'warn'>,
  ) {
    this.folder = new IdFolder(folder, numberId);
  }

  /** Why past rentals are missing or outdated in the last result of `list`. */
  get refused(): unknown {
    return this.rows.refused;
  }

  /** Returns past rentals, latest first. Throws if the folder can't be read. */
  async list(): Promise<readonly PastRental[]> {
    return (await this.all()).slice(0, mostPastRentals);
  }

  async read(id: number): Promise<PastRental | undefined> {
    const content = await this.file(id).read();
    return content.kind === 'present' ? content.value : undefined;
  }

  async put(past: PastRental): Promise<void> {
    await this.file(past.instance.id).write(past);
  }

  async remove(id: number): Promise<void> {
    await this.file(id).remove();
  }

  /** Removes those beyond the limit and returns their instances. */
  async removeOldest(): Promise<readonly number[]> {
    const oldest = (await this.all()).slice(mostPastRentals).map(({ instance }) => instance.id);
    for (const id of oldest) {
      await this.remove(id);
    }
    return oldest;
  }

  private async all(): Promise<readonly PastRental[]> {
    const ids = (await this.folder.ids()).map(Number);
    const read = await this.rows.read(ids, (id) => this.read(id));
    this.damaged = [...(await this.folder.damaged()).values()];
    return [...read].sort((a, b) => b.endedAt - a.endedAt);
  }

  private file(id: number): JsonFile<PastRental> {
    return new JsonFile(this.folder.pathOf(id), pastRentalShape, this.log);
  }
}
