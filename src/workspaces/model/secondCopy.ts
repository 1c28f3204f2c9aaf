import { posix } from 'node:path';
import type { ParkedSet } from './parking';

/** A folder of a cloud connection, in which the service puts second copies. */
export interface CloudFolder {
  readonly connectionId: number;
  /** Of the connection. */
  readonly name: string;
  /** Begins with the bucket or drive. */
  readonly folder: string;
}

/** Returns the folder in the cloud for the copy of a set, by its name, day and number, so that no other one is there. */
export function cloudPathOf(
  { folder }: CloudFolder,
  { root, orderedAt, id }: Pick<ParkedSet, 'root' | 'orderedAt' | 'id'>,
): string {
  const name = posix.basename(root).replace(/[^\w.+-]/g, '_');
  const day = new Date(orderedAt).toISOString().slice(0, 10);
  return posix.join(folder, `${name}-${day}-${id}`);
}

/** Whether the status of an instance is that of a copy that ended (docs/service/commands.md#cloud-copy). */
export function isEndOfCopy(status: string): boolean {
  return /cloud copy operation (?:finished|complete)/i.test(status);
}

/** Whether it is that of one that failed, in the words of its host. */
export function isFailedCopy(status: string): boolean {
  return /\b(?:fail(?:ed|ure)?|error|cancell?ed)\b/i.test(status);
}
