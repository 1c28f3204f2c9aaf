import { runProgram } from '../../ssh/run';
import { findSentFiles, type SentFiles } from '../../ssh/sentFiles';
import { homeFolder } from '../../util/thisUser';
import type { JobSpec } from '../model/jobSpec';
import { unsentNames } from './missingFiles';

/** Returns what a job of a folder sends, and what its command names without getting it. */
export async function filesOfJob(
  folder: string,
  spec: JobSpec,
  signal: AbortSignal | undefined,
): Promise<SentFiles> {
  const computer = { run: runProgram, home: homeFolder(), signal };
  const found = await findSentFiles(computer, folder, spec, ownOutputs(spec));
  const unsent = spec.sync ? await unsentNames(folder, spec, found) : [];
  return { ...found, leftOut: [...unsent, ...found.leftOut] };
}

/** Returns the output folders of jobs inside the folder that is sent. */
function ownOutputs({ workdir, outputsTo }: JobSpec): readonly string[] {
  const prefix = workdir === '.' ? '' : `${workdir}/`;
  return ['gpu-outputs', ...(outputsTo === undefined ? [] : [outputsTo])].flatMap((path) =>
    path.startsWith(prefix) ? [path.slice(prefix.length)] : [],
  );
}
