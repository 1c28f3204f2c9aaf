import { mostPastRentals, pastRentalShape, type PastRental } from '../../model/rentals/pastRental';
import type { Log } from '../../util/log';
import { numberId } from '../../store/idFolder';
import { JsonFile } from '../../store/jsonFile';
import { RowFolder } from '../../store/rowFolder';

/** The past rentals of one account, latest first, next to their logs. */
export class PastRentalFiles extends RowFolder<PastRental> {
  constructor(folder: string, log: Pick<Log, 'warn'>) {
    super(folder, numberId, log);
  }

  /** Returns as many as are kept. Throws if the folder can't be read. */
  override async list(): Promise<readonly PastRental[]> {
    return (await super.list()).slice(0, mostPastRentals);
  }

  async read(id: number | string): Promise<PastRental | undefined> {
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
    const oldest = (await super.list()).slice(mostPastRentals).map(({ instance }) => instance.id);
    for (const id of oldest) {
      await this.remove(id);
    }
    return oldest;
  }

  protected order(one: PastRental, other: PastRental): number {
    return other.endedAt - one.endedAt;
  }

  private file(id: number | string): JsonFile<PastRental> {
    return new JsonFile(this.folder.pathOf(id), pastRentalShape, this.log);
  }
}
