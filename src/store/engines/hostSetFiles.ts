import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { setNameProblem, type HostSet } from '../../model/engines/hostSet';
import { DiskRows } from '../diskRows';
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

  constructor(private readonly folder: string) {}

  /** Why sets of the last `list` are missing or old. */
  get refused(): unknown {
    return this.rows.refused;
  }

  /** Returns the sets, oldest first. Throws if the folder can't be read. */
  async list(): Promise<readonly HostSet[]> {
    await mkdir(this.folder, { recursive: true, mode: 0o700 });
    const ids = (await readdir(this.folder))
      .map((name) => /^([0-9a-f]{8})\.json$/.exec(name)?.[1])
      .filter((id) => id !== undefined);
    const found = await this.rows.read(ids, (id) => this.read(id));
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
    return new JsonFile(join(this.folder, `${id}.json`), shape);
  }
}
