import assert from 'node:assert/strict';
import { fromDollars } from '../../../../src/model/money';
import type { RentalStore, Rental } from '../../../../src/store/rentals/rentalStore';
import {
  isBeingReplaced,
  markReplacing,
  unmarkReplacing,
} from '../../../../src/store/rentals/replacementMark';
import { anOffer } from '../../../support/builders';
import { FakeClock } from '../../../support/fakeClock';
import { MemoryLog } from '../../../support/fakeTransport';

describe('The mark of a rental that is being replaced', () => {
  let clock: FakeClock;
  let log: MemoryLog;
  let rental: Rental;
  beforeEach(() => {
    clock = new FakeClock();
    log = new MemoryLog();
    rental = {
      marker: 'aaaaaaaa',
      accountKey: 'a',
      windowId: 'w',
      requestedAt: 1,
      offer: anOffer(),
      config: { image: 'i' },
      rentalType: 'on-demand',
      priceLimit: fromDollars(1),
      phase: { kind: 'failed', instanceId: 7, at: 1, reason: 'exited' },
    };
  });

  const update: RentalStore['update'] = (_marker, change) => {
    rental = { ...rental, ...(typeof change === 'function' ? change(rental) : change) };
    return Promise.resolve();
  };
  const windowOf = (windowId: string) => ({ rentals: { update }, hub: { windowId }, clock, log });
  const mark = () => [rental.replacingWindow, rental.replacingSince];

  it('names the window and the time, with what else changes, and is removed with its window', async () => {
    const since = await markReplacing(windowOf('w'), rental, { replacements: 2 });
    assert.deepEqual([mark(), since, rental.replacements], [['w', clock.now()], clock.now(), 2]);
    await unmarkReplacing(windowOf('w'), rental, since);
    assert.deepEqual(mark(), [undefined, undefined]);
  });

  it('stays where it is that of another window, or a newer one', async () => {
    const since = await markReplacing(windowOf('w'), rental);
    await unmarkReplacing(windowOf('other'), rental, since);
    await unmarkReplacing(windowOf('w'), rental, since - 1);
    assert.deepEqual(mark(), ['w', since]);
  });

  it('is mentioned in the log if it can’t be removed', async () => {
    const refused = { update: () => Promise.reject(new Error('disk full')) };
    await unmarkReplacing({ ...windowOf('w'), rentals: refused }, rental, 1);
    assert.deepEqual(log.lines, ['warn The end of a replacement could not be noted: Error: disk full']);
  });

  it('counts for ten minutes', async () => {
    await markReplacing(windowOf('w'), rental);
    await clock.advance(10 * 60_000 - 1);
    assert.equal(isBeingReplaced({ clock }, rental), true);
    await clock.advance(1);
    assert.equal(isBeingReplaced({ clock }, rental), false);
    assert.equal(isBeingReplaced({ clock }, undefined), false);
  });
});
