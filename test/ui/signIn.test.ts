import assert from 'node:assert/strict';
import { signIn } from '../support/journey';
import { useUiSession } from '../support/uiSession';
import type { Workbench } from '../support/workbench';

describe('signing in and out', function () {
  this.timeout(90_000);
  const session = useUiSession('sign-in', { simulator: { apiKey: 'ui-secret-key-5f2c9e' } });
  let first: Workbench;
  let second: Workbench;

  it('shows the signed-in state', async () => {
    first = await session().window('1');
    await signIn(session(), first);
    await first.shot('01-signed-in');
    await first.view('Instances').welcome.filter({ hasText: 'You are not charged' }).waitFor();
  });

  it('is signed in in a further window at once', async () => {
    second = await session().window('2');
    await second.openContainer('GPU Rental');
    await second.view('Instances').welcome.filter({ hasText: 'You are not charged' }).waitFor();
    await second.shot('01-signed-in');
  });

  it('is signed in after a reload', async () => {
    await first.page.reload();
    await first.ready();
    await first.openContainer('GPU Rental');
    await first.view('Instances').welcome.filter({ hasText: 'You are not charged' }).waitFor();
  });

  it('asks before it signs out, and every window follows', async () => {
    await first.page.bringToFront();
    await first.run('Sign Out…');
    await first.dialog.waitFor();
    await first.shot('03-sign-out');
    await first.dialogButton('Sign Out');
    for (const workbench of [first, second]) {
      await workbench.view('Instances').welcome.filter({ hasText: 'Try the Demo Marketplace' }).waitFor();
    }
    await second.shot('02-signed-out');
  });

  it('leaves the key in no file of the editor', () => {
    assert.deepEqual(session().filesWithSecrets(['ui-secret-key-5f2c9e']), []);
    assert.doesNotMatch(session().log(), /ui-secret-key/);
  });

  it('caused no error in any window', () => {
    assert.deepEqual([...first.errors, ...second.errors], []);
  });
});
