import { lstat, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { sentRoot, type SentFiles } from '../../ssh/sentFiles';
import type { LeftOut } from '../../ssh/transfer';
import { text } from '../../util/text';
import type { JobSpec } from '../model/jobSpec';
import { namedFiles } from '../model/namedFiles';
import { matcherOf } from './outputPatterns';

/** Files of the workspace that a script names and that are not sent, without outputs, which the job itself may write. */
export async function missingFiles(
  workspace: string,
  spec: NamingSpec,
  sent: Pick<SentFiles, 'names'>,
): Promise<readonly string[]> {
  const root = await sentRoot(workspace, spec);
  const names = new Set(sent.names);
  const isOutput = matcherOf(spec.outputs);
  const missing: string[] = [];
  for (const name of namedFiles(`${spec.setup ?? ''}\n${spec.run}`)) {
    if (!names.has(name) && !isOutput(name) && (await isFile(join(root, name)))) {
      missing.push(name);
    }
  }
  return missing;
}

type NamingSpec = Pick<JobSpec, 'workdir' | 'run' | 'setup' | 'outputs'>;

const nothingSent = text('the command names it, and nothing in it is sent');
const outputNotSent = text('the command names it, and outputs are not sent');

/**
 * Returns what a script names in the workspace and is not sent: folders of which nothing is sent, such
 * as data that Git ignores, and outputs of earlier runs. The job may only write there, so it can run.
 */
export async function unsentNames(
  workspace: string,
  spec: NamingSpec,
  sent: Pick<SentFiles, 'names'>,
): Promise<readonly LeftOut[]> {
  const root = await sentRoot(workspace, spec);
  const isOutput = matcherOf(spec.outputs);
  const found = new Map<string, LeftOut>();
  for (const named of namedFiles(`${spec.setup ?? ''}\n${spec.run}`)) {
    const name = `${named.replace(/(?<!\/)\/+$/, '')}/`;
    const isSent = isOutput(`${name}x`) || sent.names.some((one) => one.startsWith(name));
    if (!isSent && (await isFolder(join(root, name)))) {
      found.set(name, { name, why: nothingSent });
    } else if (isOutput(named) && !sent.names.includes(named) && (await isFile(join(root, named)))) {
      found.set(named, { name: named, why: outputNotSent });
    }
  }
  return [...found.values()];
}

async function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (facts) => facts.isDirectory(),
    () => false,
  );
}

async function isFile(path: string): Promise<boolean> {
  return lstat(path).then(
    (facts) => facts.isFile(),
    () => false,
  );
}
