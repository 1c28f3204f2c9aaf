import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';

const root = path.resolve(__dirname, '..', '..');

describe('the bundle of sentences', () => {
  // Loading the compiler is the larger part of the work, and a program of its own would load it again.
  it('holds the sentences of the code', async () => {
    const { renderBundle } = (await import(path.join(root, 'scripts', 'l10n.mjs'))) as {
      renderBundle: () => Promise<string>;
    };
    assert.equal(readFileSync(path.join(root, 'l10n', 'bundle.l10n.json'), 'utf8'), await renderBundle());
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
