import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { repository } from './installed';

/** Packages a small extension, named by its folder under `test/`; gives back the file. */
export async function packageFolder(folder: string, into: string): Promise<string> {
  const out = path.join(into, `${path.basename(folder)}.vsix`);
  const vsce = path.join(repository, 'node_modules', '@vscode', 'vsce', 'vsce');
  const flags = ['--no-dependencies', '--allow-missing-repository', '--skip-license'];
  await promisify(execFile)(process.execPath, [vsce, 'package', ...flags, '--out', out], {
    cwd: path.join(repository, 'test', folder),
  });
  return out;
}
