import assert from 'node:assert/strict';
import { useComputer } from '../../support/feature/useComputer';
import type { FeatureWindow } from '../../support/feature/window';

const question = /Let AI agents ask/;

describe('limits of agents that a person declined', () => {
  const computer = useComputer();
  let window: FeatureWindow;

  const open = () =>
    computer()
      .windows.flatMap(({ screen }) => screen.messages.shown)
      .filter(({ text, modal }) => modal && question.test(text)).length;
  const decline = async (one: FeatureWindow) => {
    const dialog = await one.dialog(question);
    await computer().pass(600);
    dialog.press('Cancel');
    await computer().rest();
  };

  before(async () => {
    window = await computer().openSignedIn();
    window.clearToasts();
  });

  it('are asked about by no window that opens later', async () => {
    computer().settings.set('gpuRental.agents.access', 'ask');
    await decline(window);
    await computer().pass(11 * 60_000);
    const other = await computer().openWindow();
    other.focus();
    await computer().pass(10_000);
    assert.equal(open(), 0);
  });

  it('are asked about again once they changed, and changed back', async () => {
    computer().settings.set('gpuRental.agents.limitPerDay', 5);
    await computer().until('a question', () => open() === 1);
    for (const one of computer().windows) {
      if (one.screen.messages.shown.some(({ text }) => question.test(text))) {
        await decline(one);
      }
    }
    computer().settings.set('gpuRental.agents.limitPerDay', undefined);
    await computer().until('a question', () => open() === 1);
    for (const one of computer().windows) {
      if (one.screen.messages.shown.some(({ text }) => question.test(text))) {
        await decline(one);
      }
    }
    await computer().pass(11 * 60_000);
    assert.equal(open(), 0);
  });
});
