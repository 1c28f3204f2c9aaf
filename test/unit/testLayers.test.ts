import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import path from 'node:path';

const root = path.resolve(__dirname, '..', '..');

interface Layer {
  readonly name: string;
  /** Files, or all below a folder; what follows `--ignore` is left out. */
  readonly files: readonly string[];
}

const everything = '**/*.test.ts';
const fits = (pattern: string, file: string) =>
  pattern.endsWith(everything) ? file.startsWith(pattern.slice(0, -everything.length)) : file === pattern;

function has({ files }: Layer, file: string): boolean {
  const isIgnored = (place: number) => files[place - 1] === '--ignore';
  return (
    files.some((pattern, place) => !isIgnored(place) && fits(pattern, file)) &&
    !files.some((pattern, place) => isIgnored(place) && fits(pattern, file))
  );
}

describe('The layers of tests in plain Node', () => {
  let layers: readonly Layer[];
  let onMachines: readonly string[];
  const files = ['unit', 'contract', 'feature'].flatMap((folder) =>
    readdirSync(path.join(root, 'test', folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.test.ts'))
      .map((name) => path.posix.join('test', folder, ...name.split(path.sep))),
  );
  before(async () => {
    ({ layers, onMachines } = (await import(path.join(root, 'scripts', 'testing', 'suites.mjs'))) as {
      layers: readonly Layer[];
      onMachines: readonly string[];
    });
  });

  it('run each file once', () => {
    const wrong = files
      .map((file) => ({ file, in: layers.filter((layer) => has(layer, file)).map(({ name }) => name) }))
      .filter(({ in: names }) => names.length !== 1);
    assert.deepEqual(wrong, []);
  });

  it('name files that are there', () => {
    assert.deepEqual(
      onMachines.filter((file) => !files.includes(file)),
      [],
    );
  });
});
