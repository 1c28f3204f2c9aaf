import assert from 'node:assert/strict';
import {
  chooseFactor,
  endSessions,
  goesOn,
  logIns,
  nextCode,
  sent,
  signInUpToFactor,
  tryFactor,
} from '../support/secondFactorSteps';
import { orderAccount, otherThan, totpCode, type OrderedAccount } from '../support/tfaAccount';
import { useUiSession } from '../support/uiSession';
import { until } from '../support/until';
import type { Workbench } from '../support/workbench';

describe('signing in with a second factor', function () {
  this.bail(true);
  this.timeout(120_000);
  const session = useUiSession('second-factor-sign-in');
  let workbench: Workbench;
  let account: OrderedAccount;
  /** The second authenticator app of the same account. */
  let tablet: OrderedAccount;
  const backupCodes = () => tablet.backupCodes;
  const message = (expected: RegExp) =>
    until(`the message ${String(expected)}`, async () => {
      const text = await workbench.quick.message();
      return expected.test(text) && text;
    });

  it('tells several methods of one type apart, the primary one first', async () => {
    account = await orderAccount(session().simulator, 'both');
    tablet = await orderAccount(session().simulator, 'totp', { accountId: account.accountId });
    workbench = await session().window();
    await signInUpToFactor(session(), workbench, account);
    await workbench.shot('01-choice');
    assert.deepEqual(
      (await workbench.quick.rowTexts()).map((row) => row.replace(/ (Code|One) .*$/, '')),
      [
        'Authenticator (#1)primary',
        'Phone, ********0142 (#2)',
        'Authenticator (#3)',
        'E-mail',
        'Backup Code10 left',
      ],
    );
  });

  it('has a text message sent again where one was sent a short while ago', async () => {
    const { simulator } = session();
    // Asked for in the web console a moment ago.
    await simulator.call('POST', '/api/v0/tfa/sms/', { tfa_method_id: 2 }, account.key);
    const before = await sent(session(), 'sms');
    await chooseFactor(workbench, 'Phone, ********0142 (#2)');
    await message(/on its way to \*{8}0142\. It is valid for (10:00|9:5\d) min\./);
    await workbench.shot('02-sms');
    const answers = simulator.received('POST', /tfa\/sms/).map(({ path, status }) => `${path} ${status}`);
    assert.deepEqual(answers.slice(-2), ['/api/v0/tfa/sms/ 400', '/api/v0/tfa/sms/resend/ 200']);
    assert.equal((await sent(session(), 'sms')).length, before.length + 1);
  });

  it('checks the code while it is typed, says when it is wrong, and keeps the focus', async () => {
    const { code } = await nextCode(session(), 'sms', 1);
    await workbench.quick.type('12a', { enter: false });
    await message(/made of six digits/);
    await workbench.quick.type('123', { enter: false });
    await message(/3 so far/);
    await workbench.quick.type(otherThan(code));
    await message(/code is wrong/);
    await workbench.page.keyboard.press('ControlOrMeta+a');
    await workbench.page.keyboard.type(otherThan(code));
    await workbench.page.keyboard.press('Enter');
    await message(/2 codes were wrong so far; after too many, none is taken/);
    await workbench.shot('03-wrong');
  });

  it('sends the code again on request, after which only the new one counts', async () => {
    const { count } = await nextCode(session(), 'sms', 0);
    await workbench.quick.titleButton('Send Again').click();
    const { code } = await nextCode(session(), 'sms', count);
    await message(/It is valid for/);
    await workbench.quick.type(code);
    await workbench.quick.widget.waitFor({ state: 'hidden' });
    await goesOn(session());
    assert.equal(logIns(session()), 1);
  });

  it('asks once when the session ends, and carries on by itself after a code by e-mail', async () => {
    await endSessions(session(), workbench);
    await chooseFactor(workbench, 'E-mail');
    const { code } = await nextCode(session(), 'email', 0);
    await message(new RegExp(`on its way to ${account.email.replace(/[.+]/g, '\\$&')}`));
    await workbench.shot('04-email');
    await workbench.quick.type(code);
    await workbench.quick.widget.waitFor({ state: 'hidden' });
    await goesOn(session());
    assert.equal(logIns(session()), 2);
    await workbench.view('Instances').welcome.filter({ hasText: 'Nothing is billed' }).waitFor();
  });

  it('shows a method that is locked with the time it opens again, and offers the others', async () => {
    await workbench.clearNotifications();
    await endSessions(session(), workbench);
    await chooseFactor(workbench, 'Authenticator (#3)');
    await message(/authenticator app shows/);
    const wrong = otherThan(totpCode(session().simulator, tablet.totpSecret));
    for (let count = 1; count <= 4; count += 1) {
      await workbench.quick.type(wrong);
      await message(count === 1 ? /code is wrong/ : new RegExp(`${count} codes were wrong`));
    }
    await workbench.quick.type(wrong);
    const toast = await workbench.toast(/none is taken until .*\d:\d\d/);
    const opens = /until (.*\d:\d\d( [AP]M)?)/.exec(await toast.innerText())?.[1] ?? '';
    await workbench.quick.row('Authenticator (#3)').waitFor();
    await workbench.shot('05-locked');
    const rows = await workbench.quick.rowTexts();
    assert.ok(
      rows.some((row) => row.startsWith(`Authenticator (#3)locked until ${opens}`)),
      rows.join('\n'),
    );
    await workbench.clearNotifications();
  });

  it('sends no code while the e-mail address is not verified, and links to where that is done', async () => {
    const { simulator } = session();
    const verify = (isVerified: boolean) =>
      simulator.call('PUT', '/__sim/account/', {
        account_id: account.accountId,
        email_verified: isVerified,
      });
    await verify(false);
    // The palette took the place of the question, which is the person's own doing.
    await workbench.run('Enter Second Factor');
    await workbench.quick.waitForTitle('Second Factor');
    const before = (await sent(session(), 'email')).length;
    await tryFactor(workbench, 'E-mail');
    const toast = await workbench.toast(
      /not verified, so no codes are sent.*choose a way that sends no code/,
    );
    assert.match(await toast.innerText(), /Open Web Console/);
    const rows = await workbench.quick.rowTexts();
    assert.deepEqual(
      rows.filter((row) => row.includes('Needs a verified e-mail address')).length,
      2,
      'neither e-mail nor text messages',
    );
    await workbench.shot('06-not-verified');
    assert.equal((await sent(session(), 'email')).length, before);
    await verify(true);
    await workbench.clearNotifications();
  });

  it('does not take a locked method, and says why', async () => {
    await workbench.run('Enter Second Factor');
    await workbench.quick.waitForTitle('Second Factor');
    await tryFactor(workbench, 'Authenticator (#3)');
    await workbench.toast(/Too many wrong codes: none is taken until/);
    await workbench.quick.waitForTitle('Second Factor');
    await workbench.shot('06-locked-picked');
  });

  it('takes a backup code in any spelling, and tells how many are left', async () => {
    await chooseFactor(workbench, 'Backup Code');
    await workbench.quick.type('abcd-efgh', { enter: false });
    await message(/8 so far/);
    await workbench.quick.type('AAAA-BBBB-CCCC');
    await message(/backup code is wrong or was used before/);
    await workbench.shot('07-backup');
    await workbench.quick.type((backupCodes()[0] ?? '').toLowerCase().replaceAll('-', ' '));
    await workbench.toast('The backup code was used. 9 are left.');
    await goesOn(session());
  });

  it('says when the last backup code was used, and makes new ones', async () => {
    const { simulator } = session();
    for (const code of backupCodes().slice(1, 9)) {
      await simulator.call('POST', '/api/v0/tfa/', { backup_code: code }, account.key);
    }
    await workbench.clearNotifications();
    await endSessions(session(), workbench);
    await chooseFactor(workbench, 'Backup Code');
    await workbench.quick.type(backupCodes()[9] ?? '');
    const toast = await workbench.toast('That was your last backup code.');
    assert.match(await toast.innerText(), /lost phone does not lock you out/);
    await workbench.shot('08-none-left');
    await workbench.toastButton('That was your last backup code.', 'Make New Codes');
    await workbench.dialog.waitFor();
    await workbench.shot('09-make-new');
    await workbench.dialogButton('Make New Codes');
    await workbench.quick.waitForTitle('Confirm New Backup Codes');
    const rows = await workbench.quick.rowTexts();
    assert.ok(!rows.some((row) => row.startsWith('Backup Code')), 'there is none to prove it with');
    await chooseFactor(workbench, 'Authenticator (#1)');
  });

  async function answerByEmail(): Promise<void> {
    const { length } = await sent(session(), 'email');
    await chooseFactor(workbench, 'E-mail');
    const { code } = await nextCode(session(), 'email', length);
    await message(/on its way/);
    await workbench.quick.type(code);
  }

  it('comes back to the question whose place another one took', async () => {
    const before = logIns(session());
    await message(/authenticator app shows/);
    await endSessions(session(), workbench);
    await answerByEmail();
    await workbench.quick.waitForTitle('Confirm New Backup Codes');
    await message(/authenticator app shows/);
    assert.equal(logIns(session()), before + 1);
    const progress = workbench.page.locator('.part.sidebar .monaco-progress-container.active');
    await until('the end of the refresh', async () => (await progress.count()) === 0, { timeoutMs: 60_000 });
  });

  it('asks for the session that ended in mid use, and then finishes what was asked for', async () => {
    const { simulator } = session();
    const before = logIns(session());
    await simulator.call('POST', '/__sim/expire-sessions/', {});
    await workbench.quick.type(totpCode(simulator, account.totpSecret));
    await workbench.quick.waitForTitle('Second Factor');
    await workbench.shot('10-mid-use');
    await answerByEmail();
    await workbench.quick.waitForTitle('Backup Codes: Shown This Once');
    assert.equal(logIns(session()), before + 1, 'asked once');
    await workbench.shot('11-codes');
  });

  it('keeps the codes in view until they are stored', async () => {
    const { quick, page } = workbench;
    const codes = (await quick.rowTexts()).filter((row) => /^[A-Z0-9]{4}(-[A-Z0-9]{4}){2}$/.test(row));
    assert.ok(codes.length > 0);
    await quick.pick('Copy');
    const copied = await until('the copy', async () => {
      const text = await page.evaluate<string>('navigator.clipboard.readText()');
      return text.includes(codes[0] ?? '?') && text;
    });
    assert.equal(copied.split('\n').length, 10);
    await quick.waitForTitle('Backup Codes: Shown This Once');
    await page.keyboard.press('Escape');
    await workbench.dialog.waitFor();
    await workbench.shot('12-close');
    await workbench.dialogButton('Cancel');
    await quick.waitForTitle('Backup Codes: Shown This Once');
    await quick.pick('I Have Stored Them');
    await quick.widget.waitFor({ state: 'hidden' });
    await page.evaluate("navigator.clipboard.writeText('')");
    assert.deepEqual(session().filesWithSecrets(copied.split('\n')), []);
  });

  it('gives back the list whose place it took, with what was typed there', async () => {
    const { quick } = workbench;
    await workbench.run('Search Offers…');
    await quick.waitForTitle('Search Offers');
    await quick.input.fill('2x 4090');
    const offer = quick.rows.filter({ hasText: /2× RTX 4090.*% reliable/ }).first();
    await offer.waitFor();
    await session().simulator.call('POST', '/__sim/expire-sessions/', {});
    await quick.titleButton('Search Again').click();
    await answerByEmail();
    await quick.waitForTitle('Search Offers');
    assert.equal(await quick.input.inputValue(), '2x 4090');
    await offer.waitFor();
    await workbench.shot('12-list-again');
    await workbench.page.keyboard.press('Escape');
    await quick.widget.waitFor({ state: 'hidden' });
  });

  it('finds the telephone of an account with the older form of 2FA', async () => {
    const legacy = await orderAccount(session().simulator, 'legacy');
    await workbench.clearNotifications();
    await workbench.run('Switch Account…');
    await workbench.quick.pick('Sign In to Another Account…');
    await workbench.quick.waitForTitle('Sign In: Service');
    await workbench.quick.pick(session().simulator.url);
    await workbench.quick.waitForTitle('Sign In: API Key');
    await workbench.quick.type(legacy.key);
    await workbench.quick.waitForTitle('Second Factor');
    await workbench.shot('13-legacy');
    const rows = await workbench.quick.rowTexts();
    assert.equal(rows.length, 2);
    const { length } = await sent(session(), 'sms');
    await chooseFactor(workbench, 'Text message');
    const { code } = await nextCode(session(), 'sms', length);
    await message(/A code is on its way/);
    await workbench.quick.type(code);
    await workbench.quick.widget.waitFor({ state: 'hidden' });
    await goesOn(session());
  });

  it('is not asked again after a no, and says how to go on', async () => {
    await endSessions(session(), workbench);
    await workbench.page.keyboard.press('Escape');
    await workbench.quick.widget.waitFor({ state: 'hidden' });
    const row = workbench.view('Instances').row('Select to enter a code');
    await row.waitFor();
    await workbench.shot('14-declined');
    const before = logIns(session());
    const { length: emails } = await sent(session(), 'email');
    await row.click();
    await workbench.quick.waitForTitle('Second Factor');
    await chooseFactor(workbench, 'E-mail');
    const { code } = await nextCode(session(), 'email', emails);
    await message(/on its way/);
    await workbench.quick.type(code);
    await workbench.quick.widget.waitFor({ state: 'hidden' });
    await goesOn(session());
    assert.equal(logIns(session()), before + 1);
  });

  it('gives an administrator an admin session on request alone', async () => {
    const { simulator } = session();
    const admin = await orderAccount(simulator, 'admin');
    await workbench.clearNotifications();
    await workbench.run('Switch Account…');
    await workbench.quick.pick('Sign In to Another Account…');
    await workbench.quick.waitForTitle('Sign In: Service');
    await workbench.quick.pick(simulator.url);
    await workbench.quick.waitForTitle('Sign In: API Key');
    await workbench.quick.type(admin.key);
    await workbench.quick.waitForTitle(/^Second Factor: /);
    const logIn = async () => {
      await workbench.quick.rows.first().waitFor();
      const [method] = (await workbench.quick.rowTexts()).map((row) => /^(.*?\(#\d+\))/.exec(row)?.[1]);
      await chooseFactor(workbench, method ?? '');
      simulator.advance(30);
      await workbench.quick.type(totpCode(simulator, admin.totpSecret));
      await workbench.quick.widget.waitFor({ state: 'hidden' });
      await goesOn(session());
      return simulator.received('POST', '/api/v0/tfa/').at(-1)?.body as { readonly admin?: boolean };
    };
    assert.equal('admin' in (await logIn()), false);
    await workbench.run('Enter Second Factor');
    await workbench.quick.waitForTitle('Enter Second Factor');
    await workbench.shot('15-which-session');
    await workbench.quick.pick('Admin Session');
    await workbench.quick.waitForTitle('Second Factor for an Admin Session');
    assert.equal((await logIn()).admin, true);
  });

  it('leaves no secret in a file or in the log, and reports no error', () => {
    const planted = [account.key, account.totpSecret, tablet.totpSecret, ...account.backupCodes];
    assert.deepEqual(session().filesWithSecrets(planted), []);
    for (const secret of planted) assert.equal(session().log().includes(secret), false);
    assert.deepEqual(workbench.errors, []);
  });
});
