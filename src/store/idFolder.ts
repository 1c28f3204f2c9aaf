import { randomBytes } from 'node:crypto';
import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { FileUnreadableError } from './jsonFile';

/** The ids of instances and machines. */
export const numberId = /^\d{1,15}$/;
/** The ids of our own, such as those of schedules: eight hexadecimal digits. */
export const ownId = /^[0-9a-f]{8}$/;

export function newOwnId(): string {
  return randomBytes(4).toString('hex');
}

/** A folder of JSON files that are named by their ids (`7.json`); it is made if needed. */
export class IdFolder {
  constructor(
    readonly path: string,
    private readonly id: RegExp,
  ) {}

  pathOf(id: string | number): string {
    return join(this.path, `${id}.json`);
  }

  /** Throws `FileUnreadableError` when the disk refuses. */
  async ids(): Promise<readonly string[]> {
    return this.named(await this.names(), /^([^.]+)\.json$/).map(([id]) => id);
  }

  /**
   * Returns the paths of damaged files by their ids: they were set aside when they were read, and not written again
   * since. Throws `FileUnreadableError` when the disk refuses.
   */
  async damaged(): Promise<ReadonlyMap<string, string>> {
    const names = await this.names();
    const kept = this.named(names, /^([^.]+)\.json\.broken-\d+$/);
    return new Map(
      kept.filter(([id]) => !names.includes(`${id}.json`)).map(([id, name]) => [id, join(this.path, name)]),
    );
  }

  private named(names: readonly string[], shape: RegExp): readonly (readonly [string, string])[] {
    return names.flatMap((name) => {
      const id = shape.exec(name)?.[1];
      return id !== undefined && this.id.test(id) ? [[id, name] as const] : [];
    });
  }

  private async names(): Promise<readonly string[]> {
    try {
      await mkdir(this.path, { recursive: true, mode: 0o700 });
      return await readdir(this.path);
    } catch (error) {
      throw new FileUnreadableError(this.path, error);
    }
  }
}
