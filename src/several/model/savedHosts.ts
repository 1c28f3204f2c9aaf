import * as z from 'zod';
import type { Instance } from '../../model/instances/instance';
import { instanceName } from '../../model/instances/instanceLabel';

/** The host files that were saved last. */
export const savedHosts = z
  .object({
    accountKey: z.string(),
    folder: z.string().min(1),
    /** The chosen instances; without them, all that run. */
    ids: z.array(z.int().nonnegative()).readonly().optional(),
    /** The names of the instances in the files, by their numbers. */
    names: z.record(z.string(), z.string()),
    /** The numbers of those that the files leave out, because no login worked. */
    leftOut: z.array(z.int()).readonly(),
    /** Hashes of the files, by their paths. */
    hashes: z.record(z.string(), z.string()),
  })
  .readonly();
export type SavedHosts = z.output<typeof savedHosts>;

/** Returns those of the running instances that the files are for. */
export function membersOf(
  { ids }: Pick<SavedHosts, 'ids'>,
  running: readonly Instance[],
): readonly Instance[] {
  return ids ? running.filter(({ id }) => ids.includes(id)) : running;
}

/** Returns the names of the instances that the files have, or lack, in contrast to those that run. */
export function differences(
  saved: SavedHosts,
  running: readonly Instance[],
): { readonly ended: readonly string[]; readonly added: readonly string[] } {
  const ended = Object.entries(saved.names).filter(([id]) => !running.some((one) => String(one.id) === id));
  const added = membersOf(saved, running).filter(
    ({ id }) => saved.names[id] === undefined && !saved.leftOut.includes(id),
  );
  return { ended: ended.map(([, name]) => name), added: added.map(instanceName) };
}
