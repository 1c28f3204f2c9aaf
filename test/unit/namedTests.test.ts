import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';

const root = path.resolve(__dirname, '..', '..');

describe('tests that a page names', () => {
  it('exist, each in its file', () => {
    const page = readFileSync(path.join(root, 'docs', 'testing.md'), 'utf8');
    const rows = [...page.matchAll(/\| `(test\/[^`]+)`: +(.+?) +\|$/gm)];
    assert.ok(rows.length > 30, `${rows.length} rows`);
    const missing = rows.flatMap(([, file = '', title = '']) =>
      readFileSync(path.join(root, file), 'utf8').includes(`'${title}'`) ? [] : [`${file}: ${title}`],
    );
    assert.deepEqual(missing, []);
  });
});
