import assert from 'node:assert/strict';
import { PausedReplacements } from '../../../../src/features/readiness/pausedReplacements';
import { fromDollars } from '../../../../src/model/money';
import type { Rental } from '../../../../src/store/rentals/rentalStore';
import { Emitter } from '../../../../src/util/emitter';
import { silentLog } from '../../../../src/util/log';
import { anOffer } from '../../../support/builders';
import { FakeClock } from '../../../support/fakeClock';
import { FakeHubs } from '../../../support/fakeWindows';
import { only } from '../../../support/only';

const minute = 60_000;

describe('The pause before a replacement', () => {
  for (const hours of [-5, 0]) {
    it(`is over in time where the clock is set by ${hours} h`, async () => {
      const clock = new FakeClock();
      const changed = new Emitter<void>();
      const rental: Rental = {
        marker: 'aaaaaaaa',
        accountKey: 'a',
        windowId: 'gone',
        requestedAt: clock.now(),
        offer: anOffer(),
        config: { image: 'i' },
        rentalType: 'on-demand',
        priceLimit: fromDollars(1),
        phase: { kind: 'failed', instanceId: 7, at: clock.now(), reason: 'exited' },
        replaceAt: clock.now() + minute,
      };
      const rentals = {
        rentals: [rental],
        onDidChange: changed.event,
        update: (_: string, change: Partial<Rental>) => {
          Object.assign(rental, change);
          return Promise.resolve(rental);
        },
      };
      const begun: number[] = [];
      const report = { error: (error: unknown) => assert.fail(String(error)) };
      const paused = new PausedReplacements(
        only({ rentals, hub: new FakeHubs().open(), clock, log: silentLog, report }),
        () => {
          begun.push(clock.elapsed());
          return Promise.resolve();
        },
      );
      await clock.advance(minute / 2);
      clock.jump(hours * 60 * minute);
      // Some other rental changes, or a window that was just opened looks for the first time.
      changed.fire();
      await clock.advance(10 * minute);
      assert.equal(begun.length, 1);
      assert.ok((begun[0] ?? 0) <= (hours === 0 ? minute : 6 * minute), String(begun[0]));
      paused.dispose();
    });
  }
});
