import { createHash } from 'node:crypto';
import { mkdir, readdir, rm, rmdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { RowFolder } from '../../store/disk/rowFolder';
import type { Clock } from '../../util/clock';
import { fileLock } from '../../util/fileLock';
import type { Log } from '../../util/log';
import { ifPresent } from '../../util/missing';
import type { MirroredFolder } from '../model/mirror';
import type { Attempts, MirrorMemory, MirrorNotes } from '../model/mirrorMemory';

const folderFile = z.object({
  version: z.literal(1),
  accountKey: z.string(),
  instanceId: z.number().int(),
  contractStart: z.number(),
  local: z.string().min(1),
});
const memoryFile = z.object({
  version: z.literal(1),
  machineId: z.string(),
  remote: z.string().startsWith('/'),
  localId: z.string(),
  /** Name, hash, whether it is executable, and what the disks stated of it, here and there. */
  files: z.array(z.tuple([z.string(), z.string(), z.boolean(), z.string(), z.string()])),
  large: z.array(z.tuple([z.string(), z.boolean().nullable()])),
});
const attemptsFile = z.object({
  version: z.literal(1),
  attempts: z.array(z.tuple([z.string(), z.array(z.string())])),
});

const mirrorId = /^[0-9a-f]{16}$/;
/** Replaced versions are kept for so long (ms), and the newest of them for more than so many bytes. */
const keptMs = 7 * 24 * 3_600_000;

/** Returns a name for files, the same for the same folder on the same machine. */
function idOf({ instanceId, contractStart, local }: MirroredFolder): string {
  return createHash('sha256').update(`${instanceId} ${contractStart}\n${local}`).digest('hex').slice(0, 16);
}

/** The mirrors of one account, with what was sent of each. */
export class MirrorFiles extends RowFolder<MirroredFolder> {
  constructor(
    folder: string,
    log: Pick<Log, 'warn'>,
    private readonly clock: Clock,
  ) {
    super(folder, mirrorId, log, () => clock.now());
  }

  async read(id: string): Promise<MirroredFolder | undefined> {
    return this.file(id, folderFile).value();
  }

  async put(folder: MirroredFolder): Promise<void> {
    await this.file(idOf(folder), folderFile).write({ version: 1, ...folder });
  }

  async remove(folder: MirroredFolder): Promise<void> {
    const id = idOf(folder);
    await this.file(id, folderFile).remove();
    const own = this.folderOf(id);
    // What was replaced here may be nowhere else, so it stays for its time.
    for (const name of ((await ifPresent(readdir(own))) ?? []).filter((one) => one !== 'replaced')) {
      await rm(join(own, name), { recursive: true, force: true });
    }
    for (const name of (await readdir(this.path)).filter((one) => one.endsWith('.d'))) {
      await this.sweep(join(this.path, name, 'replaced'));
      await rmdir(join(this.path, name)).catch(() => undefined);
    }
  }

  notesOf(folder: MirroredFolder): MirrorNotes {
    const id = idOf(folder);
    const own = this.folderOf(id);
    const memory = this.file(`${id}.d/memory`, memoryFile);
    const attempts = this.file(`${id}.d/attempts`, attemptsFile);
    const lock = fileLock(join(own, 'lock'), this.clock);
    // Another window may have written it; what this one wrote is not read again.
    let last: { readonly mark: string; readonly value: MirrorMemory | undefined } | undefined;
    const markOf = async () => {
      const facts = await ifPresent(stat(memory.path));
      return facts ? `${facts.ino} ${facts.mtimeMs} ${facts.size}` : '';
    };
    return {
      folder: own,
      read: async () => {
        const mark = await markOf();
        if (last?.mark !== mark) {
          last = { mark, value: memoryOf(await memory.value()) };
        }
        return last.value;
      },
      write: async (value) => {
        await memory.write(savedMemory(value));
        last = { mark: await markOf(), value };
      },
      readAttempts: async (): Promise<Attempts> => new Map((await attempts.value())?.attempts),
      writeAttempts: (value) =>
        attempts.write({ version: 1, attempts: [...value].map(([name, hashes]) => [name, [...hashes]]) }),
      alone: async (action) => {
        await mkdir(own, { recursive: true, mode: 0o700 });
        await this.sweep(join(own, 'replaced'));
        return lock(action);
      },
    };
  }

  protected order(one: MirroredFolder, other: MirroredFolder): number {
    return one.instanceId - other.instanceId || one.local.localeCompare(other.local);
  }

  private folderOf(id: string): string {
    return join(this.path, `${id}.d`);
  }

  /** Removes versions that were replaced long ago. */
  private async sweep(replaced: string): Promise<void> {
    for (const name of (await ifPresent(readdir(replaced))) ?? []) {
      const path = join(replaced, name);
      if (this.clock.now() - (await stat(path)).mtimeMs > keptMs) {
        await rm(path, { recursive: true, force: true });
      }
    }
    // One that still holds something stays.
    await rmdir(replaced).catch(() => undefined);
  }
}

function savedMemory({ machineId, remote, localId, files, large }: MirrorMemory): z.infer<typeof memoryFile> {
  return {
    version: 1,
    machineId,
    remote,
    localId,
    files: [...files].map(([name, { hash, isExecutable, local, there }]) => [
      name,
      hash,
      isExecutable,
      local,
      there,
    ]),
    large: [...large].map(([name, isSent]) => [name, isSent ?? null]),
  };
}

function memoryOf(saved: z.infer<typeof memoryFile> | undefined): MirrorMemory | undefined {
  return (
    saved && {
      ...saved,
      files: new Map(
        saved.files.map(([name, hash, isExecutable, local, there]) => [
          name,
          { hash, isExecutable, local, there },
        ]),
      ),
      large: new Map(saved.large.map(([name, isSent]) => [name, isSent ?? undefined])),
    }
  );
}
