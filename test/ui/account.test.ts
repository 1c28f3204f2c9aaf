import assert from 'node:assert/strict';
import { chooseFactor } from '../support/secondFactorSteps';
import { orderAccount, otherThan, totpCode, type OrderedAccount } from '../support/tfaAccount';
import { useUiSession } from '../support/uiSession';
import { until } from '../support/until';
import type { Workbench } from '../support/workbench';

const secretValue = 'hf_planted-value-0042';

describe('the account and its second factor', function () {
  this.timeout(90_000);
  const session = useUiSession('account');
  let workbench: Workbench;
  let account: OrderedAccount;

  const view = () => workbench.view('Account');
  const isThere = (text: string | RegExp) => view().row(text).waitFor();

  it('signs in with a key and asks for the second factor that the account wants', async () => {
    account = await orderAccount(session().simulator, 'totp');
    workbench = await session().window();
    await workbench.openContainer('GPU Rental');
    await workbench.view('Instances').welcomeButton('Sign In');
    await workbench.quick.waitForTitle('Sign In: Service');
    await workbench.quick.pick(session().simulator.url);
    await workbench.quick.waitForTitle('Sign In: API Key');
    await workbench.quick.type(account.key);
    await workbench.quick.waitForTitle('Second Factor');
    const waiting = workbench.view('Instances');
    await waiting.row('Loading instances…').waitFor();
    assert.equal(await waiting.welcome.isVisible(), false, 'not read yet is not none');
    await workbench.shot('01-choice');
    assert.match((await workbench.quick.rowTexts())[0] ?? '', /Authenticator \(#1\)\s*primary/);
    await chooseFactor(workbench, 'Authenticator (#1)');
  });

  it('takes six digits, says when they are wrong, and goes on by itself when they are right', async () => {
    const { simulator } = session();
    await workbench.quick.type('12', { enter: false });
    await until('the count', async () => (await workbench.quick.message()).includes('2 so far'));
    await workbench.quick.type(otherThan(totpCode(simulator, account.totpSecret)));
    await until('the refusal', async () => (await workbench.quick.message()).includes('code is wrong'));
    await workbench.shot('02-wrong');
    await workbench.quick.type(totpCode(simulator, account.totpSecret));
    await workbench.quick.widget.waitFor({ state: 'hidden' });
    await until('the list that had waited', () =>
      simulator.received('GET', '/api/v0/instances/').some((request) => request.status === 200),
    );
  });

  it('shows who is signed in, the credit, and the methods of the second factor', async () => {
    // Room for all rows: the list keeps only those near the visible part in the page.
    await workbench.view('Instances').header.click();
    await view().open();
    await isThere(account.email);
    await isThere('Credit: $25.00');
    await view().expand(view().row('Second Factor'));
    await isThere('Authenticator');
    await isThere('Backup codes: 10 left');
    await workbench.shot('03-account');
  });

  it('sets an environment variable and hides its value until asked', async () => {
    await workbench.run('Set Environment Variable');
    await workbench.quick.waitForTitle('Set Environment Variable');
    await workbench.quick.type('hf_token');
    await workbench.quick.waitForTitle('Set Environment Variable: HF_TOKEN');
    await workbench.quick.type(secretValue);
    await until('the variable', () =>
      session()
        .simulator.received('POST', '/api/v0/secrets/')
        .some((request) => request.status === 200),
    );
    await view().expand(view().row('Environment Variables'));
    await isThere(/HF_TOKEN.*••••••/s);
    assert.match((await view().row('HF_TOKEN').getAttribute('aria-label')) ?? '', /HF_TOKEN, value hidden/);
    await view().inlineAction(view().row('HF_TOKEN'), 'Reveal Value for a Moment');
    await isThere(secretValue);
    await workbench.shot('04-variable');
    await isThere(/HF_TOKEN.*••••••/s);
    // The menu has it for the keyboard.
    await view().contextMenu(view().row('HF_TOKEN'), 'Reveal Value for a Moment');
    await isThere(secretValue);
    assert.deepEqual(workbench.errors, []);
  });

  it('copies the value of a variable on request, changes it, and deletes it after a question', async () => {
    const { simulator } = session();
    const changed = 'hf_planted-value-0043';
    await workbench.page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await view().contextMenu(view().row('HF_TOKEN'), 'Copy Value');
    await until(
      'the value',
      async () => (await workbench.page.evaluate<string>('navigator.clipboard.readText()')) === secretValue,
    );
    await view().contextMenu(view().row('HF_TOKEN'), 'Set Environment Variable');
    await workbench.quick.waitForTitle('Set Environment Variable: HF_TOKEN');
    await workbench.quick.type(changed);
    // A row that is just being read again is not known to the editor, which asks for one instead.
    await until('the list after the change', () => {
      const calls = simulator.received(undefined, '/api/v0/secrets/');
      const change = calls.findIndex(({ method }) => method === 'PUT');
      return (
        change >= 0 && calls.slice(change).some(({ method, status }) => method === 'GET' && status === 200)
      );
    });
    assert.equal(simulator.received('PUT', '/api/v0/secrets/').length, 1);
    assert.deepEqual(simulator.received('PUT', '/api/v0/secrets/')[0]?.body, {
      key: 'HF_TOKEN',
      value: changed,
    });
    await view().contextMenu(view().row('HF_TOKEN'), 'Delete Environment Variable');
    await workbench.dialog.filter({ hasText: 'Delete the environment variable HF_TOKEN?' }).waitFor();
    await workbench.shot('04-delete-variable');
    assert.equal(simulator.received('DELETE', '/api/v0/secrets/').length, 0);
    await workbench.dialogButton('Delete');
    await isThere('No environment variables');
    assert.deepEqual(simulator.received('DELETE', '/api/v0/secrets/')[0]?.body, { key: 'HF_TOKEN' });
    assert.deepEqual(session().filesWithSecrets([secretValue, changed]), []);
  });

  it('creates a scoped key and shows it once', async () => {
    await workbench.run('Create API Key');
    await workbench.quick.waitForTitle('Create API Key');
    await workbench.quick.type('build server');
    await workbench.quick.pick('Choose Permissions…');
    await workbench.quick.waitForTitle('Create API Key');
    await workbench.quick.row('instance_write').waitFor();
    await workbench.quick.input.press('Enter');
    await workbench.quick.type('127.0.0.1');
    await workbench.quick.waitForTitle('API Key: Shown This Once');
    await workbench.shot('05-key');
    await workbench.quick.pick('I Have Stored It');
    assert.deepEqual(session().simulator.received('POST', '/api/v0/auth/apikeys/').at(-1)?.body, {
      name: 'build server',
      permissions: {
        api: { instance_read: {}, instance_write: {}, user_read: {}, billing_read: {}, misc: {} },
      },
      key_params: { ip_whitelist: ['127.0.0.1'] },
    });
  });

  it('lists the API keys, and deletes one after a question', async () => {
    const { simulator } = session();
    const sent = () => simulator.received('DELETE', /^\/api\/v0\/auth\/apikeys\/\d+\/$/);
    await view().expand(view().row('API Keys'));
    await isThere(/build server.*instance_write.*from 127\.0\.0\.1/s);
    assert.match(
      (await view().row('build server').getAttribute('aria-label')) ?? '',
      /^build server, instance_read, .*from 127\.0\.0\.1/,
    );
    await workbench.hoverText(view().row('build server').locator('.label-name'), /build server.*misc/s);
    await workbench.shot('05-keys');
    await view().contextMenu(view().row('build server'), 'Delete API Key');
    await workbench.dialog.filter({ hasText: 'Delete the API key build server' }).waitFor();
    assert.equal(sent().length, 0);
    await workbench.dialogButton('Delete');
    await view().row('build server').waitFor({ state: 'detached' });
    assert.deepEqual(
      sent().map(({ status }) => status),
      [200],
    );
  });

  it('says that this marketplace has no web console, and opens none', async () => {
    await view().contextMenu(view().row('Credit: $25.00'), 'Open Web Console');
    await workbench.toast('has no web console');
  });

  it('adds an authenticator app by a picture that is drawn here', async () => {
    await workbench.run('Add Second Factor');
    await workbench.quick.waitForTitle('Authorize a New Second Factor');
    await chooseFactor(workbench, 'Backup Code');
    await workbench.quick.type(account.backupCodes[0]?.toLowerCase() ?? '');
    await workbench.quick.waitForTitle('Add a Second Factor');
    await workbench.quick.pick('Authenticator App');
    await workbench.quick.waitForTitle('Add a Second Factor: Name');
    await workbench.quick.type('Tablet');
    await workbench.quick.waitForTitle('Add an Authenticator App');
    const page = workbench.webview();
    await page.locator('svg').waitFor();
    const secret = (await page.locator('code').innerText()).replaceAll(' ', '');
    await workbench.shot('06-picture');
    await workbench.quick.type(totpCode(session().simulator, secret));
    await workbench.toast('The second factor was added');
    await isThere('Tablet');
    await isThere('Backup codes: 9 left');
  });

  it('looks a team role up', async () => {
    await workbench.run('Show Team Role');
    await workbench.quick.pick('ML engineer');
    await workbench.quick.waitForTitle('Team Role ML engineer');
    assert.ok((await workbench.quick.rowTexts()).some((row) => row.startsWith('instance_write')));
    await workbench.page.keyboard.press('Escape');
  });

  it('leaves no secret in a file or in the log, and reports no error', () => {
    const planted = [account.key, account.totpSecret, secretValue, ...account.backupCodes];
    assert.deepEqual(session().filesWithSecrets(planted), []);
    for (const secret of planted) assert.equal(session().log().includes(secret), false);
    assert.deepEqual(workbench.errors, []);
  });
});
