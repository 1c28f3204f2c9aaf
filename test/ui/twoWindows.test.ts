import assert from 'node:assert/strict';
import { confirmRental, generateKey, signIn, toConfirmation } from '../support/journey';
import { useUiSession } from '../support/uiSession';
import { until } from '../support/until';
import type { Workbench } from '../support/workbench';

describe('two windows of one user', function () {
  this.bail(true);
  this.timeout(240_000);
  const session = useUiSession('two-windows');
  let one: Workbench;
  let two: Workbench;
  const received = (method: string, pattern: RegExp) => session().simulator.received(method, pattern);
  const lists = () => received('GET', /^\/api\/v[01]\/instances\/$/);

  it('are both signed in when one of them is', async () => {
    one = await session().window('one');
    two = await session().window('two');
    await two.openContainer('GPU Rental');
    await signIn(session(), one);
    await until('the other window is signed in', async () => {
      const text = await two.page.locator('.part.sidebar').innerText();
      return text.includes('No instances. You are not charged.');
    });
    await two.shot('01-signed-in-too');
  });

  it('show the same machine, and one of them asks the service', async () => {
    await one.page.bringToFront();
    await one.clearNotifications();
    await toConfirmation(one, { search: '4090', offer: /[12]× RTX 4090/, label: 'shared' });
    await confirmRental(one);
    await generateKey(session(), one);
    for (const window of [one, two]) {
      await window.view('Instances').row('shared').waitFor({ timeout: 30_000 });
    }
    const before = lists().length;
    // Every ten seconds while something starts; where two windows asked, one of two pauses would be shorter.
    const isByOne = () => {
      const times = lists()
        .slice(before)
        .slice(-3)
        .map(({ atMs }) => atMs);
      return times.length === 3 && times.every((time, place) => time - (times[place - 1] ?? 0) > 6000);
    };
    // Beside them stand those for the rental itself, which nobody can tell from the others.
    await until('three lists with ten seconds between them', isByOne, { timeoutMs: 60_000 });
  });

  it('report once that the machine is ready', async () => {
    await session().simulator.call('PUT', '/__sim/speed/', { speed: 20 });
    const ready = (window: Workbench) => window.toasts.filter({ hasText: /shared is ready/ }).count();
    const shown = await until(
      'somebody to say it',
      async () => {
        const counts = [await ready(one), await ready(two)];
        return counts.some((count) => count > 0) ? counts : undefined;
      },
      { timeoutMs: 120_000 },
    );
    await one.shot('02-ready');
    assert.equal(
      shown.reduce((sum, count) => sum + count, 0),
      1,
    );
    await until('both to show it running', async () => {
      const rows = [one, two].map((window) => window.view('Instances').row('shared').innerText());
      return (await Promise.all(rows)).every((text) => text.includes('Running'));
    });
    // A pop-up fades while one waits; the list of messages keeps it.
    const messages = [...(await one.notificationTexts()), ...(await two.notificationTexts())];
    assert.equal(messages.filter((text) => text.includes('shared is ready')).length, 1);
    assert.equal(received('PUT', /^\/api\/v0\/asks\//).length, 1);
  });

  it('go on when the one that asks the service is closed', async () => {
    await one.page.close();
    await two.page.bringToFront();
    const before = lists().length;
    await until('another list', () => lists().length > before, { timeoutMs: 90_000 });
    await two.view('Instances').row('shared').waitFor();
  });
});
