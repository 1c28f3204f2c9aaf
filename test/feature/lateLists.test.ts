import assert from 'node:assert/strict';
import { confirmRental, haveKey, reviewFirst, searchFor } from '../support/feature/rentDriver';
import { useComputer } from '../support/feature/useComputer';
import type { FeatureWindow } from '../support/feature/window';

/** Seconds by which the list is late: little, as in the walk, longer than a slow poll, and an hour. */
const lags = [5, 30, 90, 3600];

/** What becomes of the machine, its row then, and its messages, once over all windows. */
const ends = [
  { what: 'ready', outcome: undefined, row: 'Running', says: /is ready/ },
  {
    what: 'failed',
    outcome: 'exited',
    row: /Failed|Exited/,
    says: /will not get ready: its container ended/,
  },
] as const;

for (const listLagSeconds of lags) {
  for (const isFocused of [true, false]) {
    for (const count of [1, 2]) {
      for (const { what, outcome, row, says } of ends) {
        const focus = isFocused ? 'with the focus' : 'without the focus';
        describe(`a rental listed ${listLagSeconds} s late, ${focus}, in ${count} window(s)`, () => {
          const computer = useComputer({ simulator: { listLagSeconds } });

          it(`is in the view at once, and ${what} once`, async () => {
            await haveKey(computer());
            if (outcome) {
              computer().simulator.orders.failBoot({ outcome, message: 'no space left' });
            }
            const windows: FeatureWindow[] = [];
            for (let opened = 0; opened < count; opened += 1) {
              windows.push(await computer().openWindow());
            }
            const [first] = windows;
            assert.ok(first);
            await first.signIn();
            for (const window of windows) {
              await window.view('instances').rows();
            }
            await searchFor(first, '4090', /RTX 4090/);
            await reviewFirst(first, /[12]× RTX 4090/);
            const before = computer().clock.now();
            await confirmRental(first);
            if (!isFocused) {
              first.screen.focus(false);
            }
            for (const window of windows) {
              await window.view('instances').row(/RTX 4090/);
            }
            assert.ok(computer().clock.now() - before < 3000);
            for (const window of windows) {
              await window.view('instances').row(row);
            }
            await computer().pass(5 * 60_000);
            const said = windows.flatMap(({ screen }) =>
              screen.messages.history.filter(({ text }) => says.test(text)),
            );
            assert.equal(said.length, 1);
            for (const window of windows) {
              await window.view('instances').row(row);
            }
            for (const window of windows) {
              window.clearToasts();
            }
          });
        });
      }
    }
  }
}
