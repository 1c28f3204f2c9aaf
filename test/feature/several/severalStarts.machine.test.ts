import assert from 'node:assert/strict';
import type { MachineManner } from '../../../src/simulator/login/manners';
import { registerKey } from '../../support/feature/reachable';
import { evenPrices, rent3090 } from '../../support/feature/rentDriver';
import { useComputer } from '../../support/feature/useComputer';
import type { FeatureWindow } from '../../support/feature/window';

describe('several machines that start at once, in two windows', () => {
  const computer = useComputer({ simulator: { sshServer: true } });
  let windows: readonly FeatureWindow[];

  before(async () => {
    await registerKey(computer());
    await evenPrices(computer());
    const first = await computer().openWindow({ isFocused: true });
    await first.signIn();
    windows = [first, await computer().openWindow()];
  });

  async function rent(manner: MachineManner): Promise<number> {
    const window = windows[0] ?? assert.fail();
    computer().simulator.orders.behave(manner);
    return (await rent3090(window)).id;
  }
  const linesOf = (id: number) =>
    windows
      .flatMap(({ screen }) => screen.messages.history)
      .filter(({ text }) => new RegExp(`#${id} (?:is ready|is running)`).test(text));
  const said = (id: number) => computer().until(`a word on ${id}`, () => linesOf(id)[0]);

  it('are each judged once, in one window, and none is destroyed unasked', async () => {
    const refused = await rent('refusedKey');
    const hung = await rent('hungNvidiaSmi');
    const good = await rent('usual');
    assert.match((await said(good)).text, /is ready\. 1× RTX 3090/);
    assert.match((await said(hung)).text, /nvidia-smi does not answer/);
    assert.match((await said(refused)).text, /refuses the SSH key/);
    await computer().pass(600_000);
    assert.deepEqual(
      [good, hung, refused].map((id) => linesOf(id).length),
      [1, 1, 1],
    );
    for (const window of windows) {
      for (const { text } of window.screen.messages.shown.filter(({ kind }) => kind === 'warning')) {
        await window.toast(text);
      }
    }
    const ends = computer().simulator.received('DELETE', /\/instances\//);
    assert.deepEqual(ends, [], 'nothing is destroyed unasked');
  });
});
