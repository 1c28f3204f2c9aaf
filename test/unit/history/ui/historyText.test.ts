import assert from 'node:assert/strict';
import * as words from '../../../../src/history/ui/historyText';
import { fromDollars } from '../../../../src/model/money';
import type { PastRental } from '../../../../src/model/rentals/pastRental';
import { anInstance } from '../../../support/builders';

describe('The words of a past rental', () => {
  const now = new Date(2026, 0, 15, 12).getTime();
  const startedAt = now / 1000 - 2 * 3600;
  const past = (more: object = {}, instance = {}): PastRental => ({
    ...{
      instance: anInstance({ id: 7, label: 'trainer', startedAt, ...instance }),
      end: 'destroyed',
      endedAt: now,
      version: 1,
    },
    ...more,
  });
  it('show in the row what it was, what it cost at most or was charged, and who rented it', () => {
    assert.deepEqual(
      [
        past(),
        past({ charged: { amount: fromDollars(0.7), at: now }, agent: 'claude' }),
        past(
          {},
          {
            totalPerHour: undefined,
            storagePerHour: undefined,
            startedAt: undefined,
            gpuName: undefined,
            gpuCount: 2,
          },
        ),
      ].map((one) => words.descriptionOfPast(one, now)),
      [
        '1× RTX 4090 · ≤ $0.80 · 2 h · 12:00 PM',
        'by agent · 1× RTX 4090 · $0.70 · 2 h · 12:00 PM',
        '2× ? · 12:00 PM',
      ],
    );
  });
});
