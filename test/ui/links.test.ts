import assert from 'node:assert/strict';
import { rentRunning } from '../support/rentRunning';
import { useUiSession } from '../support/uiSession';
import { until } from '../support/until';
import type { Workbench } from '../support/workbench';

describe('links into the editor', function () {
  this.timeout(120_000);
  const session = useUiSession('links', { simulator: { speed: 40 } });
  let workbench: Workbench;
  let instanceId: number;

  /** Opens an address as the system would, and lets the extension have it. */
  async function open(address: string): Promise<void> {
    const { quick } = workbench;
    await quick.run('Developer: Open URL');
    // The same box, with its prompt in place of the commands.
    await until('the box for the address', async () => !(await quick.input.inputValue()).startsWith('>'));
    await quick.type(`code-oss://gpu-rental.gpu-rental${address}`);
    await workbench.dialogButton('Open');
  }

  before(async () => {
    const { simulator } = session();
    instanceId = await rentRunning(simulator, { label: 'linked' });
    workbench = await session().window();
  });

  it('asks who one is first, and then opens what the link was for', async () => {
    const { quick } = workbench;
    await open(`/instance?id=${instanceId}`);
    await quick.waitForTitle('Sign In');
    await workbench.shot('01-sign-in-first');
    await quick.pick(session().simulator.url);
    await quick.waitForTitle('Sign In: API key');
    await quick.type(session().simulator.apiKey);
    const row = workbench.view('Instances').row('linked');
    await row.waitFor();
    await until('the row to be selected', async () => (await row.getAttribute('aria-selected')) === 'true');
    await workbench.shot('02-instance');
  });

  it('works right after the start of the editor', async () => {
    await workbench.page.reload();
    await workbench.ready();
    await open(`/instance?id=${instanceId}`);
    const row = workbench.view('Instances').row('linked');
    await row.waitFor();
    await until('the row to be selected', async () => (await row.getAttribute('aria-selected')) === 'true');
  });

  it('leaves no key of a link in a file or in the log, and causes no error', async () => {
    await open('/sign-in?api_key=planted-key-in-a-link');
    await workbench.toast("This link can't be opened");
    assert.deepEqual(session().filesWithSecrets(['planted-key-in-a-link']), []);
    assert.doesNotMatch(session().log(), /planted-key-in-a-link/);
    assert.deepEqual(workbench.errors, []);
  });
});
