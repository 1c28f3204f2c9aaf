import assert from 'node:assert/strict';
import {
  formatStart,
  parseHours,
  parsePrice,
  parseStart,
} from '../../../../../src/hosting/ui/machines/maintenanceInput';

describe('maintenance input', () => {
  const now = new Date(2027, 0, 31, 8, 0).getTime();

  it('reads the time of the user’s own zone', () => {
    assert.equal(parseStart('2027-01-31 08:30', now), new Date(2027, 0, 31, 8, 30).getTime());
    assert.equal(parseStart(' 2027-02-01T09:05 ', now), new Date(2027, 1, 1, 9, 5).getTime());
  });

  it('reads what it writes', () => {
    const start = new Date(2027, 5, 1, 23, 45).getTime();
    assert.equal(parseStart(formatStart(start), now), start);
  });

  for (const [bad, why] of [
    ['2027-01-31 08:00', 'the past'],
    ['2027-02-30 08:00', 'a day that does not exist'],
    ['2027-01-31 24:30', 'an hour that does not exist'],
    ['31.01.2027', 'another form'],
    ['', 'nothing'],
  ] as const) {
    it(`refuses ${why} with a sentence`, () => {
      assert.equal(typeof parseStart(bad, now), 'object');
    });
  }

  it('accepts hours and prices with comma or point, and nothing else', () => {
    assert.equal(parseHours('1,5'), 1.5);
    assert.equal(parsePrice(' $0.25 '), 0.25);
    assert.equal(parsePrice('32'), 32, 'the highest bid for one GPU');
    assert.equal(typeof parsePrice('32.01'), 'object', 'no bid reaches it');
    for (const bad of ['', '0', '-1', 'x', '1e9', 'Infinity']) {
      assert.equal(typeof parseHours(bad), 'object', bad);
      assert.equal(typeof parsePrice(bad), 'object', bad);
    }
  });
});
