import assert from 'node:assert/strict';
import { resultText } from '../../../../src/features/rent/resultText';
import type { RentResult } from '../../../../src/store/rentals/rentalStore';

// Nothing else of the rental is read.
const rental = {} as RentResult['rental'];
const rented = (instanceId: number, warning?: string): RentResult => ({
  kind: 'rented',
  rental,
  instanceId,
  ...(warning === undefined ? {} : { warning }),
});
const lost: RentResult = { kind: 'notRented', rental };
const open: RentResult = { kind: 'notKnown', rental };

describe('The result of several rentals', () => {
  for (const [what, results, expected] of [
    ['counts the machines', [rented(7), rented(8)], 'Rented 2 of 3 machines: 7, 8.'],
    [
      'names each machine that the service rented and refused at once',
      [rented(7, 'Bid\npending'), rented(8), rented(9, 'No luck')],
      'Rented 3 of 3 machines: 7, 8, 9. Instance 7 exists and costs money, but the service answered: Bid pending. Instance 9 exists and costs money, but the service answered: No luck.',
    ],
    [
      'says why one is missing whose answer was lost',
      [rented(7), lost],
      'Rented 1 of 3 machines: 7. No answer, and not rented: 1 more.',
    ],
    [
      'tells what is open from what was not rented',
      [rented(7), lost, open],
      'Rented: 7. Not confirmed yet: 1 more. No answer, and not rented: 1 more.',
    ],
    [
      'does so where none is known to be rented',
      [lost, open],
      'The service did not answer, so the machine may have been rented. Checking your instances… No answer, and not rented: 1 more.',
    ],
    [
      'gives one reason where all are lost',
      [lost, lost],
      'The service did not answer, and no machine was rented.',
    ],
  ] as const) {
    it(what, () => {
      assert.equal(resultText(results, 3), expected);
    });
  }
});
