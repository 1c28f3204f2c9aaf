import assert from 'node:assert/strict';
import { rentRunning } from '../support/rentRunning';
import { setTrouble, storeCalls, troubleStores, type StoreTrouble } from '../support/troubledStore';
import { useUiSession } from '../support/uiSession';
import { until } from '../support/until';
import type { Workbench } from '../support/workbench';

const apiKey = 'planted-key-in-trouble-31d7';

describe('a secret store in trouble, in the editor', function () {
  this.bail(true);
  this.timeout(120_000);
  const session = useUiSession('secret-store', {
    simulator: { apiKey, speed: 40, sshServer: false },
    patches: ['sharedSecrets', 'secretStore', 'authority'],
  });
  let workbench: Workbench;
  const said: string[] = [];
  let sentBefore = 0;
  const instances = () => workbench.view('Instances');
  const lists = () => session().simulator.received('GET', /^\/api\/v[01]\/instances\/$/).length;
  const unreadable = () => instances().welcome.filter({ hasText: 'the key cannot be read' });

  /** The editor itself tells of ports that other programs of this computer open. */
  const told = () => workbench.toasts.filter({ hasNotText: 'forwarded ports' }).count();

  async function collect(): Promise<void> {
    said.push(await workbench.page.locator('body').innerText(), ...(await workbench.notificationTexts()));
    await workbench.clearNotifications();
  }

  /** Loads the window anew while the store is in trouble. */
  async function startWith(trouble: StoreTrouble): Promise<void> {
    await setTrouble(workbench.page, trouble);
    await workbench.page.reload();
    await workbench.ready();
    // The window of before may have asked for something until now; extensions of this one start later.
    sentBefore = session().simulator.received().length;
    await workbench.openContainer('GPU Rental');
    await unreadable().waitFor({ timeout: 40_000 });
    assert.equal(await workbench.page.getByText('Try the Demo Marketplace').count(), 0, 'not signed out');
  }

  async function goesOn(): Promise<void> {
    await setTrouble(workbench.page, '');
    await instances().welcomeButton('Try Again');
    await instances().row('trainer').waitFor();
    await workbench.clearNotifications();
  }

  before(async () => {
    await rentRunning(session().simulator, { label: 'trainer' });
    await troubleStores(session().profile);
    workbench = await session().window();
    await workbench.openContainer('GPU Rental');
  });

  it('that loses what it is given says so at the sign-in, and lets people work', async () => {
    const { quick } = workbench;
    await setTrouble(workbench.page, 'losesWrites');
    await instances().welcomeButton('Sign In');
    await quick.waitForTitle('Sign In: Service');
    await quick.pick(session().simulator.url);
    await quick.waitForTitle('Sign In: API Key');
    await quick.type(apiKey);
    await workbench.toast('You are signed in until this window closes');
    await instances().row('trainer').waitFor();
    await workbench.shot('01-not-kept');
    assert.equal(await told(), 1);
    await setTrouble(workbench.page, '');
    await workbench.toastButton('You are signed in until this window closes', 'Replace Key');
    await quick.waitForTitle('Replace Key');
    await quick.type(apiKey);
    await workbench.toast('is replaced, in all windows');
    await collect();
  });

  for (const trouble of ['throws', 'losesWrites', 'garbage', 'hangs'] as const) {
    it(`that ${trouble} while somebody works signs nobody out and says nothing`, async () => {
      await setTrouble(workbench.page, trouble);
      const before = { lists: lists(), calls: await storeCalls(workbench.page) };
      await workbench.run('Refresh');
      await until('the list', () => lists() > before.lists);
      assert.ok(await instances().row('trainer').isVisible());
      assert.equal(await told(), 0);
      assert.ok((await storeCalls(workbench.page)) - before.calls < 5, 'it is not asked again and again');
      await setTrouble(workbench.page, '');
    });
  }

  it('that throws at a start is told once with what to do, and is asked again on request', async () => {
    await startWith('throws');
    const toast = await workbench.toast('Unlock the key ring of this computer, then try again');
    await workbench.shot('02-throws');
    assert.equal(await told(), 1);
    assert.match(await toast.innerText(), /could not be read/);
    await collect();
    await instances().welcomeButton('Try Again');
    await workbench.toast('Unlock the key ring of this computer, then try again');
    assert.equal(session().simulator.received().length, sentBefore, 'nothing is sent without a key');
    assert.ok((await storeCalls(workbench.page)) < 10, 'it is not asked again and again');
    await collect();
    await goesOn();
  });

  it('that hangs at a start holds nothing up for ever, and its late answer is used', async () => {
    await startWith('hangs');
    await workbench.shot('03-hangs');
    assert.ok((await storeCalls(workbench.page)) < 10, 'it is not asked again and again');
    await collect();
    await setTrouble(workbench.page, '');
    await instances().row('trainer').waitFor();
  });

  it('that holds garbage leads to another key, and shows nothing of it', async () => {
    await startWith('garbage');
    await workbench.toast('The saved API key is damaged');
    await workbench.shot('04-garbage');
    assert.equal(await told(), 1);
    await collect();
    await goesOn();
  });

  it('that refuses at a sign-out keeps nobody signed in, and says that the key is left', async () => {
    await setTrouble(workbench.page, 'throws');
    await workbench.run('Sign Out…');
    await workbench.dialogButton('Sign Out');
    await workbench.toast('You are signed out, but the secret store of the editor did not remove');
    await instances().welcome.filter({ hasText: 'Try the Demo Marketplace' }).waitFor();
    await workbench.shot('05-signed-out');
    assert.equal(await told(), 1);
    // Of the service that the key is of, though nobody is signed in to it any more.
    await workbench.toastButton('You are signed out', 'Open Web Console');
    await workbench.toast('has no web console');
    await workbench.shot('06-console');
    await collect();
  });

  it('has shown no secret, in no message and no log', () => {
    const text = [...said, session().log()].join('\n');
    assert.ok(said.length > 5);
    assert.doesNotMatch(text, new RegExp(`${apiKey}|Cannot decrypt`));
    assert.deepEqual(workbench.errors, []);
  });
});
