import assert from 'node:assert/strict';
import { answerByEmail, chooseFactor, endSessions, signInUpToFactor } from '../support/feature/secondFactor';
import { useComputer } from '../support/feature/useComputer';
import type { FeatureWindow } from '../support/feature/window';
import { orderAccount, otherThan, totpCode, type OrderedAccount } from '../support/secondFactorAccount';

const secretValue = 'hf_planted-value-0042';
const changedValue = 'hf_planted-value-0043';

describe('the account and its second factor', () => {
  const secrets: string[] = [secretValue, changedValue];
  const computer = useComputer({ secrets });
  let window: FeatureWindow;
  let account: OrderedAccount;

  const view = () => window.view('account');
  const calls = (method: string, url: string | RegExp) => computer().simulator.received(method, url);
  const bodies = (method: string, url: string) => calls(method, url).map(({ body }) => body);

  before(async () => {
    account = await orderAccount(computer().simulator, 'totp');
    secrets.push(account.key, account.totpSecret, ...account.backupCodes);
    window = await computer().openWindow();
  });

  it('signs in with a key and asks for the second factor that the account wants', async () => {
    await signInUpToFactor(window, account);
    await window.view('instances').row('Loading…');
    await computer().pass(15_000);
    await window.view('instances').row('Loading…');
    assert.deepEqual(await window.view('instances').welcome(), [], 'not read yet is not none');
    await window.quick.row('Backup Code');
    assert.match(window.quick.rows()[0] ?? '', /^Authenticator \(#1\) primary/);
    await chooseFactor(window, 'Authenticator (#1)');
  });

  it('accepts six digits, shows when they are wrong, and continues by itself when they are right', async () => {
    const { simulator } = computer();
    await window.quick.type('12', { enter: false });
    await window.quick.message('2 so far');
    await window.quick.type(otherThan(totpCode(simulator, account.totpSecret)));
    await window.quick.message('code is wrong');
    await window.quick.type(totpCode(simulator, account.totpSecret));
    await computer().until('the list that had waited', () =>
      calls('GET', '/api/v1/instances/').some(({ status }) => status === 200),
    );
    assert.equal(window.quick.isOpen, false);
    await window.view('instances').noRow(/./);
  });

  it('shows who is signed in, the credit, and the methods of the second factor', async () => {
    await view().row(account.email);
    await view().row('Credit: $25.00');
    await view().expand('Two-Factor Authentication');
    await view().row('Authenticator');
    await view().row('Backup codes: 10 left');
  });

  it('sets an environment variable and hides its value until asked', async () => {
    window.run('Set Secret…');
    await window.quick.title('Set Secret');
    await window.quick.type('hf_token');
    await window.quick.title('Set Secret: hf_token');
    await window.quick.pick('At the Service');
    await window.quick.type(secretValue);
    await view().expand('Secrets');
    const hidden = await view().row(/HF_TOKEN.*••••••/);
    assert.deepEqual(bodies('POST', '/api/v0/secrets/'), [{ key: 'HF_TOKEN', value: secretValue }]);
    assert.match(hidden.item.accessibilityInformation?.label ?? '', /HF_TOKEN, value hidden/);
    const offered = window.screen.commands
      .menu('view/item/context', { view: 'gpuRental.account', viewItem: hidden.item.contextValue })
      .filter(({ title }) => title === 'Reveal Value for a Moment');
    assert.deepEqual(
      offered.map(({ isInline }) => isInline).sort(),
      [false, true],
      'for pointer and keyboard',
    );
    await view().menu('HF_TOKEN', 'Reveal Value for a Moment');
    await view().row(secretValue);
    await view().row(/HF_TOKEN.*••••••/);
    await view().noRow(secretValue);
  });

  it('copies the value of a variable on request, changes it, and deletes it after a question', async () => {
    await view().menu('HF_TOKEN', 'Copy Value');
    await computer().until('the copy', () => computer().clipboard.text === secretValue);
    await view().menu('HF_TOKEN', 'Set Secret');
    await window.quick.title('Set Secret: HF_TOKEN');
    await window.quick.type(changedValue);
    await computer().until('the change', () => calls('PUT', '/api/v0/secrets/').length > 0);
    assert.deepEqual(bodies('PUT', '/api/v0/secrets/'), [{ key: 'HF_TOKEN', value: changedValue }]);
    await view().menu('HF_TOKEN', 'Delete Secret');
    await window.dialog('Delete the secret “HF_TOKEN”?');
    assert.deepEqual(bodies('DELETE', '/api/v0/secrets/'), []);
    await window.dialogButton('Delete');
    await view().row('No secrets');
    assert.deepEqual(bodies('DELETE', '/api/v0/secrets/'), [{ key: 'HF_TOKEN' }]);
    window.clearToasts();
  });

  it('keeps a variable whose deletion was refused, and shows why', async () => {
    const url = '/api/v0/secrets/';
    window.run('Set Secret…');
    await window.quick.type('KEPT');
    await window.quick.pick('At the Service');
    await window.quick.title('Set Secret: KEPT');
    await window.quick.type(secretValue);
    await view().row(/KEPT.*••••••/);
    computer().simulator.fail({
      kind: 'error',
      status: 400,
      error: 'bad_request',
      method: 'DELETE',
      path: url,
    });
    await view().menu('KEPT', 'Delete Secret');
    await window.dialogButton('Delete');
    await window.toast(/The service says: Ordered by a test/);
    await view().row(/KEPT.*••••••/);
    await view().menu('KEPT', 'Delete Secret');
    await window.dialogButton('Cancel');
    assert.equal(calls('DELETE', url).length, 2, 'a no sends nothing');
    window.clearToasts();
  });

  it('shows that a variable is gone if it was deleted elsewhere', async () => {
    for (const command of ['gpuRental.secret.copy', 'gpuRental.secret.useInTemplate']) {
      window.start(command, { secretName: 'GONE' });
      await window.toast('This no longer exists');
      window.clearToasts();
    }
  });

  it('creates a scoped key and shows it once', async () => {
    const { quick } = window;
    window.run('Create API Key…');
    await quick.title('Create API Key');
    await quick.type('build server');
    await quick.pick('Choose Permissions…');
    await quick.row('instance_write');
    await quick.enter();
    await quick.type('127.0.0.1');
    await quick.title('API Key: Shown Only Once');
    const key = quick.rows().at(-1) ?? '';
    assert.ok(key.length > 20, key);
    secrets.push(key);
    await quick.pick('I Have Stored It');
    assert.deepEqual(bodies('POST', '/api/v0/auth/apikeys/'), [
      {
        name: 'build server',
        permissions: {
          api: {
            instance_read: {},
            instance_write: {},
            machine_read: {},
            user_read: {},
            billing_read: {},
            misc: {},
          },
        },
        key_params: { ip_whitelist: ['127.0.0.1'] },
      },
    ]);
  });

  it('writes the permissions of each key into a document of its own', async () => {
    const { quick } = window;
    for (const name of ['first key', 'second key']) {
      window.run('Create API Key…');
      await quick.title('Create API Key');
      await quick.type(name);
      await quick.pick('Write Them as JSON…');
      await window.document(`"name": "${name}"`);
    }
  });

  it('closes the document that a key was created from, whichever is in front by then', async () => {
    const { quick, screen } = window;
    const { documents, commands } = screen;
    const isClosing = ({ id }: { readonly id: string }) => id.endsWith('revertAndCloseActiveEditor');
    const described = documents.active?.document;
    const other = documents.all.find((document) => document !== described);
    assert.ok(described && other);
    window.start('gpuRental.apiKey.createFromDocument');
    await quick.title('API Key: Shown Only Once');
    secrets.push(quick.rows().at(-1) ?? '');
    await documents.show(other);
    await quick.pick('I Have Stored It');
    await computer().until('the document to be closed', () => commands.executed.some(isClosing));
    assert.equal(documents.active?.document, described);
    for (const document of [...documents.all]) {
      documents.close(document);
    }
  });

  it('lists the API keys, and deletes one after a question', async () => {
    const sent = () => calls('DELETE', /^\/api\/v0\/auth\/apikeys\/\d+\/$/);
    await view().expand('API Keys');
    const row = await view().row(/build server.*instance_write.*from 127\.0\.0\.1/);
    assert.match(
      row.item.accessibilityInformation?.label ?? '',
      /^build server, instance_read, .*from 127\.0\.0\.1/,
    );
    assert.match(await view().tooltip('build server'), /build server.*misc/s);
    await view().menu('build server', 'Delete API Key');
    await window.dialog('Delete the API key “build server (#');
    assert.equal(sent().length, 0);
    await window.dialogButton('Delete');
    await view().noRow('build server');
    assert.deepEqual(
      sent().map(({ status }) => status),
      [200],
    );
    window.clearToasts();
  });

  it('shows a key and a variable whose answers were lost, and that the key has no use', async () => {
    const { quick } = window;
    const lose = (method: string, path: string) =>
      computer().simulator.fail({ kind: 'dropAfter', method, path });
    lose('POST', '/api/v0/auth/apikeys/');
    window.run('Create API Key…');
    await quick.title('Create API Key');
    await quick.type('lost one');
    await quick.pick('Read Everything');
    await quick.type('');
    await window.toast(/the API key may exist although its value was not shown/);
    await view().row('lost one');
    lose('POST', '/api/v0/secrets/');
    window.run('Set Secret…');
    await quick.type('LOST');
    await quick.pick('At the Service');
    await quick.title('Set Secret: LOST');
    await quick.type(secretValue);
    await window.toast(/may have taken effect/);
    await view().row(/LOST.*••••••/);
    lose('DELETE', '/api/v0/secrets/');
    await view().menu('LOST', 'Delete Secret');
    await window.dialogButton('Delete');
    await view().noRow('LOST');
    window.clearToasts();
  });

  it('shows that this marketplace has no web console, and opens none', async () => {
    await view().menu('Credit: $25.00', 'Open Web Console');
    await window.toast('has no web console');
    assert.deepEqual(window.screen.externalLinks, []);
    window.clearToasts();
  });

  it('adds an authenticator app after a backup code, which counts as used', async () => {
    const { quick } = window;
    window.run('Add 2FA Method');
    await quick.title('Authorize a New 2FA Method');
    await chooseFactor(window, 'Backup Code');
    await quick.type(account.backupCodes[0]?.toLowerCase() ?? '');
    await quick.title(/^Add 2FA Method$/);
    await quick.pick('Authenticator app');
    await quick.title('Add 2FA Method: Name');
    await quick.type('Tablet');
    await quick.title('Add an Authenticator App');
    const html = window.screen.panels.all[0]?.html ?? '';
    const secret = /<code>(.*)<\/code>/.exec(html)?.[1]?.replaceAll(' ', '') ?? '';
    secrets.push(secret);
    await quick.type(totpCode(computer().simulator, secret));
    await window.toast('The 2FA method was added');
    await view().row('Tablet');
    await view().row('Backup codes: 9 left');
  });

  it('looks a team role up', async () => {
    window.start('gpuRental.teamRole.show');
    await window.quick.pick('ML engineer');
    await window.quick.title('Team Role ML engineer');
    assert.ok(window.quick.rows().some((row) => row.startsWith('instance_write')));
    window.quick.escape();
  });

  it('asks for the name of a team role if the roles can’t be listed, and shows if there is none', async () => {
    computer().simulator.fail({ kind: 'error', path: '/api/v0/team/roles-full/', status: 403 });
    window.start('gpuRental.teamRole.show');
    await window.quick.title('Show Team Role');
    await window.quick.type('Night shift');
    await window.toast('There is no team role “Night shift”. Check the name and try again.');
  });

  it('asks in a new window for nothing while the session of the one before holds', async () => {
    window.close();
    window = await computer().openWindow({ isFocused: true });
    await view().row(account.email);
    await computer().until('the empty list', async () =>
      (await window.view('instances').welcome()).some((text) => text.includes('You are not charged')),
    );
    assert.equal(window.quick.isOpen, false);
    await endSessions(window);
    await answerByEmail(window);
  });
});

describe('a variable that two accounts have', () => {
  const values = ['hf_planted-value-0051', 'hf_planted-value-0052'] as const;
  const secrets: string[] = [...values];
  const computer = useComputer({ secrets });
  let window: FeatureWindow;

  const view = () => window.view('account');

  async function haveVariable(value: string): Promise<void> {
    window.run('Set Secret…');
    await window.quick.title('Set Secret');
    await window.quick.type('HF_TOKEN');
    await window.quick.pick('At the Service');
    await window.quick.title('Set Secret: HF_TOKEN');
    await window.quick.type(value);
    await view().row(/HF_TOKEN.*••••••/);
  }

  before(async () => {
    const { json } = await computer().simulator.call('POST', '/__sim/accounts/', {
      email: 'other@example.com',
    });
    const otherKey = String(json.key);
    secrets.push(otherKey);
    window = await computer().openWindow();
    await window.signIn(otherKey);
    await view().expand('Secrets');
    await haveVariable(values[1]);
    await window.signIn();
    await haveVariable(values[0]);
    window.clearToasts();
  });

  it('stays hidden in the one where it was not revealed', async () => {
    await view().menu('HF_TOKEN', 'Reveal Value for a Moment');
    await view().row(values[0]);
    window.run('Switch Account…');
    await window.quick.pick(/^other@example\.com/);
    await view().row('other@example.com');
    const { text } = await view().row(/HF_TOKEN/);
    assert.match(text, /••••••/);
    window.clearToasts();
  });

  it('stays in sight for as long after it was revealed again', async () => {
    await view().menu('HF_TOKEN', 'Reveal Value for a Moment');
    await computer().pass(6000);
    await view().menu('HF_TOKEN', 'Reveal Value for a Moment');
    await computer().pass(6000);
    await view().row(values[1]);
    await computer().pass(6000);
    await view().row(/HF_TOKEN.*••••••/);
  });
});
