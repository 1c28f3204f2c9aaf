import assert from 'node:assert/strict';
import { fromDollars } from '../../../../src/model/money';
import { compareOffers, type Compared } from '../../../../src/model/offers/comparison';
import { formatText } from '../../../../src/util/text';
import { lacking, marketOffer } from '../../../support/marketOffer';

const readAt = Date.UTC(2026, 10, 21);
const compared = (offer: Compared['offer'], changes: Partial<Compared> = {}): Compared => ({
  offer,
  rentalType: 'on-demand',
  diskGb: 20,
  readAt,
  ...changes,
});

/** A row as "text" or "text*" where it is the best. */
function row(id: string, ...sides: readonly Compared[]): readonly string[] {
  const found = compareOffers(sides)
    .flatMap(({ rows }) => rows)
    .find((one) => one.id === id);
  assert.ok(found, `There is no row ${id}`);
  return found.cells.map(({ text, isBest }) => formatText(text) + (isBest ? '*' : ''));
}

const near = marketOffer({ id: 1 });
const far = marketOffer({
  id: 2,
  gpuCount: 2,
  gpuPerHour: fromDollars(0.7),
  totalPerHour: fromDollars(0.7 + (20 * 0.1) / 720),
  storagePerGbMonth: fromDollars(0.1),
  reliability: 0.99999,
});

describe('offers side by side', () => {
  it('shows what the list shows: price an hour and a day, and stopped a month, to the cent', () => {
    assert.deepEqual(row('running', compared(near), compared(far)), ['$0.405/h*', '$0.703/h']);
    assert.deepEqual(row('day', compared(near), compared(far)), ['$9.70*', '$16.87']);
    assert.deepEqual(row('stopped', compared(near), compared(far)), ['$3.00', '$2.00*']);
  });

  it('prices the disk that was searched with, and a bid where it is interruptible', () => {
    const bigger = { diskGb: 200 };
    assert.deepEqual(row('stopped', compared(near, bigger), compared(far, bigger)), ['$30.00', '$20.00*']);
    const bid = { rentalType: 'interruptible' } as const;
    assert.deepEqual(row('running', compared(near, bid), compared(far)), ['$0.205/h*', '$0.703/h']);
  });

  it('marks the most where more is better, and each of those that are as good', () => {
    const third = marketOffer({ id: 3, gpuCount: 2 });
    assert.deepEqual(row('gpuCount', compared(near), compared(far), compared(third)), ['1', '2*', '2*']);
    assert.deepEqual(row('gpuTotalRamGb', compared(near), compared(far)), ['24 GB', '48 GB*']);
  });

  it('marks nothing of an offer that is gone, because it can’t be rented', () => {
    const third = marketOffer({ id: 3, gpuCount: 2 });
    const gone = compared(near, { isGone: true });
    assert.deepEqual(row('running', gone, compared(far)), ['$0.405/h', '$0.703/h']);
    assert.deepEqual(row('running', gone, compared(far), compared(third))[0], '$0.405/h');
    assert.deepEqual(row('stopped', gone, compared(third), compared(far)), ['$3.00', '$3.00', '$2.00*']);
  });

  it('marks nothing where all are the same, or only one is known', () => {
    assert.deepEqual(row('gpuRamGb', compared(near), compared(far)), ['24 GB', '24 GB']);
    const silent = lacking(far, 'cpuCores', 'durationSeconds', 'totalPerHour', 'gpuPerHour');
    assert.deepEqual(row('cpuCores', compared(near), compared(silent)), ['16', '–']);
    assert.deepEqual(row('running', compared(near), compared(silent)), ['$0.405/h', '–']);
    assert.deepEqual(row('end', compared(near), compared(silent)), ['2026-12-21, 30 days', '–']);
  });

  it('never rounds a reliability up', () => {
    assert.deepEqual(row('reliability', compared(near), compared(far)), ['99.7 %', '99.99 %*']);
  });

  it('bears a duration that no calendar holds', () => {
    const odd = marketOffer({ durationSeconds: 1e15 });
    assert.deepEqual(row('end', compared(odd)), ['11574074074 days']);
  });
});
