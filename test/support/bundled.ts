import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { buildSync } from 'esbuild';

const root = join(__dirname, '../..');
const made = new Map<string, string>();

/**
 * A program of the source with all it imports in one file, so that processes which tests start need not
 * translate hundreds of files each. Made once in a process, under `out/`, where packages are still found.
 */
export function bundled(entry: string): string {
  const known = made.get(entry);
  if (known !== undefined) {
    return known;
  }
  const { outputFiles } = buildSync({
    entryPoints: [entry],
    bundle: true,
    write: false,
    platform: 'node',
    packages: 'external',
  });
  const name = relative(root, entry).replace(/[^A-Za-z0-9]+/g, '-');
  const file = join(root, 'out', 'bundled', `${name}.cjs`);
  mkdirSync(dirname(file), { recursive: true });
  // Another run of the tests may start the same program at this moment.
  const part = join(dirname(file), `.${process.pid}-${basename(file)}`);
  writeFileSync(part, outputFiles[0]?.contents ?? '');
  renameSync(part, file);
  made.set(entry, file);
  return file;
}
