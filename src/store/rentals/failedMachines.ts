import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import type { Log } from '../../util/log';
import { DiskRows } from '../diskRows';
import { IdFolder, numberId } from '../idFolder';
import { JsonFile } from '../jsonFile';
import { accountPath } from '../accounts/accountFiles';

const machineFile = z.object({ version: z.literal(1), at: z.number(), reason: z.string() });

export interface FailedMachine {
  readonly machineId: number;
  /** Milliseconds since 1970. */
  readonly at: number;
  /** Empty if the disk refuses to read it. */
  readonly reason: string;
}

/**
 * Machines that did not get ready, which replacements avoid; one file each, so that windows can't overwrite each
 * other's changes. Their numbers are those of one service, so each account has its own folder.
 */
export class FailedMachines {
  /** The rows last read, by folder. */
  private readonly rows = new Map<string, DiskRows<number, FailedMachine>>();
  private refusal = '';

  constructor(
    private readonly storageDir: string,
    private readonly accountKey: () => string | undefined,
    private readonly log: Pick<Log, 'warn'>,
  ) {}

  private get folder(): string {
    return accountPath(this.storageDir, this.accountKey() ?? 'nobody', 'failedMachines');
  }

  /** Returns the latest first. A file that the disk refuses hides no other, and its machine is still avoided. */
  async list(): Promise<readonly FailedMachine[]> {
    const { folder } = this;
    const ids = (await new IdFolder(folder, numberId).ids()).map(Number);
    const rows = this.rows.get(folder) ?? new DiskRows<number, FailedMachine>();
    this.rows.set(folder, rows);
    const machines = await rows.read(
      ids,
      (id) => this.read(folder, id),
      (id) => namedMachine(folder, id),
    );
    this.logRefusal(rows.refused);
    return [...machines].sort((one, other) => other.at - one.at);
  }

  async remember(machine: FailedMachine): Promise<void> {
    const { machineId, at, reason } = machine;
    await this.file(this.folder, machineId).write({ version: 1, at, reason });
  }

  async forget(machineId: number): Promise<void> {
    await this.file(this.folder, machineId).remove();
  }

  private async read(folder: string, machineId: number): Promise<FailedMachine | undefined> {
    const content = await this.file(folder, machineId).read();
    return content.kind === 'present'
      ? { machineId, at: content.value.at, reason: content.value.reason }
      : undefined;
  }

  private file(folder: string, machineId: number): JsonFile<z.infer<typeof machineFile>> {
    return new JsonFile(pathOf(folder, machineId), machineFile, this.log);
  }

  /** Logs a refusal once, however often the files are read again. */
  private logRefusal(error: unknown): void {
    const refusal = String(error);
    if (error !== undefined && refusal !== this.refusal) {
      this.log.warn(`A machine that failed could not be read: ${refusal}`);
    }
    this.refusal = refusal;
  }
}

function pathOf(folder: string, machineId: number): string {
  return join(folder, `${machineId}.json`);
}

/** Returns what the disk says of a file that it does not read: the machine, and about when it failed. */
async function namedMachine(folder: string, machineId: number): Promise<FailedMachine> {
  const at = await stat(pathOf(folder, machineId)).then(
    ({ mtimeMs }) => Math.floor(mtimeMs),
    () => 0,
  );
  return { machineId, at, reason: '' };
}
