import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { JsonFile } from '../jsonFile';

const machineFile = z.object({ version: z.literal(1), at: z.number(), reason: z.string() });

export interface FailedMachine {
  readonly machineId: number;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly reason: string;
}

/**
 * Machines that did not get ready, which replacements avoid; one file each, so that windows can't overwrite each
 * other's changes. Their numbers are those of one service, so each account has its own folder.
 */
export class FailedMachines {
  constructor(
    private readonly storageDir: string,
    private readonly accountKey: () => string | undefined,
  ) {}

  private get folder(): string {
    return join(this.storageDir, 'failedMachines', this.accountKey() ?? 'nobody');
  }

  async list(): Promise<readonly FailedMachine[]> {
    await mkdir(this.folder, { recursive: true, mode: 0o700 });
    const machines: FailedMachine[] = [];
    for (const name of await readdir(this.folder)) {
      const machineId = Number(/^(\d+)\.json$/.exec(name)?.[1]);
      const content = Number.isSafeInteger(machineId) ? await this.file(machineId).read() : undefined;
      if (content?.kind === 'present') {
        machines.push({ machineId, at: content.value.at, reason: content.value.reason });
      }
    }
    return machines.sort((a, b) => b.at - a.at);
  }

  async remember(machine: FailedMachine): Promise<void> {
    const { machineId, at, reason } = machine;
    await this.file(machineId).write({ version: 1, at, reason });
  }

  async forget(machineId: number): Promise<void> {
    await this.file(machineId).remove();
  }

  async forgetAll(): Promise<void> {
    for (const { machineId } of await this.list()) {
      await this.forget(machineId);
    }
  }

  private file(machineId: number): JsonFile<z.infer<typeof machineFile>> {
    return new JsonFile(join(this.folder, `${machineId}.json`), machineFile);
  }
}
