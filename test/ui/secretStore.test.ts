import assert from 'node:assert/strict';
import { signIn } from '../support/journey';
import { rentRunning } from '../support/rentRunning';
import { setTrouble, storeCalls, troubleStores } from '../support/troubledStore';
import { useUiSession } from '../support/uiSession';

const apiKey = 'planted-key-in-trouble-31d7';

describe('a secret store in trouble, in the editor', function () {
  this.timeout(120_000);
  const session = useUiSession('secret-store', {
    simulator: { apiKey, speed: 40, sshServer: false },
    patches: ['sharedSecrets', 'secretStore', 'authority'],
  });

  it('that throws at a start is reported once with what to do, and is asked again on request', async () => {
    await rentRunning(session().simulator, { label: 'trainer' });
    await troubleStores(session().profile);
    const workbench = await session().window();
    const instances = workbench.view('Instances');
    await signIn(session(), workbench);
    await instances.row('trainer').waitFor();
    await setTrouble(workbench.page, 'throws');
    await workbench.page.reload();
    await workbench.ready();
    // The window of before may have asked for something until now; extensions of this one start later.
    const sentBefore = session().simulator.received().length;
    await workbench.openContainer('GPU Rental');
    await instances.welcome
      .filter({ hasText: "the account or its key can't be read" })
      .waitFor({ timeout: 40_000 });
    assert.equal(await workbench.page.getByText('Try the Demo Marketplace').count(), 0, 'not signed out');
    const toast = await workbench.toast('Unlock the key ring of this computer, then try again');
    await workbench.shot('01-throws');
    // The editor itself tells of ports that other programs of this computer open.
    assert.equal(await workbench.toasts.filter({ hasNotText: 'forwarded ports' }).count(), 1);
    assert.match(await toast.innerText(), /Could not read the secret store/);
    const said = await workbench.page.locator('body').innerText();
    await workbench.clearNotifications();
    await instances.welcomeButton('Try Again');
    await workbench.toast('Unlock the key ring of this computer, then try again');
    assert.equal(session().simulator.received().length, sentBefore, 'nothing is sent without a key');
    assert.ok((await storeCalls(workbench.page)) < 10, 'it is not asked again and again');
    await setTrouble(workbench.page, '');
    await instances.welcomeButton('Try Again');
    await instances.row('trainer').waitFor();
    assert.doesNotMatch(`${said}\n${session().log()}`, new RegExp(`${apiKey}|Cannot decrypt`));
    assert.deepEqual(workbench.errors, []);
  });
});
