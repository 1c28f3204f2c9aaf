import * as z from 'zod';
import { setNameProblem, type HostSet } from '../model/hostSet';
import type { Log } from '../../util/log';
import { ownId } from '../../store/idFolder';
import { JsonFile } from '../../store/jsonFile';
import { RowFolder } from '../../store/rowFolder';

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

/** The sets of one account, oldest first. */
export class HostSetFiles extends RowFolder<HostSet> {
  constructor(folder: string, log: Pick<Log, 'warn'>) {
    super(folder, ownId, log);
  }

  async put({ id, ...set }: HostSet): Promise<void> {
    await this.file(id).write({ version: 1, ...set });
  }

  async remove(id: string): Promise<void> {
    await this.file(id).remove();
  }

  async read(id: string): Promise<HostSet | undefined> {
    const content = await this.file(id).read();
    if (content.kind !== 'present') {
      return undefined;
    }
    const { name, folder, members: of, createdAt } = content.value;
    return { id, name, folder, members: of, createdAt };
  }

  protected order(one: HostSet, other: HostSet): number {
    return one.createdAt - other.createdAt;
  }

  private file(id: string): JsonFile<z.output<typeof shape>> {
    return new JsonFile(this.folder.pathOf(id), shape, this.log);
  }
}
