import assert from 'node:assert/strict';
import {
  answerByEmail,
  chooseFactor,
  codeAfter,
  codeNeeded,
  endSessions,
  enterKey,
  goesOn,
  signInUpToFactor,
  tryFactor,
} from '../support/feature/secondFactor';
import { useComputer } from '../support/feature/useComputer';
import type { FeatureWindow } from '../support/feature/window';
import {
  logIns,
  orderAccount,
  otherThan,
  sentCodes,
  totpCode,
  type OrderedAccount,
} from '../support/secondFactorAccount';

describe('signing in with a second factor', () => {
  const secrets: string[] = [];
  const computer = useComputer({ secrets });
  let window: FeatureWindow;
  let account: OrderedAccount;
  /** The second authenticator app of the same account. */
  let tablet: OrderedAccount;

  const expireSessions = () => computer().simulator.call('POST', '/__sim/expire-sessions/', {});
  const bodies = () =>
    computer()
      .simulator.received('POST', '/api/v0/tfa/')
      .map(({ body }) => body);
  const order = async (
    ...options: Parameters<typeof orderAccount> extends [unknown, ...infer O] ? O : never
  ) => {
    const ordered = await orderAccount(computer().simulator, ...options);
    secrets.push(ordered.key, ordered.totpSecret, ...ordered.backupCodes);
    return ordered;
  };
  const closed = () => computer().until('the end of the question', () => !window.quick.isOpen);

  it('distinguishes several methods of one type, the primary one first', async () => {
    account = await order('both');
    tablet = await order('totp', { accountId: account.accountId });
    window = await computer().openWindow();
    await signInUpToFactor(window, account);
    await window.quick.row('Backup Code');
    assert.deepEqual(
      window.quick
        .rows()
        .map((row) => row.replace(/ (Authenticator app$|Text message$|Code to .*|One of .*)$/, '')),
      [
        'Authenticator (#1) primary',
        'Phone, ********0142 (#2)',
        'Authenticator (#3)',
        'E-mail',
        'Backup Code 10 left',
      ],
    );
  });

  it('has a text message sent again where one was sent a short while ago', async () => {
    const { simulator } = computer();
    // Asked for in the web console a moment ago.
    await simulator.call('POST', '/api/v0/tfa/sms/', { tfa_method_id: 2 }, account.key);
    const before = await sentCodes(computer(), 'sms');
    await chooseFactor(window, 'Phone, ********0142 (#2)');
    await window.quick.message(/A code was sent to \*{8}0142\. It is valid for (10:00|9:5\d) min\./);
    const answers = simulator.received('POST', /tfa\/sms/).map(({ path, status }) => `${path} ${status}`);
    assert.deepEqual(answers.slice(-2), ['/api/v0/tfa/sms/ 400', '/api/v0/tfa/sms/resend/ 200']);
    assert.equal((await sentCodes(computer(), 'sms')).length, before.length + 1);
  });

  it('checks the code while it is typed, and shows when it is wrong', async () => {
    const { quick } = window;
    const code = (await sentCodes(computer(), 'sms')).at(-1) ?? '';
    const before = bodies().length;
    await quick.type('12a', { enter: false });
    await quick.message(/Enter six digits/);
    await quick.type('123', { enter: false });
    await quick.message(/3 so far/);
    await quick.enter();
    assert.equal(bodies().length, before, 'half a code is not sent');
    await quick.type(otherThan(code));
    await quick.message(/code is wrong/);
    await quick.type(otherThan(code));
    await quick.message(/2 codes were wrong so far\. Too many wrong codes lock this method/);
    assert.equal(bodies().length, before + 2);
  });

  it('sends the code again on request, after which only the new one counts', async () => {
    const code = await codeAfter(computer(), 'sms', () => window.quick.button('Send Again'));
    await window.quick.message(/It is valid for/);
    await window.quick.type(code);
    await closed();
    await goesOn(computer());
    assert.equal(logIns(computer()), 1);
    const { secret, ...body } = bodies().at(-1) as Record<string, unknown>;
    assert.ok(secret);
    assert.deepEqual(body, { tfa_method: 'sms', tfa_method_id: 2, code });
    await window.toast(/Signed in as/);
  });

  it('asks once when the session ends, and carries on by itself after a code by e-mail', async () => {
    await endSessions(window);
    const code = await codeAfter(computer(), 'email', () => chooseFactor(window, 'E-mail'));
    await window.quick.message(`A code was sent to ${account.email}`);
    await window.quick.type(code);
    await closed();
    await goesOn(computer());
    assert.equal(logIns(computer()), 2);
    await window.view('instances').welcomeShows('You are not charged');
  });

  it('shows a method that is locked with the time it opens again, and offers the others', async () => {
    window.clearToasts();
    await endSessions(window);
    await chooseFactor(window, 'Authenticator (#3)');
    await window.quick.message(/from your authenticator app/);
    const wrong = otherThan(totpCode(computer().simulator, tablet.totpSecret));
    for (let count = 1; count <= 4; count += 1) {
      await window.quick.type(wrong);
      await window.quick.message(count === 1 ? /code is wrong/ : new RegExp(`${count} codes were wrong`));
    }
    await window.quick.type(wrong);
    const { text } = await window.toast(/this method is locked until .*\d:\d\d/);
    const opens = /until (.*\d:\d\d( [AP]M)?)/.exec(text)?.[1] ?? '';
    await window.quick.row(`Authenticator (#3) locked until ${opens}`);
    window.clearToasts();
  });

  it('sends no code while the e-mail address is not verified, and links to where that is done', async () => {
    const verify = (isVerified: boolean) =>
      computer().simulator.call('PUT', '/__sim/account/', {
        account_id: account.accountId,
        email_verified: isVerified,
      });
    await verify(false);
    // The palette takes the place of the question.
    window.run('Enter Verification Code');
    await window.quick.title('Verification Code');
    const before = (await sentCodes(computer(), 'email')).length;
    await tryFactor(window, 'E-mail');
    const { buttons } = await window.toast(
      /not verified, so no codes can be sent.*choose a method that sends no code/,
    );
    assert.deepEqual(buttons, ['Open Web Console']);
    await window.quick.row('Backup Code');
    assert.equal(
      window.quick.rows().filter((row) => row.includes('Needs a verified e-mail address')).length,
      2,
      'neither e-mail nor text messages',
    );
    assert.equal((await sentCodes(computer(), 'email')).length, before);
    await verify(true);
    window.clearToasts();
  });

  it('does not use a locked method, and explains why', async () => {
    const before = bodies().length;
    window.run('Enter Verification Code');
    await window.quick.title('Verification Code');
    await tryFactor(window, 'Authenticator (#3)');
    await window.toast(/Too many wrong codes: this method is locked until/);
    await window.quick.title('Verification Code');
    assert.equal(bodies().length, before);
    window.clearToasts();
  });

  it('accepts a backup code in any spelling, and shows how many are left', async () => {
    await chooseFactor(window, 'Backup Code');
    await window.quick.type('abcd-efgh', { enter: false });
    await window.quick.message(/8 so far/);
    await window.quick.type('AAAA-BBBB-CCCC');
    await window.quick.message(/backup code is wrong or was used before/);
    const [code = ''] = tablet.backupCodes;
    await window.quick.type(code.toLowerCase().replaceAll('-', ' '));
    await window.toast('The backup code was accepted. Codes left: 9.');
    await goesOn(computer());
    assert.deepEqual(bodies().at(-1), { backup_code: code });
  });

  it('shows when the last backup code was used, and makes new ones', async () => {
    const { simulator } = computer();
    for (const code of tablet.backupCodes.slice(1, 9)) {
      await simulator.call('POST', '/api/v0/tfa/', { backup_code: code }, account.key);
    }
    window.clearToasts();
    await endSessions(window);
    await chooseFactor(window, 'Backup Code');
    await window.quick.type(tablet.backupCodes[9] ?? '');
    const { text } = await window.toast('That was your last backup code.');
    assert.match(text, /lost phone locks you out/);
    await window.toastButton('That was your last backup code.', 'Make New Backup Codes…');
    await window.dialogButton('Make New Backup Codes…');
    await window.quick.title('Make New Backup Codes');
    await window.quick.row('E-mail');
    assert.ok(
      !window.quick.rows().some((row) => row.startsWith('Backup Code')),
      'there is none to prove it with',
    );
    await chooseFactor(window, 'Authenticator (#1)');
  });

  it('returns to the question that another one replaced', async () => {
    const before = logIns(computer());
    await window.quick.message(/from your authenticator app/);
    await endSessions(window);
    await answerByEmail(window);
    await window.quick.title('Make New Backup Codes');
    await window.quick.message(/from your authenticator app/);
    assert.equal(logIns(computer()), before + 1);
  });

  it('asks for the session that ended in mid use, and then finishes what was asked for', async () => {
    const before = logIns(computer());
    await expireSessions();
    await window.quick.type(totpCode(computer().simulator, account.totpSecret));
    await window.toastButton(codeNeeded, 'Enter Code');
    await window.quick.title(/^Verification Code/);
    await answerByEmail(window);
    await window.quick.title('Backup Codes: Shown Only Once');
    assert.equal(logIns(computer()), before + 1, 'asked once');
  });

  it('keeps the codes in view until they are stored', async () => {
    const { quick } = window;
    const codes = quick.rows().filter((row) => /^[A-Z0-9]{4}(-[A-Z0-9]{4}){2}$/.test(row));
    assert.equal(codes.length, 10);
    secrets.push(...codes);
    await quick.pick('Copy');
    await computer().until('the copy', () => computer().clipboard.text !== '');
    assert.deepEqual(computer().clipboard.text.trim().split('\n'), codes);
    await quick.title('Backup Codes: Shown Only Once');
    quick.escape();
    await window.dialogButton('Cancel');
    await quick.title('Backup Codes: Shown Only Once');
    await quick.pick('I Have Stored Them');
    await closed();
    window.clearToasts();
  });

  it('gives back the list whose place it took, with what was typed there', async () => {
    const { quick } = window;
    const offer = /2× RTX 4090.*% reliable/;
    window.run('Search Offers…');
    await quick.title('Search Offers');
    await quick.type('2x 4090', { enter: false });
    await quick.row(offer);
    await expireSessions();
    await quick.button('Search Again');
    const { kind, buttons } = await window.toast(codeNeeded);
    assert.deepEqual([kind, buttons], ['error', ['Enter Code']]);
    await quick.title('Search Offers');
    assert.equal(quick.open.value, '2x 4090', 'nothing that is typed is taken away');
    await window.toastButton(codeNeeded, 'Enter Code');
    await quick.title(/^Verification Code/);
    await answerByEmail(window);
    await quick.title('Search Offers');
    assert.equal(quick.open.value, '2x 4090');
    await quick.row(offer);
    quick.escape();
  });

  it('finds the telephone of an account with the older form of 2FA', async () => {
    const legacy = await order('legacy');
    window.clearToasts();
    await enterKey(window, legacy.key);
    await window.quick.title(/^Verification Code/);
    await window.quick.row('Text message');
    assert.equal(window.quick.rows().length, 2);
    const code = await codeAfter(computer(), 'sms', () => chooseFactor(window, 'Text message'));
    await window.quick.message(/A code was sent/);
    await window.quick.type(code);
    await closed();
    await goesOn(computer());
  });

  it('is not asked again after a refusal, and shows how to continue', async () => {
    window.clearToasts();
    await expireSessions();
    await window.view('instances').titleAction('Refresh');
    const question = await window.toast(codeNeeded);
    question.close();
    const row = 'Select to enter a code';
    await window.view('instances').row(row);
    await window.view('account').show().expand('Team');
    await window.view('account').row(`Could not load. ${row}`);
    const before = logIns(computer());
    await computer().pass(30 * 60_000);
    assert.deepEqual([window.quick.isOpen, window.toasts()], [false, []], 'not asked by itself');
    await window.view('instances').titleAction('Refresh');
    const needed = 'This account requires two-factor authentication (2FA). Enter a code to continue.';
    assert.deepEqual((await window.toast(needed)).buttons, ['Enter Code']);
    assert.equal(window.toasts().filter((text) => text === needed).length, 1);
    await window.view('instances').click(row);
    await window.quick.title(/^Verification Code/);
    await answerByEmail(window);
    await closed();
    await goesOn(computer());
    assert.equal(logIns(computer()), before + 1);
    await window.view('account').noRow(row);
  });

  it('shows nothing more if the requested question is closed', async () => {
    await expireSessions();
    const before = window.toasts();
    window.run('Enter Verification Code');
    await window.quick.title(/^Verification Code/);
    window.quick.escape();
    await computer().pass(5000);
    assert.deepEqual(window.toasts(), before);
    await window.view('instances').row('Select to enter a code');
  });

  it('gives an administrator an admin session on request alone', async () => {
    const { simulator } = computer();
    const admin = await order('admin');
    window.clearToasts();
    await enterKey(window, admin.key);
    await window.quick.title(/^Verification Code: /);
    const logIn = async () => {
      await chooseFactor(window, 'Authenticator (#');
      simulator.advance(30);
      await window.quick.type(totpCode(simulator, admin.totpSecret));
      await closed();
      await goesOn(computer());
      return bodies().at(-1) as { readonly admin?: boolean };
    };
    assert.equal('admin' in (await logIn()), false);
    // The list of the account before had no session.
    await window.toast(/^Instances of .* may cost money\. Until you switch back/);
    window.clearToasts();
    window.run('Enter Verification Code');
    await window.quick.title('Enter Verification Code');
    await window.quick.pick('Admin Session');
    await window.quick.title('Verification Code for an Admin Session');
    assert.equal((await logIn()).admin, true);
  });
});
