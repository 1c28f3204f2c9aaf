import assert from 'node:assert/strict';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { kernelsOf } from '../../../src/notebooks/machine/kernels';
import { JupyterExtension } from '../../support/feature/jupyterExtension';
import { registerKey } from '../../support/feature/reachable';
import { useComputer } from '../../support/feature/useComputer';
import type { FeatureWindow } from '../../support/feature/window';
import { hideJupyter } from '../../support/hiddenJupyter';
import { JupyterClient } from '../../support/jupyterClient';
import { until } from '../../support/until';

describe('a notebook with a kernel on an instance', () => {
  const computer = useComputer({ simulator: { sshServer: true } });
  const jupyter = new JupyterExtension();
  let window: FeatureWindow;
  let alias: string;
  let id: number;
  const machineHome = () => path.join(computer().root, 'instances', String(id));
  let client: JupyterClient | undefined;
  let localPort: number;
  let token: string;
  const instances = () => window.view('instances');
  /**
   * What comes of choosing the server in the picker. The server answers in real time, which the clock of the product would
   * jump over, so that clock goes on in small steps.
   */
  const chosen = async (picker = jupyter) => {
    const choice = picker.choose(alias);
    let isSettled = false;
    const mark = () => {
      isSettled = true;
    };
    choice.then(mark, mark);
    await until('the server', async () => {
      await computer().pass(100);
      return isSettled;
    });
    return choice;
  };

  before(async () => {
    await registerKey(computer());
    id = await computer().rentRunning({ label: 'trainer', runtype: 'ssh_direct' });
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

  it('shows what to do first if no login has been tried, once for all requests', async () => {
    await assert.rejects(chosen(), /GPU Rental has not logged in there yet/);
    await window.toast(/^Notebooks can't use trainer: GPU Rental has not logged in/);
    window.clearToasts();
    await assert.rejects(chosen(), /GPU Rental has not logged in there yet/);
    assert.deepEqual(
      window.screen.messages.shown.filter((one) => !one.wasSeen),
      [],
    );
  });

  it('proves the login by a command of the picker, which asks before it installs Jupyter', async () => {
    hideJupyter(machineHome());
    assert.deepEqual(jupyter.labels(), ['Set Up trainer for Notebooks…', 'Rent a GPU…']);
    const declined = jupyter.run('Set Up trainer for Notebooks…');
    (await window.dialog('Install Jupyter on trainer?')).close();
    assert.equal(await computer().settled('the picker', declined), undefined);
    await assert.rejects(chosen(), /Jupyter is not installed there/);
    await window.toast(/Jupyter is not installed there/);
    window.clearToasts();
  });

  it('installs it once the user agrees, and the picker has the server', async () => {
    const setUp = jupyter.run('Set Up trainer for Notebooks…');
    await window.dialogButton('Install', 'Install Jupyter on trainer?');
    const server = await computer().settled('the server', setUp);
    assert.ok(typeof server === 'object');
    assert.equal(server.id, alias);
    assert.match(
      readFileSync(path.join(machineHome(), 'pip.log'), 'utf8'),
      /^install jupyter_server ipykernel$/m,
    );
    assert.deepEqual(jupyter.labels(), ['Rent a GPU…']);
  });

  it('connects all who ask at once to one server, and runs a cell there', async () => {
    const { connectionInformation } = await chosen();
    assert.ok(connectionInformation);
    const { baseUrl } = connectionInformation;
    ({ token } = connectionInformation);
    localPort = Number(/^http:\/\/127\.0\.0\.1:(\d+)\/$/.exec(baseUrl.toString(true))?.[1]);
    client = await JupyterClient.start({ localPort, token });
    assert.equal(await client.execute('print(6 * 7)'), '42\n');
  });

  it('serves a second window by the same server, and the end of that window ends nothing of the first', async () => {
    const startOf = async (port: number) => {
      const headers = { authorization: `token ${token}` };
      const answer = await fetch(`http://127.0.0.1:${port}/api/status`, { headers });
      return ((await answer.json()) as { readonly started: string }).started;
    };
    const began = await startOf(localPort);
    const otherJupyter = new JupyterExtension();
    const other = await computer().openWindow({ extensions: [otherJupyter] });
    other.screen.openNotebook();
    await computer().until('the collection', () => otherJupyter.collection !== undefined);
    await computer().until('the server in its list', () =>
      otherJupyter.list().some((row) => row.id === alias),
    );
    const { connectionInformation } = await chosen(otherJupyter);
    assert.ok(connectionInformation);
    const otherPort = Number(connectionInformation.baseUrl.authority.split(':')[1]);
    assert.notEqual(otherPort, localPort);
    assert.equal(connectionInformation.token, token);
    assert.equal(await startOf(otherPort), began);
    assert.equal((await kernelsOf({ localPort: otherPort, token })).length, 1);
    other.close();
    await assert.rejects(kernelsOf({ localPort: otherPort, token }), /did not answer/);
    assert.equal(await client?.execute('print(6 * 8)'), '48\n');
    assert.equal(await startOf(localPort), began);
  });

  it('lists the kernel in a window that no notebook has connected, as after a reload', async () => {
    const other = await computer().openWindow();
    await other.view('instances').expand('trainer');
    await other.view('instances').noRow('Kernel python3');
    await other.view('instances').menu('trainer', 'Show Kernels');
    await other.view('instances').row('Kernel python3 idle');
    other.close();
  });

  it('shows the kernel below the instance, and shuts it down after a question', async () => {
    await computer().clock.advance(31_000);
    await instances().expand('trainer');
    await instances().row('Kernel python3 idle');
    client?.close();
    await instances().menu('Kernel python3', 'Shut Down Kernel');
    await window.dialogButton('Shut Down Kernel', 'Shut down this kernel?');
    // The real server takes real time, which the clock of the product would jump over.
    await until('the kernel to end', async () => (await kernelsOf({ localPort, token })).length === 0);
    await instances().noRow('Kernel python3');
  });

  it('shows that no kernel is left', async () => {
    await instances().menu('trainer', 'Show Kernels');
    await window.toast('No kernel of a notebook is running on trainer.');
    window.clearToasts();
  });

  it('starts the stopped instance by a command of the picker, with its price, and by nothing unasked', async () => {
    const starts = () =>
      computer()
        .simulator.received('PUT', `/api/v0/instances/${id}/`)
        .filter(({ body }) => JSON.stringify(body).includes('running')).length;
    await instances().menu('trainer', 'Stop');
    await window.dialogButton('Stop');
    await computer().until('the command', () => jupyter.labels().includes('Start trainer'));
    assert.ok(jupyter.list().some((row) => row.id === alias));
    await assert.rejects(chosen(), /The instance is not running/);
    window.clearToasts();
    assert.equal(starts(), 0);
    const [command] = jupyter.commands?.provideCommands() ?? [];
    assert.deepEqual(
      [command?.label, /^\$[\d.]+\/h$/.test(command?.description ?? '')],
      ['Start trainer', true],
    );
    const run = jupyter.run('Start trainer');
    const question = await window.dialog('Start “trainer”?');
    assert.match(question.detail ?? '', /Cost once started: \$[\d.]+\/h/);
    assert.equal(starts(), 0);
    question.press('Start');
    assert.equal(await computer().settled('the picker', run), undefined);
    await computer().until('the start', () => starts() === 1);
    await instances().row(/trainer.*Running/);
    assert.ok(!jupyter.labels().includes('Start trainer'));
    window.clearToasts();
  });

  it('ends the connection at once if the host key has changed, and reports that once', async () => {
    assert.ok((await chosen()).connectionInformation);
    const file = path.join(path.dirname(computer().sshConfig), 'gpu-rental.d', 'known_hosts');
    const known = readFileSync(file, 'utf8');
    const other = 'AAAAC3NzaC1lZDI1NTE5AAAAIDExMTExMTExMTExMTExMTExMTExMTExMTExMTExMTEx';
    writeFileSync(file, known.replaceAll(/ssh-ed25519 \S+/g, `ssh-ed25519 ${other}`));
    window.clearToasts();
    process.kill(sshOf(alias));
    const words = /^Notebooks can't use trainer: The host key of the instance has changed\./;
    await window.toast(words);
    await assert.rejects(chosen(), /The host key of the instance has changed/);
    await computer().pass(10 * 60_000);
    await assert.rejects(chosen(), /The host key of the instance has changed/);
    assert.equal(window.toasts().filter((one) => words.test(one)).length, 1);
    writeFileSync(file, known);
  });

  it('leaves the picker for the search of offers', async () => {
    assert.equal(await computer().settled('the picker', jupyter.run('Rent a GPU…')), 'closed');
    await window.quick.title(/./);
    window.quick.escape();
  });

  it('keeps the server in the list after the user signed out', async () => {
    window.run('Sign Out');
    await window.dialogButton('Sign Out');
    await computer().rest();
    assert.deepEqual(jupyter.forgotten, []);
    assert.deepEqual(jupyter.labels(), ['Sign In to GPU Rental…']);
  });

  it('closes the tunnel with the account', async () => {
    await assert.rejects(fetch(`http://127.0.0.1:${localPort}/api`), /fetch failed/);
  });

  it('met nothing unexpected', () => {
    assert.doesNotMatch(window.log(), /^\[error\]/m);
  });
});

/** The process that forwards a port of an instance. */
function sshOf(alias: string): number {
  const pid = readdirSync('/proc').find((name) => {
    try {
      const words = readFileSync(`/proc/${name}/cmdline`, 'utf8').split('\0');
      return /^\d+$/.test(name) && words.includes('-L') && words.includes(alias);
    } catch {
      return false;
    }
  });
  assert.ok(pid, 'an ssh forwards a port');
  return Number(pid);
}

describe('a notebook where Jupyter is not as it should be', () => {
  const computer = useComputer();
  let window: FeatureWindow;
  const instances = () => window.view('instances');
  const ask = async () => {
    await instances().menu('trainer', 'Use in Notebook…');
  };

  before(async () => {
    await computer().rentRunning({ label: 'trainer', runtype: 'ssh_direct' });
    window = await computer().openSignedIn();
    await instances().row('trainer');
    window.clearToasts();
  });

  it('offers to install the extension where there is none', async () => {
    await ask();
    await window.toastButton(/Jupyter extension, which is not installed/, 'Install Jupyter');
    const { executed } = window.screen.commands;
    await computer().until('the installation', () =>
      executed.some(
        ({ id, args }) => id === 'workbench.extensions.installExtension' && args[0] === 'ms-toolsai.jupyter',
      ),
    );
  });

  it('shows it where it is too old', async () => {
    window.nature.current = {
      ...window.nature.current,
      extensions: [{ id: 'ms-toolsai.jupyter', packageJSON: {}, ...{ isActive: true, exports: {} } }],
    };
    await ask();
    await window.toastButton('The Jupyter extension is too old to use instances.', 'Show Jupyter');
  });

  it('is asked again where it did not start, without a message for each notebook', async () => {
    let starts = 0;
    const jupyter = new JupyterExtension();
    const broken = {
      id: 'ms-toolsai.jupyter',
      packageJSON: {},
      isActive: false,
      activate: () => {
        starts += 1;
        return Promise.reject(new Error('Jupyter is broken'));
      },
    };
    window.clearToasts();
    window.nature.current = { ...window.nature.current, extensions: [broken] };
    for (const tries of [1, 2]) {
      window.screen.openNotebook();
      await computer().until('a start of Jupyter', () => starts === tries);
      await computer().rest();
    }
    assert.deepEqual(window.toasts(), []);
    await ask();
    await window.toast('The Jupyter extension did not start: Jupyter is broken');
    window.nature.current = { ...window.nature.current, extensions: [jupyter] };
    window.screen.openNotebook();
    await computer().until('the collection', () => jupyter.collection !== undefined);
  });

  it('names local windows where it runs on the other side', async () => {
    window.nature.current = { ...window.nature.current, extensions: [], remoteName: 'wsl' };
    await ask();
    await window.toast(/local windows only/);
  });
});
