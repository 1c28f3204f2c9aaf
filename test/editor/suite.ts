import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { repository } from '../support/installed';

export const testHostFolder = path.join(repository, 'test', 'editor', 'testHost');
/** The bundled `index.ts`. */
export const suiteFile = path.join(repository, 'out', 'editor', 'index.js');

export async function buildSuite(): Promise<void> {
  await promisify(execFile)(process.execPath, [path.join(repository, 'esbuild.mjs'), '--tests'], {
    cwd: repository,
  });
}
