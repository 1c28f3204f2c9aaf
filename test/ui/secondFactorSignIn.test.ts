import assert from 'node:assert/strict';
import { press } from '../support/press';
import {
  logIns,
  orderAccount,
  otherThan,
  sentCodes,
  totpCode,
  type OrderedAccount,
} from '../support/secondFactorAccount';
import {
  chooseFactor,
  codeNeeded,
  endSessions,
  enterCode,
  goesOn,
  nextCode,
  signInUpToFactor,
} from '../support/secondFactorSteps';
import { useUiSession } from '../support/uiSession';
import { until } from '../support/until';
import type { Workbench } from '../support/workbench';

describe('signing in with a second factor', function () {
  this.bail(true);
  this.timeout(120_000);
  const session = useUiSession('second-factor-sign-in');
  let workbench: Workbench;
  let account: OrderedAccount;
  const message = (expected: RegExp) =>
    until(`the message ${String(expected)}`, async () => {
      const text = await workbench.quick.message();
      return expected.test(text) && text;
    });

  async function answerByEmail(): Promise<void> {
    const { length } = await sentCodes(session(), 'email');
    await chooseFactor(workbench, 'E-mail');
    const { code } = await nextCode(session(), 'email', length);
    await message(/A code was sent/);
    await workbench.quick.type(code);
  }

  it('keeps the focus in the box after a wrong code, so that the next one can be typed', async () => {
    const { simulator } = session();
    account = await orderAccount(simulator, 'both');
    workbench = await session().window();
    await signInUpToFactor(session(), workbench, account);
    await workbench.shot('01-choice');
    await chooseFactor(workbench, 'Authenticator (#1)');
    await workbench.quick.type(otherThan(totpCode(simulator, account.totpSecret)));
    await message(/code is wrong/);
    await workbench.shot('02-wrong');
    await workbench.page.keyboard.press('ControlOrMeta+a');
    await workbench.page.keyboard.type(totpCode(simulator, account.totpSecret));
    await workbench.quick.enter();
    await workbench.quick.widget.waitFor({ state: 'hidden' });
    await goesOn(session());
    assert.equal(logIns(session()), 1);
  });

  it('returns to the question that another one replaced', async () => {
    await workbench.clearNotifications();
    await workbench.run('Make New Backup Codes');
    await workbench.dialogButton('Make New Backup Codes…');
    await workbench.quick.waitForTitle('Make New Backup Codes');
    await chooseFactor(workbench, 'Authenticator (#1)');
    await message(/from your authenticator app/);
    await endSessions(session(), workbench);
    await workbench.shot('03-message');
    await enterCode(workbench);
    await answerByEmail();
    await workbench.quick.waitForTitle('Make New Backup Codes');
    await message(/from your authenticator app/);
    await workbench.shot('04-again');
    assert.equal(logIns(session()), 2);
    const progress = workbench.page.locator('.part.sidebar .monaco-progress-container.active');
    await until('the end of the refresh', async () => (await progress.count()) === 0, { timeoutMs: 60_000 });
    await workbench.page.keyboard.press('Escape');
    await workbench.quick.widget.waitFor({ state: 'hidden' });
  });

  it('keeps what is typed elsewhere, and continues after the code', async () => {
    const { quick } = workbench;
    await workbench.run('Search Offers…');
    await quick.waitForTitle('Search Offers');
    await quick.input.fill('2x 4090');
    const offer = quick.rows.filter({ hasText: /2× RTX 4090.*% reliable/ }).first();
    await offer.waitFor();
    await session().simulator.call('POST', '/__sim/expire-sessions/', {});
    await press(quick.titleButton('Search Again'));
    await workbench.toast(codeNeeded);
    await quick.waitForTitle('Search Offers');
    assert.equal(await quick.input.inputValue(), '2x 4090');
    await workbench.shot('05-list-stays');
    await enterCode(workbench);
    await answerByEmail();
    await quick.waitForTitle('Search Offers');
    assert.equal(await quick.input.inputValue(), '2x 4090');
    await workbench.shot('06-list-comes-back');
    await goesOn(session());
    assert.equal(logIns(session()), 3);
    await workbench.page.keyboard.press('Escape');
    await quick.widget.waitFor({ state: 'hidden' });
  });

  it('leaves no secret in a file or in the log, and reports no error', () => {
    const planted = [account.key, account.totpSecret, ...account.backupCodes];
    assert.deepEqual(session().filesWithSecrets(planted), []);
    for (const secret of planted) {
      assert.equal(session().log().includes(secret), false);
    }
    assert.deepEqual(workbench.errors, []);
  });
});
