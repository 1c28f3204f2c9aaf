import assert from 'node:assert/strict';
import { rowText } from '../support/fakeEditor/quickInput';
import { haveKey, searchFor } from '../support/feature/rentDriver';
import { answerByEmail, codeNeeded, signInUpToFactor } from '../support/feature/secondFactor';
import { useComputer } from '../support/feature/useComputer';
import type { FeatureWindow } from '../support/feature/window';
import { orderAccount } from '../support/secondFactorAccount';

/** They lead to another account. */
const apart = ['gpuRental.tryDemo', 'gpuRental.tfa.signIn'];

describe('a question that is open when the session ends', () => {
  const secrets: string[] = [];
  const computer = useComputer({ secrets });
  let window: FeatureWindow;

  /** The session ends, and the message about it is answered with a code. */
  async function enterCode(): Promise<void> {
    await computer().simulator.call('POST', '/__sim/expire-sessions/', {});
    window.start('gpuRental.refresh');
    await window.toastButton(codeNeeded, 'Enter Code');
    await window.quick.title(/^Verification Code/);
    await answerByEmail(window);
  }

  const seen = () => {
    const { open } = window.quick;
    return {
      open,
      title: open.title,
      value: open.value,
      row: 'activeItems' in open ? open.activeItems.map(rowText)[0] : '',
    };
  };
  /** Everything is closed, as a user does who wants nothing. */
  async function clear(): Promise<void> {
    for (let round = 0; round < 5; round += 1) {
      window.quick.escape();
      for (const one of [...window.screen.messages.shown]) {
        one.wasSeen = true;
        if (one.modal) {
          one.press(one.buttons[0] ?? 'OK');
        } else if (one.kind !== 'progress') {
          one.close();
        }
      }
      await computer().rest();
    }
  }

  before(async () => {
    const account = await orderAccount(computer().simulator, 'totp');
    secrets.push(account.key, account.totpSecret, ...account.backupCodes);
    window = await computer().openWindow();
    await haveKey(computer());
    await signInUpToFactor(window, account);
    await answerByEmail(window);
    await window.toast(/Signed in as/);
    window.clearToasts();
  });

  /** The question that is open gives way to the one for the code, and is the same again after it. */
  async function comesBack(what: string): Promise<void> {
    const before = seen();
    await enterCode();
    await computer().until(`the question of ${what}`, () => window.screen.quick.current === before.open);
    await computer().rest();
    assert.deepEqual(seen(), before, what);
  }

  it('returns as it was, for each command that asked it', async () => {
    const asked: string[] = [];
    for (const id of window.screen.commands.ids()) {
      if (apart.includes(id)) {
        continue;
      }
      window.screen.fileDialogs.splice(0, Infinity, undefined);
      window.start(id);
      await computer().pass(3000);
      if (window.quick.isOpen) {
        await comesBack(id);
        asked.push(id);
      }
      await clear();
    }
    assert.ok(asked.length > 30, asked.join());
  });

  it('returns in each step of a rental, which continues to its confirmation', async () => {
    const { quick } = window;
    await searchFor(window, '1x 4090', /^1× RTX 4090.*% reliable/);
    await comesBack('the offers');
    await quick.type('/', { enter: false });
    await quick.title('Search Offers: Filters');
    await comesBack('the filters');
    await quick.pick('Show Offers');
    await quick.title('Search Offers');
    await quick.pick(/^1× RTX 4090.*% reliable/);
    for (const step of ['Template', 'Disk', 'Label', 'Run type']) {
      await quick.title(`Rent: ${step}`);
      if (step === 'Label') {
        await quick.type('typed before', { enter: false });
      }
      await comesBack(step);
      await computer().pass(2000);
      await quick.enter();
    }
    await quick.title('Rent: Confirm');
    await comesBack('the confirmation');
    await quick.row('typed before');
    await clear();
  });

  it('closes by a click elsewhere once no code is asked for', async () => {
    window.start('gpuRental.searchOffers');
    await window.quick.title('Search Offers');
    await computer().simulator.call('POST', '/__sim/expire-sessions/', {});
    window.start('gpuRental.refresh');
    const question = await window.toast(codeNeeded);
    window.screen.quick.loseFocus();
    await window.quick.title('Search Offers');
    question.close();
    await computer().rest();
    window.screen.quick.loseFocus();
    assert.equal(window.quick.isOpen, false);
    await clear();
  });

  it('leads to the code by its own row where the user had declined to enter one', async () => {
    window.start('gpuRental.searchOffers');
    await window.quick.pick('The search failed. Choose this row to enter a code.');
    await window.quick.title(/^Verification Code/);
    await answerByEmail(window);
    await window.quick.row('% reliable');
    await clear();
  });

  it('leads to the code by a row of the search for templates as well', async () => {
    await computer().simulator.call('POST', '/__sim/expire-sessions/', {});
    window.start('gpuRental.refresh');
    (await window.toast(codeNeeded)).close();
    await computer().pass(10_000);
    window.start('gpuRental.template.search');
    await window.quick.pick(/Enter a code to continue/);
    await window.quick.title(/^Verification Code/);
    await answerByEmail(window);
    await window.quick.title('Search Public Templates');
    await computer().until('templates', () => window.quick.rows().some((row) => row.includes('pytorch/')));
    await clear();
  });
});
