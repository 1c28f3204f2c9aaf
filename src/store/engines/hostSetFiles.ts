import * as z from 'zod';
import { setNameProblem, type HostSet } from '../../model/engines/hostSet';
import type { Log } from '../../util/log';
import { DiskRows } from '../diskRows';
import { IdFolder, ownId } from '../idFolder';
import { JsonFile } from '../jsonFile';

const members = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('running') }),
  z.object({ kind: z.literal('label'), pattern: z.string() }),
  z.object({ kind: z.literal('chosen'), ids: z.array(z.int().nonnegative()).readonly() }),
]);

const shape = z.object({
  version: z.literal(1),
  name: z.string().refine((name) => setNameProblem(name) === undefined),
  folder: z.string().min(1),
  members,
  createdAt: z.number(),
});

/** The sets of one account, one file each, so that windows can't overwrite each other's changes. */
export class HostSetFiles {
  private readonly rows = new DiskRows<string, HostSet>();
  private readonly folder: IdFolder;
  /** The paths under which the last `list` found damaged files of sets, which were set aside. */
  damaged: readonly string[] = [];

  constructor(
    folder: string,
    private readonly log: Pick<Log, 'warn'>,
  ) {
    this.folder = new IdFolder(folder, ownId);
  }

  /** Why sets of the last `list` are missing or old. */
  get refused(): unknown {
    return this.rows.refused;
  }

  /** Returns the sets, oldest first. Throws if the folder can't be read. */
  async list(): Promise<readonly HostSet[]> {
    const found = await this.rows.read(await this.folder.ids(), (id) => this.read(id));
    this.damaged = [...(await this.folder.damaged()).values()];
    return [...found].sort((a, b) => a.createdAt - b.createdAt);
  }

  async put({ id, ...set }: HostSet): Promise<void> {
    await this.file(id).write({ version: 1, ...set });
  }

  async remove(id: string): Promise<void> {
    await this.file(id).remove();
  }

  private async read(id: string): Promise<HostSet | undefined> {
    const content = await this.file(id).read();
    if (content.kind !== 'present') {
      return undefined;
    }
    const { name, folder, members: of, createdAt } = content.value;
    return { id, name, folder, members: of, createdAt };
  }

  private file(id: string): JsonFile<z.output<typeof shape>> {
    return new JsonFile(this.folder.pathOf(id), shape, this.log);
  }
}
