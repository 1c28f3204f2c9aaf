import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { chooseFactor, nextCode, sent, signInWith } from '../support/secondFactorSteps';
import { orderAccount, otherThan, totpCode, type OrderedAccount } from '../support/tfaAccount';
import { useUiSession } from '../support/uiSession';
import { until } from '../support/until';
import type { Workbench } from '../support/workbench';

const phone = '+14155550177';
/** Counted from the one authorization, however long the steps since then took. */
const countedDown = /Methods can be added for 2\d:\d\d min more/;

describe('managing the second factor', function () {
  this.bail(true);
  this.timeout(120_000);
  const session = useUiSession('second-factor-methods');
  let workbench: Workbench;
  let account: OrderedAccount;
  let totpSecret = '';
  let backupCodes: readonly string[] = [];
  let newCodes: readonly string[] = [];
  const view = () => workbench.view('Account');
  const lastBody = (method: string, url: string) => session().simulator.received(method, url).at(-1)?.body;
  const message = (expected: RegExp) =>
    until(`the message ${String(expected)}`, async () => {
      const text = await workbench.quick.message();
      return expected.test(text) && text;
    });
  const placeholder = (expected: RegExp) =>
    until(`the placeholder ${String(expected)}`, async () => {
      const text = (await workbench.quick.input.getAttribute('placeholder')) ?? '';
      return expected.test(text) && text;
    });

  it('cannot begin without a verified e-mail address, and says where to verify it', async () => {
    const { simulator } = session();
    account = await orderAccount(simulator, 'plain');
    await simulator.call('PUT', '/__sim/account/', { account_id: account.accountId, email_verified: false });
    workbench = await session().window();
    await signInWith(session(), workbench, account);
    await workbench.clearNotifications();
    await workbench.run('Add Second Factor');
    await workbench.dialog.waitFor();
    assert.match(
      await workbench.dialog.innerText(),
      /not verified.*Setting up 2FA begins with a code by e-mail.*web console/s,
    );
    await workbench.shot('01-not-verified');
    await workbench.page.keyboard.press('Escape');
    await workbench.dialog.waitFor({ state: 'detached' });
    assert.equal(simulator.received('POST', /tfa/).length, 0);
  });

  it('begins with a code by e-mail', async () => {
    const { simulator } = session();
    await simulator.call('PUT', '/__sim/account/', { account_id: account.accountId, email_verified: true });
    await workbench.clearNotifications();
    await workbench.run('Add Second Factor');
    await workbench.quick.waitForTitle('Authorize Your First Second Factor');
    const { code } = await nextCode(session(), 'email', 0);
    await message(/on its way to .*@example\.com\. It is valid for/);
    await workbench.shot('02-authorize');
    await workbench.quick.type(otherThan(code));
    await message(/code is wrong/);
    await workbench.quick.type(code);
    await workbench.quick.waitForTitle('Add a Second Factor');
  });

  it('counts the 30 minutes for adding methods down', async () => {
    const first = await placeholder(/Methods can be added for (30:00|29:5\d) min more/);
    const second = await until('another time', async () => {
      const text = await placeholder(/Methods can be added for 29:\d\d min more/);
      return text !== first && text;
    });
    await workbench.shot('03-type');
    assert.ok(second < first.replace('30:00', '29:60'), `${second} after ${first}`);
  });

  it('checks a telephone number while it is typed', async () => {
    const { quick, page } = workbench;
    await quick.pick('Text Messages');
    await quick.waitForTitle('Add a Second Factor: Name');
    await quick.type('A name that is far longer than thirty characters', { enter: false });
    await message(/At most 30 characters/);
    await quick.type('Work Phone');
    await quick.waitForTitle('Add Text Messages');
    for (const [typed, says] of [
      ['0415 555', /Begin with \+ and the country code/],
      ['+0415', /7 to 15 digits/],
      ['+1415555CALL', /no letters/],
    ] as const) {
      await quick.type(typed, { enter: false });
      await message(says);
    }
    await workbench.shot('04-phone');
    await quick.input.fill('+1 (415) 555-0177');
    await message(/Your phone number/);
    await page.keyboard.press('Enter');
  });

  it('adds text messages, and shows the backup codes once', async () => {
    const { quick } = workbench;
    await message(new RegExp(`number that ends in 0177\\. It is valid for .* ${countedDown.source}`));
    await workbench.shot('05-sms-code');
    const { code } = await nextCode(session(), 'sms', 0);
    await quick.type(code);
    // It fades after some seconds, however long the codes are looked at.
    await workbench.toast('The second factor was added');
    await quick.waitForTitle('Backup Codes: Shown This Once');
    await workbench.shot('06-backup-codes');
    const confirmed = session().simulator.received('POST', '/api/v0/tfa/confirm-new/').at(-1);
    const { secret, ...body } = confirmed?.body as Record<string, unknown>;
    assert.ok(secret);
    assert.deepEqual(body, { tfa_method: 'sms', code, phone_number: phone, label: 'Work Phone' });
  });

  it('saves the backup codes to a file that the person chooses', async () => {
    const { quick, page } = workbench;
    const file = path.join(session().root, 'workspace', 'codes.txt');
    await quick.pick('Save to a File…');
    await until('the file dialog', async () => (await quick.input.inputValue()).includes('backup-codes.txt'));
    await quick.input.fill(file);
    await workbench.shot('07-save');
    await until('the end of the dialog', async () => {
      const written = await quick.input.inputValue({ timeout: 500 }).catch(() => '');
      if (written === file) {
        // The dialog takes no Enter while it still looks at what was typed.
        await page.keyboard.press('Enter');
      } else if (written.includes('backup-codes.txt')) {
        // It wrote its own once more, with the rows of the folder.
        await quick.input.fill(file);
      }
      return existsSync(file);
    });
    await quick.waitForTitle('Backup Codes: Shown This Once');
    backupCodes = await until('the file', () => {
      try {
        const lines = readFileSync(file, 'utf8').trim().split('\n');
        return lines.length === 10 && lines;
      } catch {
        return undefined;
      }
    });
    await quick.pick('I Have Stored Them');
    await quick.widget.waitFor({ state: 'hidden' });
  });

  it('adds an authenticator app in the same half hour without another authorization', async () => {
    const { quick, page } = workbench;
    await workbench.clearNotifications();
    await workbench.run('Add Second Factor');
    await quick.waitForTitle('Add a Second Factor');
    await placeholder(countedDown);
    await quick.pick('Authenticator App');
    await quick.waitForTitle('Add a Second Factor: Name');
    await quick.type('Tablet');
    await quick.waitForTitle('Add an Authenticator App');
    const picture = workbench.webview();
    await picture.locator('svg').waitFor();
    totpSecret = (await picture.locator('code').innerText()).replaceAll(' ', '');
    await message(new RegExp(`Scan the picture.*${countedDown.source}`));
    await workbench.shot('08-picture');
    await quick.titleButton('Copy the Secret').click();
    await until('the copy', async () => {
      return (await page.evaluate<string>('navigator.clipboard.readText()')) === totpSecret;
    });
    await page.evaluate("navigator.clipboard.writeText('')");
    await quick.type(totpCode(session().simulator, totpSecret));
    await workbench.toast('The second factor was added');
  });

  it('renames a method and makes it the primary one', async () => {
    await workbench.clearNotifications();
    await workbench.view('Instances').header.click();
    await view().open();
    await view().expand(view().row('Second Factor'));
    await view().row('Tablet').waitFor();
    await workbench.run('Change Second Factor');
    await workbench.quick.waitForTitle('Change a Second Factor');
    await workbench.quick.rows.filter({ hasText: 'Tablet' }).click();
    await workbench.quick.pick('Rename');
    await workbench.quick.waitForTitle('Rename Tablet');
    await workbench.shot('09-rename');
    await workbench.quick.type('Old Tablet');
    await view().row('Old Tablet').waitFor();
    assert.deepEqual(lastBody('PUT', '/api/v0/tfa/update/'), { tfa_method_id: 2, label: 'Old Tablet' });
    await workbench.run('Change Second Factor');
    await workbench.quick.waitForTitle('Change a Second Factor');
    await workbench.quick.rows.filter({ hasText: 'Old Tablet' }).click();
    await workbench.quick.pick('Make Primary');
    await view()
      .row(/Old Tablet.*primary/s)
      .waitFor();
    await workbench.shot('10-view');
    assert.deepEqual(lastBody('PUT', '/api/v0/tfa/update/'), { tfa_method_id: 2, is_primary: true });
  });

  it('removes the one that was chosen, by the code of another', async () => {
    const { quick } = workbench;
    await workbench.run('Remove Second Factor');
    await quick.waitForTitle('Remove a Second Factor');
    await quick.rows.filter({ hasText: 'Work Phone' }).click();
    await workbench.dialog.waitFor();
    assert.match(await workbench.dialog.innerText(), /other methods and the backup codes stay/);
    await workbench.shot('11-remove');
    await workbench.dialogButton('Remove');
    await quick.waitForTitle('Confirm the Removal');
    await placeholder(/prove that it is you, to remove Work Phone/);
    await workbench.shot('12-prove');
    await chooseFactor(workbench, 'Old Tablet (#2)');
    await message(/authenticator app shows/);
    // One code counts once.
    session().simulator.advance(30);
    await quick.type(totpCode(session().simulator, totpSecret));
    await workbench.toast('The second factor was removed. One is left.');
    const { code, ...body } = lastBody('DELETE', '/api/v0/tfa/') as Record<string, unknown>;
    assert.match(String(code), /^\d{6}$/);
    assert.deepEqual(body, { tfa_method: 'totp', tfa_method_id: 2, target_id: 1 });
  });

  it('draws the picture in dark and high-contrast colours as well', async () => {
    const { quick } = workbench;
    for (const theme of ['Dark Modern', 'Dark High Contrast']) {
      await workbench.chooseTheme(theme);
      await workbench.clearNotifications();
      await workbench.run('Add Second Factor');
      await quick.waitForTitle('Add a Second Factor');
      await workbench.shot(`13-type ${theme}`);
      await quick.pick('Authenticator App');
      await quick.waitForTitle('Add a Second Factor: Name');
      await quick.enter();
      await quick.waitForTitle('Add an Authenticator App');
      const picture = workbench.webview();
      await picture.locator('svg').waitFor();
      // A picture is read by its contrast, whatever the colours of the editor.
      const background = await picture.locator('svg').evaluate((svg) => {
        const page = globalThis as unknown as {
          getComputedStyle(element: unknown): { readonly backgroundColor: string };
        };
        return page.getComputedStyle(svg).backgroundColor;
      });
      assert.equal(background, 'rgb(255, 255, 255)');
      await workbench.shot(`14-picture ${theme}`);
      await quick.input.press('Escape');
      await quick.widget.waitFor({ state: 'hidden' });
    }
  });

  it('asks for a code before methods can be added once the half hour is over', async () => {
    const { quick } = workbench;
    const { simulator } = session();
    simulator.advance(31 * 60);
    await workbench.clearNotifications();
    await workbench.run('Add Second Factor');
    await quick.waitForTitle('Authorize a New Second Factor');
    await chooseFactor(workbench, 'Old Tablet (#2)');
    await message(/authenticator app shows/);
    await quick.type(otherThan(totpCode(simulator, totpSecret)));
    await message(/code is wrong/);
    await quick.back();
    const { length } = await sent(session(), 'email');
    await chooseFactor(workbench, 'E-mail');
    const { code } = await nextCode(session(), 'email', length);
    await message(/on its way to \S+@example\.com\. It is valid for (10:00|9:5\d)/);
    await workbench.shot('15-authorize-again');
    assert.deepEqual(lastBody('POST', '/api/v0/tfa/authorize-new-method/'), { tfa_method: 'email' });
    await quick.type(code);
    await quick.waitForTitle('Add a Second Factor');
    await placeholder(/Methods can be added for (30:00|29:5\d) min more/);
    await workbench.shot('16-authorized');
    const body = lastBody('PUT', '/api/v0/tfa/authorize-new-method/') as Record<string, unknown>;
    assert.deepEqual([body['code'], typeof body['secret']], [code, 'string']);
    await workbench.page.keyboard.press('Escape');
    await quick.widget.waitFor({ state: 'hidden' });
  });

  it('says that backup codes may be void where the answer with new ones was lost, and makes others', async () => {
    const { quick } = workbench;
    const { simulator } = session();
    simulator.fail({ kind: 'dropAfter', path: '/api/v0/tfa/regen-backup-codes/', times: 2 });
    const prove = async () => {
      await workbench.dialogButton('Make New Codes');
      await quick.waitForTitle('Confirm New Backup Codes');
      await chooseFactor(workbench, 'Old Tablet (#2)');
      await message(/authenticator app shows/);
      simulator.advance(30);
      await quick.type(totpCode(simulator, totpSecret));
    };
    await workbench.run('Make New Backup Codes');
    await prove();
    await message(/did not arrive, and the older ones may be void\. Make new ones with another code/);
    await workbench.shot('17-lost');
    simulator.advance(30);
    // The box says the same once more: the first time is over with what is typed.
    await quick.type(totpCode(simulator, totpSecret), { enter: false });
    await message(/authenticator app shows/);
    await quick.input.press('Enter');
    await message(/did not arrive/);
    assert.equal(simulator.received('PUT', '/api/v0/tfa/regen-backup-codes/').length, 2);
    // Who gives up here is told all the same, for the codes on paper may be worthless now.
    await workbench.page.keyboard.press('Escape');
    await workbench.toast('the older ones may be void');
    await workbench.shot('18-void');
    await workbench.toastButton('the older ones may be void', 'Make Backup Codes');
    await prove();
    await quick.waitForTitle('Backup Codes: Shown This Once');
    const codes = (await quick.rowTexts()).filter((row) => /^[A-Z0-9]{4}(-[A-Z0-9]{4}){2}$/.test(row));
    assert.ok(codes.length > 0 && !codes.some((code) => backupCodes.includes(code)));
    newCodes = codes;
    await quick.pick('I Have Stored Them');
    await quick.widget.waitFor({ state: 'hidden' });
  });

  it('says what the end of the last one means, and takes a backup code for it', async () => {
    const { quick } = workbench;
    await workbench.clearNotifications();
    await workbench.run('Remove Second Factor');
    await quick.waitForTitle('Remove a Second Factor');
    await quick.rows.filter({ hasText: 'Old Tablet' }).click();
    await workbench.dialog.waitFor();
    assert.match(
      await workbench.dialog.innerText(),
      /last one: 2FA is off afterwards, all backup codes are void/,
    );
    await workbench.shot('19-last');
    await workbench.dialogButton('Turn 2FA Off');
    await quick.waitForTitle('Confirm the Removal');
    await chooseFactor(workbench, 'Backup Code');
    await quick.type(newCodes[1] ?? '');
    await workbench.toast('2FA is off. The backup codes are void.');
    assert.deepEqual(lastBody('DELETE', '/api/v0/tfa/'), { backup_code: newCodes[1], target_id: 2 });
    await view().row('Off').waitFor();
    await workbench.shot('20-off');
  });

  it('takes the older form of 2FA off without naming a method', async () => {
    const { simulator } = session();
    const legacy = await orderAccount(simulator, 'legacy', { demanded: false });
    await workbench.clearNotifications();
    await workbench.run('Switch Account…');
    await workbench.quick.pick('Sign In to Another Account…');
    await workbench.quick.waitForTitle('Sign In: Service');
    await workbench.quick.pick(simulator.url);
    await workbench.quick.waitForTitle('Sign In: API Key');
    await workbench.quick.type(legacy.key);
    await workbench.toast(/Signed in as/);
    await workbench.clearNotifications();
    await view().open();
    await view().expand(view().row('Second Factor'));
    await view().row('Older form, by SMS. Select to change it').click();
    await workbench.dialog.waitFor();
    assert.match(await workbench.dialog.innerText(), /nothing can be added.*Remove it first/s);
    await workbench.shot('21-legacy-add');
    // The next dialog may stand before the end of this one is seen.
    await workbench.dialog.locator('.monaco-button', { hasText: 'Remove the Older Form…' }).click();
    await workbench.dialog.filter({ hasText: 'Turn 2FA Off' }).waitFor();
    assert.match(await workbench.dialog.innerText(), /older form of 2FA.*key alone opens the account/s);
    await workbench.shot('22-legacy-remove');
    await workbench.dialogButton('Turn 2FA Off');
    await workbench.quick.waitForTitle('Confirm the Removal');
    await chooseFactor(workbench, 'Text message');
    const { code } = await nextCode(session(), 'sms', 1);
    await message(/on its way/);
    await workbench.quick.type(code);
    await workbench.toast('2FA is off. You can set it up again');
    const body = lastBody('DELETE', '/api/v0/tfa/') as Record<string, unknown>;
    assert.equal('target_id' in body, false);
  });

  it('leaves no secret in a file or in the log, and reports no error', () => {
    const planted = [account.key, totpSecret, phone, ...backupCodes, ...newCodes];
    assert.deepEqual(session().filesWithSecrets(planted), []);
    for (const secret of planted) assert.equal(session().log().includes(secret), false);
    assert.deepEqual(workbench.errors, []);
  });
});
