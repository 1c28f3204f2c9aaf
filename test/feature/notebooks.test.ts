import assert from 'node:assert/strict';
import { JupyterClient } from '../support/jupyterClient';
import { JupyterExtension } from '../support/feature/jupyterExtension';
import { registerKey } from '../support/feature/reachable';
import { useComputer } from '../support/feature/useComputer';
import type { FeatureWindow } from '../support/feature/window';

describe('a notebook with a kernel on an instance', () => {
  const computer = useComputer({ simulator: { sshServer: true } });
  const jupyter = new JupyterExtension();
  let window: FeatureWindow;
  let alias: string;
  let client: JupyterClient | undefined;
  const instances = () => window.view('instances');
  /** What comes of choosing the server in the picker; the time of the product passes until it is there. */
  const chosen = () => computer().settled('the server', jupyter.choose(alias));

  before(async () => {
    await registerKey(computer());
    await computer().rentRunning({ label: 'trainer', runtype: 'ssh_direct' });
    window = await computer().openWindow({ extensions: [jupyter] });
    await window.signIn();
    await instances().row('trainer');
    window.clearToasts();
  });

  it('asks nothing of Jupyter before a notebook is open', async () => {
    await computer().rest();
    assert.deepEqual([jupyter.isActive, jupyter.provider], [false, undefined]);
  });

  it('offers the running instance with its price, and a rental', async () => {
    window.screen.openNotebook();
    await computer().until('the collection', () => jupyter.collection !== undefined);
    const [server, ...more] = jupyter.list();
    assert.match(server?.label ?? '', /^trainer · .+ · \$\d+\.\d+\/h$/);
    assert.deepEqual([more, jupyter.labels()], [[], ['Rent a GPU…']]);
    assert.equal(server?.connectionInformation, undefined);
    alias = server?.id ?? '';
  });

  it('says what to do first where no login has been tried, once for all who ask', async () => {
    await assert.rejects(chosen(), /Connect to this instance once in GPU Rental/);
    await window.toast(/^Notebooks can not use trainer/);
    window.clearToasts();
    await assert.rejects(chosen(), /Connect to this instance once/);
    assert.deepEqual(
      window.screen.messages.shown.filter((one) => !one.wasSeen),
      [],
    );
  });

  it('connects all who ask at once to one server, and runs a cell there', async () => {
    await instances().menu('trainer', 'Copy SSH Command');
    await computer().until('the command', () => computer().clipboard.text.includes('ssh'));
    await computer().clock.advance(20_000);
    const { connectionInformation } = await chosen();
    assert.ok(connectionInformation);
    const { baseUrl, token } = connectionInformation;
    const localPort = Number(/^http:\/\/127\.0\.0\.1:(\d+)\/$/.exec(baseUrl.toString(true))?.[1]);
    client = await JupyterClient.start({ localPort, token });
    assert.equal(await client.execute('print(6 * 7)'), '42\n');
  });

  it('shows the kernel below the instance, and shuts it down after a question', async () => {
    await computer().clock.advance(31_000);
    await instances().expand('trainer');
    await instances().row('Kernel python3 idle');
    await client?.close();
    await instances().menu('Kernel python3', 'Shut Down Kernel');
    await window.dialogButton('Shut Down', 'Shut down this kernel?');
    await instances().noRow('Kernel python3');
  });

  it('keeps the server in the list after the user signed out', async () => {
    window.run('Sign Out');
    await window.dialogButton('Sign Out');
    await computer().rest();
    assert.deepEqual(jupyter.forgotten, []);
  });

  it('met nothing unexpected', () => {
    assert.doesNotMatch(window.log(), /^\[error\]/m);
  });
});
