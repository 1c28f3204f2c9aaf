import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { matcher, namedFiles } from '../../model/jobs/sentNames';
import type { JobSpec } from '../../model/jobs/jobSpec';
import { hashOfFile } from '../localFiles';

const usualInputs = ['/requirements*.txt', '/pyproject.toml', '/uv.lock', '/poetry.lock', '/environment.yml'];

/**
 * Returns a key for a finished setup on the machine. Another script, image or input is another setup, which runs
 * again; only sent files can change the key. Returns `undefined` without a setup.
 */
export async function setupKey(
  { setup, setupInputs, workdir }: Pick<JobSpec, 'setup' | 'setupInputs' | 'workdir'>,
  workspace: string,
  sentNames: readonly string[],
  image: string | undefined,
): Promise<string | undefined> {
  if (setup === undefined) {
    return undefined;
  }
  const root = join(workspace, ...workdir.split('/'));
  const rules = matcher(setupInputs ?? usualInputs);
  const named = new Set(setupInputs ? [] : namedFiles(setup));
  const inputs = sentNames.filter((name) => named.has(name) || rules.ignores(name)).sort();
  const hashes: string[] = [];
  for (const name of inputs) {
    // A file that disappeared is not sent either.
    hashes.push(name, await hashOfFile(join(root, name)).catch(() => ''));
  }
  return createHash('sha256')
    .update([setup, image ?? '', ...hashes].join('\0'))
    .digest('hex');
}
