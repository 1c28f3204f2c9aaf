import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import * as z from 'zod';

const root = path.resolve(__dirname, '..', '..');
const read = (...names: readonly string[]) => readFileSync(path.join(root, ...names), 'utf8');
const manifest = z.looseObject({ scripts: z.record(z.string(), z.string()) });

describe('a fresh clone', () => {
  it('is set up by each command that CONTRIBUTING.md names', () => {
    const { scripts } = manifest.parse(JSON.parse(read('package.json')));
    const names = [...read('CONTRIBUTING.md').matchAll(/^\| `npm (?:run )?([\w:]+)/gm)].map(
      ([, name = '']) => name,
    );
    assert.ok(names.length > 10);
    const setsUp = (name: string) => {
      const [, file = ''] = /^node scripts\/(\w+\.mjs)/.exec(scripts[name] ?? '') ?? [];
      // The pictures are those of the tests.
      return file !== '' && /\bsetUp(?:OrEnd)?\(|'test\.mjs'/.test(read('scripts', file));
    };
    assert.deepEqual(
      names.filter((name) => !setsUp(name)),
      [],
    );
  });

  it('explains in one line that the folder of the editor can’t be made, and where else it may be', () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'gpu-rental cache-'));
    try {
      const file = path.join(folder, 'a file');
      writeFileSync(file, '');
      const host = path.join(root, 'scripts', 'host.mjs');
      const program = `
        import { installHost } from ${JSON.stringify(host)};
        await installHost(() => undefined).catch((error) => console.log(error.message));`;
      const { stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', program], {
        env: { PATH: '', XDG_CACHE_HOME: file },
        encoding: 'utf8',
        timeout: 20_000,
      });
      assert.equal(
        stdout,
        `${path.join(file, 'gpu-rental')} cannot be made (ENOTDIR). Name a folder where you may write in XDG_CACHE_HOME.\n`,
      );
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
