import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import path from 'node:path';

const root = path.resolve(__dirname, '..', '..');

interface Layer {
  readonly name: string;
  /** What follows `--ignore` is left out. */
  readonly files: readonly string[];
}

/** Each pattern names a folder and an ending. */
function fits(pattern: string, file: string): boolean {
  const [folder = '', ending = ''] = pattern.split('**/*');
  return file.startsWith(folder) && file.endsWith(ending);
}

function has({ files }: Layer, file: string): boolean {
  const isIgnored = (place: number) => files[place - 1] === '--ignore';
  return (
    files.some((pattern, place) => !isIgnored(place) && fits(pattern, file)) &&
    !files.some((pattern, place) => isIgnored(place) && fits(pattern, file))
  );
}

describe('The layers of tests in plain Node', () => {
  let layers: readonly Layer[];
  const files = ['unit', 'contract', 'feature'].flatMap((folder) =>
    readdirSync(path.join(root, 'test', folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.test.ts'))
      .map((name) => path.posix.join('test', folder, ...name.split(path.sep))),
  );
  before(async () => {
    ({ layers } = (await import(path.join(root, 'scripts', 'testing', 'suites.mjs'))) as {
      layers: readonly Layer[];
    });
  });

  it('run each file once', () => {
    const wrong = files
      .map((file) => ({ file, in: layers.filter((layer) => has(layer, file)).map(({ name }) => name) }))
      .filter(({ in: names }) => names.length !== 1);
    assert.deepEqual(wrong, []);
  });

  it('have what works on machines for long in a layer of its own', () => {
    const apart = layers.filter((layer) => has(layer, 'test/unit/ssh/service.stress.machine.test.ts'));
    assert.deepEqual(
      apart.map(({ name }) => name),
      ['machines'],
    );
  });
});
