import assert from 'node:assert/strict';
import { chooseFactor, codeAfter, codeNeeded, enterKey } from '../support/feature/secondFactor';
import { useComputer } from '../support/feature/useComputer';
import type { FeatureWindow } from '../support/feature/window';
import { orderAccount, totpCode, type AccountKind } from '../support/secondFactorAccount';

/** Only the 2FA guide names `tfa_status` (docs/service/users.md#record). */
describe('a user record that does not state its second factor', () => {
  const secrets: string[] = [];
  const computer = useComputer({ secrets });
  let window: FeatureWindow;

  const view = () => window.view('account');

  /** Signs in with a key whose user record has no `tfa_status`. */
  async function signIn(kind: AccountKind) {
    const { simulator } = computer();
    const account = await orderAccount(simulator, kind, { demanded: false });
    secrets.push(account.key, account.totpSecret, ...account.backupCodes);
    const path = '/api/v0/users/current/';
    simulator.faults.clear();
    const { json } = await simulator.call('GET', path, undefined, account.key);
    const body = { ...json, tfa_status: undefined };
    simulator.fail({ kind: 'answer', method: 'GET', path, status: 200, body, times: 0 });
    window.clearToasts();
    await enterKey(window, account.key);
    await window.toast(`Signed in as ${account.email}`);
    window.clearToasts();
    await view().expand('Two-Factor Authentication');
    return account;
  }

  before(async () => {
    window = await computer().openWindow();
  });

  it('counts as on with a method: the account gets new backup codes', async () => {
    const { quick } = window;
    const { totpSecret } = await signIn('totp');
    await view().row('Two-Factor Authentication on');
    await view().inline('Backup codes', 'Make New Backup Codes…');
    await window.dialogButton('Make New Backup Codes…');
    await quick.title('Make New Backup Codes');
    await chooseFactor(window, '(#1)');
    await quick.message(/from your authenticator app/);
    await quick.type(totpCode(computer().simulator, totpSecret));
    await quick.title('Backup Codes: Shown Only Once');
    secrets.push(...quick.rows().filter((row) => /^\w{4}-\w{4}-\w{4}$/.test(row)));
    await quick.pick('I Have Stored Them');
  });

  it('counts as the older form without a method, which is removed by a text message', async () => {
    await signIn('legacy');
    await view().row('Two-Factor Authentication on, older form');
    await view().click('Older form, by SMS. Select to change it');
    await window.dialogButton('Remove 2FA Method…', /allows no other methods.*Remove it first/s);
    await window.dialogButton('Turn 2FA Off', /older form of 2FA/);
    await window.quick.title('Remove 2FA Method');
    const code = await codeAfter(computer(), 'sms', () => chooseFactor(window, 'Text message'));
    await window.quick.type(code);
    await window.toast('2FA is off. You can set it up again');
    await view().row('No 2FA method. Select to add one');
    assert.equal(computer().simulator.received('DELETE', '/api/v0/tfa/').length, 1);
  });

  it('counts as off without either', async () => {
    await signIn('plain');
    await view().row('Two-Factor Authentication off');
    window.run('Make New Backup Codes…');
    await window.toast('Backup codes come with 2FA. Add a 2FA method first.');
  });
});

describe('two sign-ins within a minute', () => {
  const secrets: string[] = [];
  const computer = useComputer({ secrets });

  it('leave no question that opens by itself long after', async () => {
    const { simulator } = computer();
    const first = await orderAccount(simulator, 'totp', { demanded: false });
    const second = await orderAccount(simulator, 'plain');
    secrets.push(first.key, second.key);
    const window = await computer().openWindow();
    for (const { key } of [first, second]) {
      await enterKey(window, key);
      await window.toast(/Signed in as/);
      window.clearToasts();
    }
    await computer().pass(2 * 60_000);
    window.run('Switch Account…');
    await window.quick.pick(first.email);
    await window.view('instances').titleAction('Refresh');
    const account_id = first.accountId;
    await simulator.call('PUT', '/__sim/account/', { account_id, demands_tfa: true });
    await window.view('instances').titleAction('Refresh');
    await window.toast(codeNeeded);
    assert.equal(window.quick.isOpen, false);
    window.clearToasts();
  });
});
