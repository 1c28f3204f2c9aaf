import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { safeFileName } from '../../util/fileName';
import type { OneOfDraft } from '../model/draftJob';
import type { JobSpec } from '../model/jobSpec';

/** Returns what identifies the files of a folder on machines. */
export function workspaceKeyOf(folder: string, { workdir }: Pick<JobSpec, 'workdir'>): string {
  return createHash('sha256').update(`${folder}\n${workdir}`).digest('hex').slice(0, 16);
}

/** Where the outputs of a job go that is ordered at this time. */
export function outputsFolderOf(spec: JobSpec, folder: string, orderedAt: number): string {
  const start = new Date(orderedAt).toISOString().slice(0, 19).replace('T', ' ').replaceAll(':', '.');
  return spec.outputsTo === undefined
    ? join(folder, 'gpu-outputs', safeFileName(spec.name, 'job'), start)
    : join(folder, ...spec.outputsTo.split('/'));
}

/**
 * Gives each of the jobs that are ordered together a folder of its own, so that none writes over the
 * outputs of another whose machine is gone: long names are cut, and some disks treat names as equal that
 * differ in case or in a dot at the end. A folder that the file names is used again by the next run.
 */
export function withOutputs(
  specs: readonly JobSpec[],
  folder: string,
  orderedAt: number,
  /** The folders of other jobs. */
  known: readonly string[],
): readonly OneOfDraft[] {
  const others = new Set(known.map(keyOf));
  const taken = new Set<string>();
  return specs.map((spec) => {
    const wanted = outputsFolderOf(spec, folder, orderedAt);
    const isTaken = (path: string) =>
      taken.has(keyOf(path)) || (spec.outputsTo === undefined && others.has(keyOf(path)));
    let outputsTo = wanted;
    for (let count = 2; isTaken(outputsTo); count += 1) {
      outputsTo = `${wanted} (${count})`;
    }
    taken.add(keyOf(outputsTo));
    return { spec, outputsTo };
  });
}

function keyOf(path: string): string {
  return path
    .normalize('NFC')
    .toLowerCase()
    .replace(/(?<![. ])[. ]+(?=[/\\]|$)/g, '');
}
