import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { dayText, momentText } from '../../../src/editor/timeText';

const source = path.join(__dirname, '../../../src');
const sourceFiles = () =>
  readdirSync(source, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'));

describe('A moment in words', () => {
  const now = new Date(2027, 0, 9, 17, 30).getTime();
  const at = (...parts: [year: number, month: number, day: number]) =>
    momentText(new Date(...parts, 8, 5).getTime(), now).replace(/\s/g, ' ');

  it('is the time alone today, and has the day otherwise', () => {
    assert.equal(at(2027, 0, 9), '8:05 AM');
    assert.equal(at(2027, 0, 8), 'Fri, Jan 8, 8:05 AM');
    assert.equal(at(2026, 11, 31), 'Thu, Dec 31, 8:05 AM');
  });

  it('has the year where the day alone could be one of several years', () => {
    assert.equal(at(2026, 2, 4), 'Wed, Mar 4, 2026, 8:05 AM');
    assert.equal(at(2028, 0, 10), 'Mon, Jan 10, 2028, 8:05 AM');
  });

  it('is no error where there is no such moment', () => {
    assert.equal(momentText(1e18, now), 'an unknown time');
    assert.equal(dayText(1e18), undefined);
  });

  it('is a day with its year where only the day counts', () => {
    assert.equal(dayText(new Date(2027, 0, 9, 8, 5).getTime()), 'Jan 9, 2027');
  });

  it('has no other form, which could show an invalid date', () => {
    const others = sourceFiles().filter(
      (file) =>
        file !== 'editor/timeText.ts' &&
        /\.toLocale(?:Date|Time)?String\(|DateTimeFormat\((?!\)\.resolvedOptions)/.test(
          readFileSync(path.join(source, file), 'utf8'),
        ),
    );
    assert.deepEqual(others, []);
  });
});
