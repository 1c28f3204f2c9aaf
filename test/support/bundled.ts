import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { buildSync } from 'esbuild';
import textFiles from '../../scripts/textFiles.json';

const root = join(__dirname, '../..');
const made = new Map<string, string>();

/** Coverage is counted by source file; figures of a file that was translated in two ways cannot be added. */
const isMeasured = process.env['NODE_V8_COVERAGE'] !== undefined;

/**
 * A program of the source with all it imports in one file, so that processes which tests start need not
 * translate hundreds of files each. Made once in a process, under `out/`, where packages are still found.
 */
export function bundled(entry: string): string {
  const known = made.get(entry);
  if (known !== undefined) {
    return known;
  }
  const name = relative(root, entry).replace(/[^A-Za-z0-9]+/g, '-');
  const file = join(root, 'out', 'bundled', `${name}.cjs`);
  mkdirSync(dirname(file), { recursive: true });
  // Another run of the tests may start the same program at this moment.
  const part = join(dirname(file), `.${process.pid}-${basename(file)}`);
  writeFileSync(part, isMeasured ? translatedByItself(entry) : translated(entry));
  renameSync(part, file);
  made.set(entry, file);
  return file;
}

function translated(entry: string): Uint8Array | string {
  const { outputFiles } = buildSync({
    entryPoints: [entry],
    bundle: true,
    write: false,
    platform: 'node',
    packages: 'external',
    loader: textFiles as Record<string, 'text'>,
  });
  return outputFiles[0]?.contents ?? '';
}

function translatedByItself(entry: string): string {
  return [join(root, 'scripts', 'sources.cjs'), entry]
    .map((file) => `require(${JSON.stringify(file)});`)
    .join('\n');
}
