import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';

const root = path.resolve(__dirname, '..', '..');
const page = readFileSync(path.join(root, 'docs', 'trust.md'), 'utf8');
const rows = page.split('\n').filter((line) => /^\| (?!promise |-)/.test(line));
const promise = /^\| (\S.*?) +\| \[([\w/.]+)\]\(\.\.\/test\/\2\.test\.ts\) +\| `([^`]+)` +\|$/;

/** The title of a test as its source writes it; what differs from case to case stands there as `${…}`. */
function hasTest(source: string, title: string): boolean {
  return ["'", '"', '`'].some((quote) => source.includes(`it(${quote}${title}${quote},`));
}

describe('the page of what is proved', () => {
  it('names for each promise a test that is there', () => {
    assert.ok(rows.length > 60, `${rows.length} promises`);
    const wrong = rows.flatMap((row) => {
      const [, , name = '', title = ''] = promise.exec(row) ?? [];
      if (title === '') {
        return [`not understood: ${row}`];
      }
      const file = `test/${name}.test.ts`;
      if (!existsSync(path.join(root, file))) {
        return [`${file} does not exist`];
      }
      return hasTest(readFileSync(path.join(root, file), 'utf8'), title) ? [] : [`${file} has no "${title}"`];
    });
    assert.deepEqual(wrong, []);
  });

  it('names each promise once', () => {
    const promises = rows.map((row) => promise.exec(row)?.[1]);
    assert.equal(new Set(promises).size, promises.length);
  });
});
