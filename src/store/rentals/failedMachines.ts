import { stat } from 'node:fs/promises';
import * as z from 'zod';
import type { Log } from '../../util/log';
import { accountPath } from '../accounts/accountFiles';
import { numberId, RowFolder } from '../disk/rowFolder';

const machineFile = z.object({ version: z.literal(1), at: z.number(), reason: z.string() });

export interface FailedMachine {
  readonly machineId: number;
  /** Milliseconds since 1970. */
  readonly at: number;
  /** Empty if the disk refuses to read it. */
  readonly reason: string;
}

/**
 * Machines that did not get ready, which replacements avoid. Their numbers are those of one service, so each account has
 * its own folder.
 */
export class FailedMachines {
  private readonly folders = new Map<string, MachineFolder>();
  private refusal = '';

  constructor(
    private readonly storageDir: string,
    private readonly accountKey: () => string | undefined,
    private readonly log: Pick<Log, 'warn'>,
  ) {}

  private get folder(): MachineFolder {
    const path = accountPath(this.storageDir, this.accountKey() ?? 'nobody', 'failedMachines');
    const folder = this.folders.get(path) ?? new MachineFolder(path, numberId, this.log);
    this.folders.set(path, folder);
    return folder;
  }

  /** Returns the latest first. A file that the disk refuses hides no other, and its machine is still avoided. */
  async list(): Promise<readonly FailedMachine[]> {
    const { folder } = this;
    const machines = await folder.list();
    this.logRefusal(folder.refused);
    return machines;
  }

  async remember({ machineId, at, reason }: FailedMachine): Promise<void> {
    await this.folder.file(machineId, machineFile).write({ version: 1, at, reason });
  }

  async forget(machineId: number): Promise<void> {
    await this.folder.file(machineId, machineFile).remove();
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

class MachineFolder extends RowFolder<FailedMachine> {
  async read(id: string): Promise<FailedMachine | undefined> {
    const machine = await this.file(id, machineFile).value();
    return machine && { machineId: Number(id), at: machine.at, reason: machine.reason };
  }

  protected order(one: FailedMachine, other: FailedMachine): number {
    return other.at - one.at;
  }

  /** Returns what the name and time of an unread file show: the machine, and about when it failed. */
  protected override async standIn(id: string, last: FailedMachine | undefined): Promise<FailedMachine> {
    if (last) {
      return last;
    }
    const at = await stat(this.pathOf(id)).then(
      ({ mtimeMs }) => Math.floor(mtimeMs),
      () => 0,
    );
    return { machineId: Number(id), at, reason: '' };
  }
}
