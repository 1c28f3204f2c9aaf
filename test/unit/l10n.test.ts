import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';

const root = path.resolve(__dirname, '..', '..');

describe('the bundle of sentences', function () {
  this.timeout(60_000);

  it('holds what the code says today', async () => {
    await promisify(execFile)(process.execPath, [path.join(root, 'scripts', 'l10n.mjs'), '--check']);
  });

  it('names every placeholder of a sentence by its number, beginning with 0', () => {
    const bundle = JSON.parse(readFileSync(path.join(root, 'l10n', 'bundle.l10n.json'), 'utf8')) as Record<
      string,
      string | { message: string }
    >;
    const wrong = Object.values(bundle)
      .map((entry) => (typeof entry === 'string' ? entry : entry.message))
      .filter((message) => {
        const used = new Set([...message.matchAll(/\{(\d+)\}/g)].map(([, number]) => Number(number)));
        return [...used].some((number) => number >= used.size);
      });
    assert.deepEqual(wrong, []);
  });
});
