import assert from 'node:assert/strict';
import { logPieceBytes } from '../../../src/jobs/store/jobLogFiles';
import { secretStoreLimitMs } from '../../../src/store/accounts/patientSecrets';
import { commandUseMs } from '../../../src/store/accounts/windowInUse';
import { tidyAfterMs } from '../../../src/store/instances/ends';
import { longestGapMs } from '../../../src/store/instances/idleWatch';
import { priceEveryMs } from '../../../src/store/instances/priceWatch';
import { mostPins } from '../../../src/store/offers/offerPins';
import { searchesPerMinute } from '../../../src/store/offers/searchBudget';
import { checkEveryMs, checksApartMs } from '../../../src/store/offers/watchChecks';
import { readBackForMs } from '../../../src/store/rentals/rentalOutcome';
import { maxAgentBytes } from '../../../src/store/windows/hubAddress';
import { maxMemberBytes } from '../../../src/store/windows/hubWire';
import { presenceGraceMs } from '../../../src/store/windows/presence';

const second = 1000;
const minute = 60 * second;
const day = 24 * 60 * minute;

/** Tests of what they limit use them by name, and would go along with any change. */
describe('The limits of what windows share', () => {
  for (const [what, limit, expected] of [
    ['a secret store may take', secretStoreLimitMs, 10 * second],
    ['a command marks its window as in use for', commandUseMs, minute],
    ['what can not be restored is kept after an end for', tidyAfterMs, day],
    ['price increases are asked for every', priceEveryMs, 30 * minute],
    ['idle time may have a gap of', longestGapMs, 12 * minute],
    ['a window may be gone for', presenceGraceMs, 10 * second],
    ['a watched search runs every', checkEveryMs, 3 * minute],
    ['two checks of watched searches are apart by', checksApartMs, 30 * second],
    ['a rental without an answer is looked for during', readBackForMs, minute],
    ['the most searches of a minute', searchesPerMinute, 8],
    ['the most pinned offers', mostPins, 4],
    ['the most bytes of a log that are shown', logPieceBytes, 2_000_000],
    ['the most bytes of a line of an agent', maxAgentBytes, 262_144],
    ['the most bytes of a line of a window', maxMemberBytes, 67_108_864],
  ] as const) {
    it(`${what} ${expected}`, () => assert.equal(limit, expected));
  }
});
