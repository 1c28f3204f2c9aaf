import assert from 'node:assert/strict';
import { findRented, type LostRental } from '../../../../src/model/rentals/findRented';
import { anInstance } from '../../../support/builders';

const lost: LostRental = {
  marker: 'abcdef01',
  requestedAt: Date.UTC(2026, 0, 15, 12),
  machineId: 178,
  idsBefore: [1],
};
const fresh = { label: '', startedAt: Date.UTC(2026, 0, 15, 12) / 1000 };
const none = new Set<number>();

describe('finding a lost rental', () => {
  it('uses the label first, even if ids are known', () => {
    const found = findRented(
      lost,
      [anInstance({ id: 2, ...fresh }), anInstance({ id: 3, label: 'mine [gr-abcdef01]' })],
      none,
    );
    assert.deepEqual(found, { kind: 'found', instanceId: 3, by: 'label' });
  });

  it('finds the one new instance without a label on the right machine', () => {
    const list = [anInstance({ id: 1, ...fresh }), anInstance({ id: 2, ...fresh })];
    assert.deepEqual(findRented(lost, list, none), { kind: 'found', instanceId: 2, by: 'id' });
    assert.deepEqual(findRented(lost, list, new Set([2])), { kind: 'none' });
  });

  it('does not guess between two, nor without knowing what was there before', () => {
    const two = [anInstance({ id: 2, ...fresh }), anInstance({ id: 3, ...fresh })];
    assert.deepEqual(findRented(lost, two, none), { kind: 'unclear', instanceIds: [2, 3] });
    const one = [anInstance({ id: 2, ...fresh })];
    assert.deepEqual(findRented({ ...lost, idsBefore: undefined }, one, none), {
      kind: 'unclear',
      instanceIds: [2],
    });
  });

  it('leaves out other machines, older contracts and other labels', () => {
    const list = [
      anInstance({ id: 2, ...fresh, machineId: 9 }),
      anInstance({ id: 3, label: '', startedAt: lost.requestedAt / 1000 - 3600 }),
      anInstance({ id: 4, ...fresh, label: 'of somebody else' }),
    ];
    assert.deepEqual(findRented(lost, list, none), { kind: 'none' });
  });
});
