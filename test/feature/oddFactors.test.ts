import assert from 'node:assert/strict';
import { useComputer } from '../support/feature/useComputer';
import type { FeatureWindow } from '../support/feature/window';
import { orderAccount } from '../support/secondFactorAccount';

const path = '/api/v0/tfa/status/';
/** Beyond the last date that there is. */
const never = 1e300;

describe('2FA methods that the service describes in an unknown way', () => {
  const secrets: string[] = [];
  const computer = useComputer({ secrets });
  let window: FeatureWindow;
  const view = () => window.view('account');
  const answer = (methods: readonly object[]) => {
    const body = { success: true, tfa_enabled: true, methods, backup_codes_remaining: 5 };
    computer().simulator.fail({ kind: 'answer', method: 'GET', path, status: 200, body, times: 0 });
  };
  const app = { id: 1, method: 'totp', label: 'Tablet', is_primary: true };

  before(async () => {
    const account = await orderAccount(computer().simulator, 'totp', { demanded: false });
    secrets.push(account.key);
    window = await computer().openWindow();
    await window.signIn(account.key);
  });
  afterEach(() => computer().simulator.call('DELETE', '/__sim/faults/'));

  it('have no date that does not exist, and were never used in 1970', async () => {
    answer([
      { ...app, created_at: never, last_used: 0 },
      { ...app, id: 2, label: 'Phone', method: 'sms', locked_until: never, last_used: never },
    ]);
    await view().expand('Two-Factor Authentication');
    await view().row(/^Phone.*locked until an unknown time/);
    assert.equal(await view().tooltip(/^Tablet/), 'Tablet (#1)\nAdded: an unknown time');
    assert.equal(await view().tooltip(/^Phone/), 'Phone (#2)\nLast used: an unknown time');
  });

  it('count when the last of the others is removed', async () => {
    answer([app, { id: 2, method: 'passkey' }]);
    window.start('gpuRental.tfa.removeMethod');
    await window.quick.title('Remove 2FA Method');
    await window.quick.pick(/^Tablet/);
    const { detail, buttons } = await window.dialog('Remove Tablet (#1)?');
    assert.equal(detail, 'Your other methods and your backup codes stay.');
    assert.deepEqual(buttons, ['Not Now', 'Remove', 'Cancel']);
    await window.dialogButton('Cancel');
  });

  it('leave backup codes and e-mail where there is no other one', async () => {
    answer([{ id: 2, method: 'passkey' }]);
    window.run('Make New Backup Codes…');
    await window.dialogButton('Make New Backup Codes…');
    await window.quick.row('Backup Code');
    assert.match(window.quick.rows()[0] ?? '', /^E-mail/);
    window.quick.escape();
    window.start('gpuRental.tfa.updateMethod');
    await window.toast(/of a kind that only the web console can change/);
    window.clearToasts();
  });
});
