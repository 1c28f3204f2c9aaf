import assert from 'node:assert/strict';
import { typedRanges } from '../../../../src/model/offers/typedRange';

describe('a number that is typed at a filter', () => {
  it('means first what its sign states, and without one what the field usually has', () => {
    for (const [typed, natural, first] of [
      ['24', 'least', { min: 24 }],
      ['0,8', 'most', { max: 0.8 }],
      ['$0.8', 'most', { max: 0.8 }],
      ['>0.5', 'most', { min: 0.5 }],
      ['≥ 24 GB', 'exactly', { min: 24 }],
      ['<= 2', 'exactly', { max: 2 }],
      ['<$.8', 'least', { max: 0.8 }],
      ['=8', 'least', { min: 8, max: 8 }],
      ['.5', 'most', { max: 0.5 }],
    ] as const) {
      const ranges = typedRanges(typed, natural);
      assert.deepEqual(ranges[0], first, typed);
      assert.equal(ranges.length, 3, typed);
    }
  });

  it('may be a range', () => {
    assert.deepEqual(typedRanges('8-2', 'least'), [{ min: 2, max: 8 }]);
    assert.deepEqual(typedRanges('$0.2 – $0.5', 'most'), [{ min: 0.2, max: 0.5 }]);
  });

  it('is none in other text', () => {
    assert.deepEqual(typedRanges('many', 'least'), []);
    assert.deepEqual(typedRanges('1 2', 'least'), []);
  });
});
