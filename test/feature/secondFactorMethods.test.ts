import assert from 'node:assert/strict';
import { readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { chooseFactor, codeAfter, enterKey } from '../support/feature/secondFactor';
import { useComputer } from '../support/feature/useComputer';
import type { FeatureWindow } from '../support/feature/window';
import { orderAccount, otherThan, totpCode, type OrderedAccount } from '../support/secondFactorAccount';

const phone = '+14155550177';
/** Counted from the one authorization, however long the steps since then took. */
const countedDown = /You can add methods for another 2\d:\d\d min/;
const isBackupCode = (row: string) => /^[A-Z0-9]{4}(-[A-Z0-9]{4}){2}$/.test(row);

describe('managing the second factor', () => {
  const secrets: string[] = [phone];
  const computer = useComputer({ secrets });
  let window: FeatureWindow;
  let account: OrderedAccount;
  let totpSecret = '';
  let smsCode = '';
  let backupCodes: readonly string[] = [];
  let newCodes: readonly string[] = [];

  const view = () => window.view('account');
  const bodies = (method: string, url: string) =>
    computer()
      .simulator.received(method, url)
      .map(({ body }) => body);
  const lastBody = (method: string, url: string) => bodies(method, url).at(-1);
  const totp = () => totpCode(computer().simulator, totpSecret);
  const closed = () => computer().until('the end of the question', () => !window.quick.isOpen);
  const verifyEmail = (isVerified: boolean) =>
    computer().simulator.call('PUT', '/__sim/account/', {
      account_id: account.accountId,
      email_verified: isVerified,
    });
  const order = async (kind: 'plain' | 'legacy', options = {}) => {
    const ordered = await orderAccount(computer().simulator, kind, options);
    secrets.push(ordered.key);
    return ordered;
  };

  before(async () => {
    account = await order('plain');
    window = await computer().openWindow();
  });

  it('can’t begin without a verified e-mail address, and shows where to verify it', async () => {
    await verifyEmail(false);
    await window.signIn(account.key);
    window.run('Add 2FA Method');
    const { text, detail } = await window.dialog();
    assert.match(
      `${text} ${detail}`,
      /not verified.*Setting up 2FA starts with a code by e-mail.*web console/s,
    );
    await window.dialogButton('OK');
    assert.deepEqual(bodies('POST', '/api/v0/tfa/authorize-new-method/'), []);
    assert.equal(computer().simulator.received('POST', /tfa/).length, 0);
  });

  it('begins with a code by e-mail', async () => {
    await verifyEmail(true);
    const code = await codeAfter(computer(), 'email', async () => {
      window.run('Add 2FA Method');
      await window.quick.title('Authorize a New 2FA Method');
    });
    await window.quick.message(`A code was sent to ${account.email}. It is valid for`);
    await window.quick.type(otherThan(code));
    await window.quick.message(/code is wrong/);
    await window.quick.type(code);
    await window.quick.title(/^Add 2FA Method$/);
  });

  it('counts the 30 minutes for adding methods down', async () => {
    const left = async () => {
      const said = await window.quick.message(/You can add methods for another \d\d:\d\d min/);
      const [, minutes = '', seconds = ''] = /(\d\d):(\d\d) min/.exec(said) ?? [];
      return Number(minutes) * 60 + Number(seconds);
    };
    const first = await left();
    assert.ok(first <= 30 * 60 && first > 29 * 60, `${first} s`);
    await computer().pass(7000);
    assert.equal(await left(), first - 7);
  });

  it('checks a telephone number while it is typed', async () => {
    const { quick } = window;
    await quick.pick('Text message');
    await quick.title('Add 2FA Method: Name');
    await quick.type('A name that is far longer than thirty characters', { enter: false });
    await quick.message(/At most 30 characters/);
    await quick.type('Work Phone');
    await quick.title('Add Text Messages');
    for (const [typed, says] of [
      ['0415 555', /Start with \+ and the country code/],
      ['+0415', /7 to 15 digits/],
      ['+1415555CALL', /no letters/],
    ] as const) {
      await quick.type(typed);
      await quick.message(says);
    }
    assert.deepEqual(bodies('POST', '/api/v0/tfa/sms-setup/'), [], 'nothing was sent');
    await quick.type('+1 (415) 555-0177', { enter: false });
    await quick.message(/Your phone number/);
    smsCode = await codeAfter(computer(), 'sms', () => quick.enter());
  });

  it('adds text messages, and shows the backup codes once', async () => {
    const { quick } = window;
    await quick.message(new RegExp(`number that ends in 0177\\. It is valid for .* ${countedDown.source}`));
    await quick.type(smsCode);
    await window.toast('The 2FA method was added');
    await quick.title('Backup Codes: Shown Only Once');
    const { secret, ...body } = lastBody('POST', '/api/v0/tfa/confirm-new/') as Record<string, unknown>;
    assert.ok(secret);
    assert.deepEqual(body, { tfa_method: 'sms', code: smsCode, phone_number: phone, label: 'Work Phone' });
    await view().row(/^Two-Factor Authentication on/);
    await quick.title('Backup Codes: Shown Only Once');
  });

  it('shows the backup codes again where they can’t be saved, with the reason', async () => {
    const { quick, screen } = window;
    const shown = quick.rows().filter(isBackupCode);
    secrets.push(...shown);
    screen.fileDialogs.push([computer().workspace]);
    await quick.pick('Save to a File…');
    await window.toast(`Could not save ${computer().workspace}: EISDIR`);
    assert.equal(screen.proposedFiles.at(-1), path.join(computer().root, 'home', 'backup-codes.txt'));
    await quick.title('Backup Codes: Shown Only Once');
    assert.deepEqual(quick.rows().filter(isBackupCode), shown);
    window.clearToasts();
  });

  it('saves the backup codes to a file that the person chooses', async () => {
    const { quick } = window;
    const file = path.join(computer().workspace, 'codes.txt');
    const shown = quick.rows().filter(isBackupCode);
    // A dialog that was closed changes nothing.
    window.screen.fileDialogs.push(undefined, [file]);
    await quick.pick('Save to a File…');
    await quick.title('Backup Codes: Shown Only Once');
    await quick.pick('Save to a File…');
    await quick.title('Backup Codes: Shown Only Once');
    backupCodes = readFileSync(file, 'utf8').trim().split('\n');
    assert.deepEqual(backupCodes, shown);
    assert.equal(backupCodes.length, 10);
    assert.equal(statSync(file).mode & 0o777, 0o600);
    await quick.pick('I Have Stored Them');
    await closed();
  });

  it('adds an authenticator app in the same half hour without another authorization', async () => {
    const { quick } = window;
    const before = computer().simulator.received('POST', '/api/v0/tfa/authorize-new-method/').length;
    window.clearToasts();
    window.run('Add 2FA Method');
    await quick.title(/^Add 2FA Method$/);
    await quick.message(countedDown);
    await quick.pick('Authenticator app');
    await quick.title('Add 2FA Method: Name');
    await quick.type('Tablet');
    await quick.title('Add an Authenticator App');
    const [page] = window.screen.panels.all;
    assert.match(page?.html ?? '', /<svg/);
    totpSecret = /<code>(.*)<\/code>/.exec(page?.html ?? '')?.[1]?.replaceAll(' ', '') ?? '';
    assert.ok(totpSecret.length >= 16);
    secrets.push(totpSecret);
    await quick.message(new RegExp(`Scan this QR code.*${countedDown.source}`));
    await quick.button('Copy the Secret');
    assert.equal(computer().clipboard.text, totpSecret);
    await quick.type(totp());
    await window.toast('The 2FA method was added');
    assert.equal(page?.isClosed, true, 'the picture is gone');
    assert.equal(computer().simulator.received('POST', '/api/v0/tfa/authorize-new-method/').length, before);
  });

  it('renames a method and makes it the primary one', async () => {
    const { quick } = window;
    window.clearToasts();
    await view().expand('Two-Factor Authentication');
    await view().row('Tablet');
    window.start('gpuRental.tfa.updateMethod');
    await quick.title('Change 2FA Method');
    await quick.pick('Tablet');
    await quick.pick('Rename');
    await quick.title('Rename Tablet');
    await quick.type('');
    await quick.message(/Enter a name/);
    await quick.type('Old Tablet');
    await view().row('Old Tablet');
    assert.deepEqual(lastBody('PUT', '/api/v0/tfa/update/'), { tfa_method_id: 2, label: 'Old Tablet' });
    window.start('gpuRental.tfa.updateMethod');
    await quick.title('Change 2FA Method');
    await quick.pick('Old Tablet');
    await quick.pick('Make Primary');
    await view().row(/Old Tablet.*primary/);
    assert.deepEqual(lastBody('PUT', '/api/v0/tfa/update/'), { tfa_method_id: 2, is_primary: true });
  });

  it('explains why a method could not be renamed, and shows it as it was', async () => {
    const url = '/api/v0/tfa/update/';
    computer().simulator.fail({ kind: 'error', status: 400, error: 'bad_request', method: 'PUT', path: url });
    await view().menu('Old Tablet', 'Change 2FA Method…');
    await window.quick.pick('Rename');
    await window.quick.type('Another');
    await window.toast(/did not accept the request.*The service says: Ordered by a test/);
    await view().row('Old Tablet');
    await view().noRow('Another');
    window.clearToasts();
  });

  it('removes the one that was chosen, by the code of another', async () => {
    const { quick } = window;
    const deletes = () => computer().simulator.received('DELETE', '/api/v0/tfa/').length;
    window.start('gpuRental.tfa.removeMethod');
    await quick.title('Remove 2FA Method');
    await quick.pick('Work Phone');
    const { text, detail } = await window.dialog();
    assert.match(`${text} ${detail}`, /other methods and your backup codes stay/);
    await window.dialogButton('Remove');
    await quick.title('Remove 2FA Method');
    await quick.message(/verify that it is you\?/);
    await chooseFactor(window, 'Old Tablet (#2)');
    await quick.message(/from your authenticator app/);
    assert.equal(deletes(), 0);
    // One code counts once.
    computer().simulator.advance(30);
    await quick.type(totp());
    await window.toast('The 2FA method was removed. Methods left: 1.');
    const { code, ...body } = lastBody('DELETE', '/api/v0/tfa/') as Record<string, unknown>;
    assert.match(String(code), /^\d{6}$/);
    assert.deepEqual(body, { tfa_method: 'totp', tfa_method_id: 2, target_id: 1 });
    assert.equal(deletes(), 1);
  });

  it('asks for a code before methods can be added once the half hour is over', async () => {
    const { quick } = window;
    const url = '/api/v0/tfa/authorize-new-method/';
    await computer().pass(31 * 60_000);
    window.clearToasts();
    window.run('Add 2FA Method');
    await quick.title('Authorize a New 2FA Method');
    await chooseFactor(window, 'Old Tablet (#2)');
    await quick.message(/from your authenticator app/);
    await quick.type(otherThan(totp()));
    await quick.message(/code is wrong/);
    await quick.back();
    const code = await codeAfter(computer(), 'email', () => chooseFactor(window, 'E-mail'));
    await quick.message(/A code was sent to \S+@example\.com\. It is valid for (10:00|9:5\d)/);
    assert.deepEqual(lastBody('POST', url), { tfa_method: 'email' });
    await quick.type(code);
    await quick.title(/^Add 2FA Method$/);
    await quick.message(/You can add methods for another (30:00|29:5\d) min/);
    const body = lastBody('PUT', url) as Record<string, unknown>;
    assert.deepEqual([body['code'], typeof body['secret']], [code, 'string']);
    quick.escape();
    await closed();
  });

  it('warns that backup codes may be void if the answer with new ones was lost, and makes others', async () => {
    const { quick } = window;
    const { simulator } = computer();
    simulator.fail({ kind: 'dropAfter', path: '/api/v0/tfa/regen-backup-codes/', times: 2 });
    const prove = async () => {
      await window.dialogButton('Make New Backup Codes…');
      await quick.title('Make New Backup Codes');
      await chooseFactor(window, 'Old Tablet (#2)');
      await quick.message(/from your authenticator app/);
      simulator.advance(30);
      await quick.type(totp());
    };
    window.run('Make New Backup Codes…');
    await prove();
    await quick.message(
      /did not arrive, and the older ones may no longer work\. Make new ones, or a lost phone locks you out/,
    );
    simulator.advance(30);
    // The box says the same again: the first time is over with what is typed.
    await quick.type(totp(), { enter: false });
    await quick.message(/from your authenticator app/);
    await quick.enter();
    await quick.message(/did not arrive/);
    assert.equal(simulator.received('PUT', '/api/v0/tfa/regen-backup-codes/').length, 2);
    // Who gives up here is told all the same, for the codes on paper may be worthless now.
    quick.escape();
    await window.toastButton('the older ones may no longer work', 'Make New Backup Codes');
    await prove();
    await quick.title('Backup Codes: Shown Only Once');
    newCodes = quick.rows().filter(isBackupCode);
    secrets.push(...newCodes);
    assert.equal(newCodes.length, 10);
    assert.ok(!newCodes.some((code) => backupCodes.includes(code)));
    await quick.pick('I Have Stored Them');
    await closed();
  });

  it('shows what the end of the last one means, and accepts a backup code for it', async () => {
    const { quick } = window;
    window.clearToasts();
    window.start('gpuRental.tfa.removeMethod');
    await quick.title('Remove 2FA Method');
    await quick.pick('Old Tablet');
    const { text, detail } = await window.dialog();
    assert.match(`${text} ${detail}`, /last method\. 2FA is off afterwards, all backup codes stop working/);
    await window.dialogButton('Turn 2FA Off');
    await quick.title('Remove 2FA Method');
    await chooseFactor(window, 'Backup Code');
    await quick.type(newCodes[1] ?? '');
    await window.toast('2FA is off. Your backup codes no longer work.');
    assert.deepEqual(lastBody('DELETE', '/api/v0/tfa/'), { backup_code: newCodes[1], target_id: 2 });
    await view().row('Two-Factor Authentication off');
    await view().row('No 2FA method. Select to add one');
  });

  it('turns the older form of 2FA off without naming a method', async () => {
    const legacy = await order('legacy', { demanded: false });
    window.clearToasts();
    await enterKey(window, legacy.key);
    await window.toast(`Signed in as ${legacy.email}`);
    window.clearToasts();
    await view().expand('Two-Factor Authentication');
    await view().click('Older form, by SMS. Select to change it');
    await window.dialogButton('Remove 2FA Method…', /allows no other methods.*Remove it first/s);
    await window.dialogButton('Turn 2FA Off', /older form of 2FA.*key alone opens the account/s);
    await window.quick.title('Remove 2FA Method');
    const code = await codeAfter(computer(), 'sms', () => chooseFactor(window, 'Text message'));
    await window.quick.message(/A code was sent/);
    await window.quick.type(code);
    await window.toast('2FA is off. You can set it up again');
    const body = lastBody('DELETE', '/api/v0/tfa/') as Record<string, unknown>;
    assert.equal('target_id' in body, false);
    assert.equal(body['code'], code);
  });
});
