import assert from 'node:assert/strict';
import { failureKind, replaceAlone, type ReplacedRental } from '../../../../src/model/rentals/replaceAlone';

const chain: readonly ReplacedRental[] = [
  { marker: 'a', failure: 'exited: one' },
  { marker: 'b', replaces: 'a', failure: 'offline: ' },
  { marker: 'c', replaces: 'b', failure: 'exited: three' },
  { marker: 'd', replaces: 'c' },
];
const find = (marker: string) => chain.find((one) => one.marker === marker);
const judge = (marker: string, failure: string) => {
  const rental = find(marker);
  assert.ok(rental);
  return replaceAlone(rental, failure, find);
};

describe('replacing without a question', () => {
  it('is done three times from one Enter, after growing pauses, and then asked', () => {
    assert.deepEqual(judge('a', 'exited: new'), { kind: 'after', pauseMs: 0 });
    assert.deepEqual(judge('b', 'exited: new'), { kind: 'after', pauseMs: 60_000 });
    assert.deepEqual(judge('c', 'exited: new'), { kind: 'after', pauseMs: 300_000 });
    assert.deepEqual(judge('d', 'exited: new'), { kind: 'tooMany' });
  });

  it('is asked where another host failed alike', () => {
    assert.deepEqual(judge('b', 'exited: one'), { kind: 'sameFailure' });
    assert.deepEqual(judge('c', 'exited: one'), { kind: 'sameFailure' });
  });

  it('compares failures without what differs from host to host', () => {
    const first = failureKind('exited', 'Container 4711 (0badcafe11): manifest  for x/y:z not found');
    assert.equal(first, failureKind('exited', 'container 12 (99aa00ffee): manifest for x/y:z not found'));
    assert.notEqual(first, failureKind('exited', 'no space left on device'));
    assert.notEqual(failureKind('exited', undefined), failureKind('offline', undefined));
  });

  it('ends with rentals that name each other', () => {
    const loop: ReplacedRental = { marker: 'x', replaces: 'x' };
    assert.deepEqual(
      replaceAlone(loop, 'exited: ', () => loop),
      { kind: 'tooMany' },
    );
  });
});
