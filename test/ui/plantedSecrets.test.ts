import assert from 'node:assert/strict';
import path from 'node:path';
import { DocumentEditor } from '../support/documentEditor';
import { PlantedSecrets, typed } from '../support/plantedSecrets';
import { appears, press } from '../support/press';
import { giveEnvironmentAndLogin, haveKey, rentNow, searchAndReview } from '../support/rentJourney';
import { orderAccount, otherThan, totpCode, type OrderedAccount } from '../support/secondFactorAccount';
import {
  chooseFactor,
  endSessions,
  enterCode,
  goesOn,
  nextCode,
  signInUpToFactor,
} from '../support/secondFactorSteps';
import { filesWithSecrets, holdsSecret } from '../support/secretScan';
import { useUiSession } from '../support/uiSession';
import { until } from '../support/until';
import type { Workbench } from '../support/workbench';

describe('secrets that were planted', function () {
  this.bail(true);
  this.timeout(240_000);
  const secrets = new PlantedSecrets();
  const session = useUiSession('planted-secrets', {
    simulator: { speed: 60, sshServer: false, onToken: secrets.note },
  });
  let workbench: Workbench;
  let account: OrderedAccount;
  /** Everything that the editor said in pop-ups, and every address that its pages asked for. */
  const said: string[] = [];
  const addresses: string[] = [];
  const quick = () => workbench.quick;

  const planted = () => secrets.values(session().simulator, account);
  const clipboard = () => workbench.page.evaluate<string>('navigator.clipboard.readText()');

  async function collect(): Promise<void> {
    said.push(...(await workbench.notificationTexts()));
    await workbench.clearNotifications();
  }

  it('go through the sign-in, with a wrong key, a wrong code and a right one', async () => {
    const { simulator } = session();
    account = await orderAccount(simulator, 'both', { phone: '+14155550188' });
    await haveKey(session());
    workbench = await session().window();
    await workbench.page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    workbench.page.on('request', (request) => addresses.push(request.url()));
    await workbench.openContainer('GPU Rental');
    await workbench.view('Instances').welcome.filter({ hasText: 'Try the Demo Marketplace' }).waitFor();
    await workbench.view('Instances').welcomeButton('Sign In');
    await quick().pick(simulator.url);
    await quick().waitForTitle('Sign In: API key');
    await quick().type(typed.wrongKey);
    await until('the reason', async () => /not accept/.test(await quick().message()));
    await workbench.page.keyboard.press('Escape');
    // From here on the log says whatever it can say.
    await workbench.quick.run('Developer: Set Log Level...');
    await press(quick().row('GPU Rental'));
    await press(quick().rows.filter({ hasText: 'Trace' }).first());
    await signInUpToFactor(session(), workbench, account);
    await chooseFactor(workbench, 'Authenticator (#1)');
    await quick().type(otherThan(totpCode(simulator, account.totpSecret)));
    await until('the refusal', async () => /code is wrong/.test(await quick().message()));
    await quick().type(totpCode(simulator, account.totpSecret));
    await quick().widget.waitFor({ state: 'hidden' });
    await goesOn(session());
    await collect();
  });

  it('go through an ended session, by text message and by backup code', async () => {
    await endSessions(session(), workbench);
    await enterCode(workbench);
    await chooseFactor(workbench, 'Phone, ********0188 (#2)');
    const { code } = await nextCode(session(), 'sms', 0);
    await until('the code box', async () => /A code was sent/.test(await quick().message()));
    await quick().type(code);
    await quick().widget.waitFor({ state: 'hidden' });
    await goesOn(session());
    await endSessions(session(), workbench);
    await enterCode(workbench);
    await chooseFactor(workbench, 'Backup Code');
    await quick().type(account.backupCodes[0] ?? '');
    await workbench.toast('The backup code was accepted');
    await quick().widget.waitFor({ state: 'hidden' });
    await goesOn(session());
    await collect();
  });

  it('go through a new authenticator app, a new telephone and new backup codes', async () => {
    const { simulator } = session();
    await workbench.run('Add 2FA Method');
    await quick().waitForTitle('Authorize a New 2FA Method');
    await chooseFactor(workbench, 'Backup Code');
    await quick().type(account.backupCodes[1] ?? '');
    await quick().waitForTitle('Add 2FA Method');
    await quick().pick('Authenticator app');
    await quick().waitForTitle('Add 2FA Method: Name');
    await quick().type('Tablet');
    await quick().waitForTitle('Add an Authenticator App');
    const picture = workbench.webview();
    await picture.locator('svg').waitFor();
    const secret = (await picture.locator('code').innerText()).replaceAll(' ', '');
    assert.equal(secrets.planted.get(secret), 'totpSecret');
    await quick().type(totpCode(simulator, secret));
    await workbench.toast('The 2FA method was added');
    await collect();
    await workbench.run('Add 2FA Method');
    await quick().waitForTitle('Add 2FA Method');
    await quick().pick('Text message');
    await quick().waitForTitle('Add 2FA Method: Name');
    await quick().enter();
    await quick().waitForTitle('Add Text Messages');
    await quick().type(typed.phone);
    await until('the code box', async () => /ends in 0177/.test(await quick().message()));
    const { code } = await nextCode(session(), 'sms', 1);
    await quick().type(code);
    await workbench.toast('The 2FA method was added');
    await collect();
    await workbench.run('Make New Backup Codes');
    await workbench.dialogButton('Make New Backup Codes…');
    await quick().waitForTitle('Make New Backup Codes');
    await chooseFactor(workbench, 'Backup Code');
    await quick().type(account.backupCodes[2] ?? '');
    await quick().waitForTitle('Backup Codes: Shown Only Once');
    await quick().pick('I Have Stored Them');
    await quick().widget.waitFor({ state: 'hidden' });
    await collect();
  });

  /** Picks a row, and waits for the box for a value that follows it. */
  async function valueBox(row: string, prompt: string): Promise<void> {
    await quick().pick(row);
    await until('the box', async () => (await quick().message()).includes(prompt));
  }

  it('go through the secrets of the account and of this computer', async () => {
    const { simulator } = session();
    await workbench.run('Set Secret');
    await quick().waitForTitle('Set Secret');
    await quick().type('KEPT_TOKEN');
    await valueBox('On This Computer', 'secret store of this computer');
    await quick().type(typed.keptValue);
    await quick().widget.waitFor({ state: 'hidden' });
    await workbench.run('Set Secret');
    await quick().waitForTitle('Set Secret');
    await quick().type('hf_token');
    await valueBox('At the Service', 'Every instance gets it');
    await quick().type(typed.secretValue);
    await until('the variable', () =>
      simulator.received('POST', '/api/v0/secrets/').some(({ status }) => status === 200),
    );
    // A service that refuses and quotes what it was sent.
    simulator.fail({
      kind: 'error',
      method: 'POST',
      path: '/api/v0/secrets/',
      status: 400,
      error: 'invalid_characters',
      msg: `Invalid value ${typed.secretValue}`,
    });
    await workbench.run('Set Secret');
    await quick().waitForTitle('Set Secret');
    await quick().type('other_token');
    await valueBox('At the Service', 'Every instance gets it');
    await quick().type(typed.secretValue);
    await until('the refusal', () =>
      simulator.received('POST', '/api/v0/secrets/').some(({ status }) => status === 400),
    );
    await workbench.toast('The value has characters that the service does not take');
    await workbench.shot('00-refused-value');
    said.push(await workbench.page.locator('body').innerText());
    await collect();
  });

  it('go through the account view, where a value is shown for a moment and copied on request', async () => {
    const view = workbench.view('Account');
    const row = view.row('HF_TOKEN');
    await press(workbench.view('Instances').header);
    await view.open();
    await view.row(/API key in use: Full access.*full/s).waitFor();
    await view.expand(view.row('Secrets'));
    await view.row(/HF_TOKEN.*••••••/s).waitFor();
    await view.row(/KEPT_TOKEN.*on this computer/s).waitFor();
    await view.inlineAction(row, 'Reveal Value for a Moment', view.row(typed.secretValue));
    await workbench.shot('00-revealed');
    await view.contextMenu(row, 'Copy Value');
    await until('the value', async () => (await clipboard()) === typed.secretValue);
    await view.row(/HF_TOKEN.*••••••/s).waitFor();
    said.push(await workbench.page.locator('body').innerText());
    await workbench.page.evaluate('navigator.clipboard.writeText("")');
  });

  it('go through a template with a registry password, and one variable of the account in it', async () => {
    const editor = new DocumentEditor(workbench);
    const template = {
      name: 'Planted',
      image: 'pytorch/pytorch',
      tag: '2.5',
      env: '-e MODE=train',
      runtype: 'args',
      private: true,
      docker_login_repo: 'ghcr.io',
      docker_login_user: 'me',
      docker_login_pass: typed.templatePassword,
    };
    let id = '';
    for (const [token, kind] of [...secrets.planted].reverse()) {
      // One of them is the session in use; the others have ended, or are for something else.
      if (kind !== 'token' || id !== '') {
        continue;
      }
      const { status, json } = await session().simulator.call('POST', '/api/v0/template/', template, token);
      if (status === 200) {
        id = String(json.template.id);
      }
    }
    assert.notEqual(id, '');
    const account = workbench.view('Account');
    await workbench.run('Refresh');
    await account.contextMenu(account.row('HF_TOKEN'), 'Use in a Template');
    await workbench.quick.waitForTitle('Use in a Template: HF_TOKEN');
    await workbench.quick.pick('Planted');
    await editor.waitFor('Planted.json', `\${secret:HF_TOKEN-${id}}`);
    await editor.save();
    await editor.saved();
    await editor.quickFix('HF_TOKEN', 'Change the Secret HF_TOKEN');
    await quick().waitForTitle('Value of the Secret');
    await workbench.shot('00-choose-secret');
    await valueBox('New Secret…', 'secret store of this computer');
    await quick().type(typed.templateValue);
    await editor.line(`\${secret:HF_TOKEN-${id}-2}`).waitFor();
    await editor.save();
    await editor.saved();
    const sent = JSON.stringify(session().simulator.received('PUT', '/api/v0/template/').at(-1)?.body);
    assert.ok(sent.includes(typed.templateValue));
    await workbench.shot('00-template');
    said.push(await workbench.page.locator('body').innerText());
    assert.equal(holdsSecret(await editor.text(), [...(await planted()).values()]), false);
    await workbench.quick.run('View: Close All Editors');
    await press(account.header);
    await workbench.view('Instances').open();
    await collect();
  });

  it('go through the passphrase of an SSH key', async () => {
    await workbench.run('Generate SSH Key…');
    await quick().waitForTitle('Generate SSH Key');
    await quick().type('with_phrase');
    await quick().waitForTitle('Generate SSH Key');
    await quick().type(typed.passPhrase);
    await until('the second box', async () => (await quick().message()).includes('passphrase again'));
    await quick().type(typed.passPhrase);
    await workbench.toast('is registered');
    await collect();
  });

  it('go through a new API key that is shown once', async () => {
    await workbench.run('Create API Key');
    await quick().waitForTitle('Create API Key');
    await quick().type('build server');
    await quick().pick('Read Everything');
    await until('the question for addresses', async () => /address/i.test(await quick().message()));
    await quick().type('127.0.0.1');
    await quick().waitForTitle('API Key: Shown Only Once');
    const shown = (await quick().rowTexts()).join(' ');
    const [value] = /[0-9a-zA-Z]{40,}/.exec(shown) ?? [];
    assert.ok(value, shown);
    secrets.planted.set(value, 'new API key');
    await quick().pick('I Have Stored It');
    await quick().widget.waitFor({ state: 'hidden' });
    await collect();
  });

  it('go through a rental with an environment and the login to a registry', async () => {
    await searchAndReview(workbench, '1x 3090', /1× RTX 3090/);
    await giveEnvironmentAndLogin(workbench, `-e HF_TOKEN=${typed.environmentValue}`, {
      address: 'ghcr.io',
      user: 'me',
      token: typed.registryToken,
    });
    await rentNow(session(), workbench);
    const sent = JSON.stringify(session().simulator.received('PUT', /asks/).at(-1)?.body);
    assert.ok(sent.includes(typed.environmentValue) && sent.includes(typed.registryToken));
    await until('the instance', () => session().simulator.world.instances.length === 1);
    await workbench.view('Instances').rows.first().waitFor();
    await collect();
  });

  it('are in no details, log or diagnostics that are shown or copied', async () => {
    const instances = workbench.view('Instances');
    const values = [...(await planted()).values()];
    const shown = async (what: string) => {
      await workbench.page.locator('.editor-instance .view-lines, iframe.webview.ready').first().waitFor();
      await workbench.shot(what);
      const text = (await workbench.page.locator('body').innerText()).replaceAll('\u00a0', ' ');
      assert.equal(holdsSecret(text, values), false, `${what} shows a secret`);
    };
    assert.ok(session().simulator.world.instances.length === 1, 'its keys are looked for as well');
    const button = async (id: string) => {
      const action = workbench.webview().locator(`[id="button-gpuRental.instance.${id}"]`);
      // The editor forgets the command of a row while its list is renewed.
      await until('the page', async () => {
        await instances.pick(/./);
        return appears(action, 5000);
      });
      await press(action);
    };
    await button('showDetails');
    await shown('01-details');
    const details = await new DocumentEditor(workbench).text();
    assert.ok(details.includes('"record"'));
    assert.equal(holdsSecret(details, values), false, 'the details hold a secret');
    await workbench.run('Copy Diagnostics');
    await workbench.toast('Copied the diagnostics');
    await shown('02-diagnostics');
    const copied = await clipboard();
    assert.ok(copied.includes('GPU Rental'));
    assert.equal(holdsSecret(copied, values), false, 'the clipboard holds a secret');
    await button('showLogs');
    await workbench.page.locator('.tab.active', { hasText: '.log' }).waitFor({ timeout: 60_000 });
    await shown('03-instance-log');
    await workbench.run('Run Doctor');
    await quick().waitForTitle('Doctor:');
    // Its row may come after the title.
    await quick().type('Show as Text', { enter: false });
    await quick().pick('Show as Text…');
    const report = new DocumentEditor(workbench);
    await workbench.page.locator('.tab.active.dirty', { hasText: '# GPU Rental' }).waitFor();
    await shown('04-doctor');
    assert.equal(holdsSecret(await report.text(), values), false, 'the report of the doctor holds a secret');
    await workbench.run('Show Log');
    await until('the log', async () => {
      const text = await workbench.page.locator('.part.panel, .editor-instance').allInnerTexts();
      return text.join('\n').includes('GET');
    });
    await shown('05-log');
    await collect();
  });

  it('are in no log, notification, address, setting or file outside the secret store', async () => {
    const values = await planted();
    const log = session().log();
    assert.match(log, /\[trace\]|\[debug\]/, 'the log says all that it can');
    const everywhere: Readonly<Record<string, string>> = {
      log,
      notifications: said.join('\n'),
      addresses: [...addresses, workbench.page.url()].join('\n'),
      'addresses that were asked for': session()
        .simulator.received()
        .map((request) => `${request.path} ${JSON.stringify(request.query)}`)
        .join('\n'),
    };
    assert.ok(said.length > 3, 'there was something to read');
    secrets.assertAbsent(everywhere, values);
    const unwanted = [...values.values()];
    const { root, host } = session();
    assert.deepEqual(filesWithSecrets(host.dataDir, unwanted), []);
    assert.deepEqual(filesWithSecrets(path.join(root, 'home'), unwanted), []);
    assert.deepEqual(filesWithSecrets(path.join(root, 'workspace'), unwanted), []);
    secrets.assertNoCodesBelow(path.join(host.dataDir, 'data', 'User'));
  });

  it('stay out of every file when the account is signed out, and no error was reported', async () => {
    const values = [...(await planted()).values()];
    await workbench.run('Sign Out…');
    await workbench.dialogButton('Sign Out');
    await workbench.view('Instances').welcome.filter({ hasText: 'Try the Demo Marketplace' }).waitFor();
    assert.deepEqual(filesWithSecrets(session().host.dataDir, values), []);
    assert.deepEqual(workbench.errors, []);
  });
});
