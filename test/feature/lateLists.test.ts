import assert from 'node:assert/strict';
import { confirmRental, haveKey, reviewFirst, searchFor } from '../support/feature/rentDriver';
import { useComputer } from '../support/feature/useComputer';

describe('a rental that the service lists an hour late', () => {
  const computer = useComputer({ simulator: { listLagSeconds: 3600 } });

  it('is in the views of all windows at once, and ready once', async () => {
    await haveKey(computer());
    const first = await computer().openWindow();
    const second = await computer().openWindow();
    const windows = [first, second];
    await first.signIn();
    for (const window of windows) await window.view('instances').rows();
    await searchFor(first, '4090', /RTX 4090/);
    await reviewFirst(first, /[12]× RTX 4090/);
    const before = computer().clock.now();
    await confirmRental(first);
    for (const window of windows) await window.view('instances').row(/RTX 4090/);
    assert.ok(computer().clock.now() - before < 3000);
    for (const window of windows) await window.view('instances').row('Running');
    await computer().pass(5 * 60_000);
    const said = windows.flatMap(({ screen }) =>
      screen.messages.history.filter(({ text }) => text.includes('is ready')),
    );
    assert.equal(said.length, 1);
    for (const window of windows) await window.view('instances').row('Running');
  });
});
