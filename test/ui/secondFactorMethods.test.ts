import assert from 'node:assert/strict';
import { orderAccount, totpCode, type OrderedAccount } from '../support/secondFactorAccount';
import { chooseFactor, signInWith } from '../support/secondFactorSteps';
import { pageShowsTheme } from '../support/theme';
import { useUiSession } from '../support/uiSession';
import type { Workbench } from '../support/workbench';

describe('managing the second factor', function () {
  this.bail(true);
  this.timeout(120_000);
  const session = useUiSession('second-factor-methods');
  let workbench: Workbench;
  let account: OrderedAccount;
  let totpSecret = '';

  async function addAuthenticatorApp(name: string): Promise<void> {
    const { quick } = workbench;
    await quick.waitForTitle('Add 2FA Method');
    await quick.pick('Authenticator app');
    await quick.waitForTitle('Add 2FA Method: Name');
    await quick.type(name);
    await quick.waitForTitle('Add an Authenticator App');
    await workbench.webview().locator('svg').waitFor();
  }

  it('adds an authenticator app by a picture that is drawn here', async () => {
    const { simulator } = session();
    account = await orderAccount(simulator, 'totp', { demanded: false });
    workbench = await session().window();
    await signInWith(session(), workbench, account);
    await workbench.clearNotifications();
    await workbench.run('Add 2FA Method');
    await workbench.quick.waitForTitle('Authorize a New 2FA Method');
    await chooseFactor(workbench, 'Backup Code');
    await workbench.quick.type(account.backupCodes[0] ?? '');
    await addAuthenticatorApp('Tablet');
    totpSecret = (await workbench.webview().locator('code').innerText()).replaceAll(' ', '');
    await workbench.shot('01-picture');
    await workbench.quick.type(totpCode(simulator, totpSecret));
    await workbench.toast('The 2FA method was added');
  });

  it('draws the picture by its contrast, in any colours of the editor', async () => {
    await workbench.clearNotifications();
    await workbench.run('Add 2FA Method');
    await addAuthenticatorApp('');
    const page = workbench.webview();
    await workbench.inThemes(async (theme) => {
      if (theme !== '') {
        await pageShowsTheme(page, theme);
      }
      const background = await page.locator('svg').evaluate((svg) => {
        const shown = globalThis as unknown as {
          getComputedStyle(element: unknown): { readonly backgroundColor: string };
        };
        return shown.getComputedStyle(svg).backgroundColor;
      });
      assert.equal(background, 'rgb(255, 255, 255)', theme);
    });
    await workbench.shot('02-picture');
    await workbench.quick.input.press('Escape');
    await workbench.quick.widget.waitFor({ state: 'hidden' });
  });

  it('leaves no secret in a file or in the log, and reports no error', () => {
    const planted = [account.key, account.totpSecret, totpSecret, ...account.backupCodes];
    assert.deepEqual(session().filesWithSecrets(planted), []);
    for (const secret of planted) {
      assert.equal(session().log().includes(secret), false);
    }
    assert.deepEqual(workbench.errors, []);
  });
});
