import assert from 'node:assert/strict';
import path from 'node:path';
import { failIfMissing } from '../support/feature/shownBefore';

type Suites = Readonly<Record<string, readonly string[]>>;
interface ShownRecord {
  steadyLines(runs: readonly Suites[]): Suites;
  chosenLines(
    fresh: Readonly<Record<string, Suites>>,
    others: Readonly<Record<string, Suites>>,
  ): Readonly<Record<string, Suites>>;
}

describe('The record of what feature tests show', () => {
  let record: ShownRecord;
  before(async () => {
    record = (await import(
      path.resolve(__dirname, '..', '..', 'scripts', 'testing', 'shown.mjs')
    )) as ShownRecord;
  });

  it('keeps the lines that a suite showed in every run', () => {
    const steady = { one: ['a', 'b'] };
    assert.deepEqual(
      record.steadyLines([
        { ...steady, two: ['a', 'c'], three: ['a'] },
        { ...steady, two: ['b', 'c'], three: ['b'] },
      ]),
      { ...steady, two: ['c'] },
    );
    assert.deepEqual(record.steadyLines([{ one: ['a'] }, {}]), {});
  });

  it('keeps a line in four suites at most, those with the fewest lines', () => {
    const long = ['x', 'y', 'z', 'common'];
    const fresh = { a: { long, short: ['common'] }, b: { short: ['common', 'b'] } };
    const others = { c: { one: ['common'], two: ['common'] } };
    assert.deepEqual(record.chosenLines(fresh, others), {
      a: { long: ['x', 'y', 'z'], short: ['common'] },
      b: { short: ['common', 'b'] },
    });
  });

  it('fails with what is missing and what is new, and not for what came in addition', () => {
    failIfMissing('leases', 'later', ['a', 'b'], ['a']);
    assert.throws(
      () => {
        failIfMissing('leases', 'later', ['a', 'b'], ['a', 'c']);
      },
      (error: Error) =>
        /1 lines are not shown[^]*\n {2}c\nNew:\n {2}b\n[^]*test:shown -- leases/.test(error.message),
    );
  });
});
