import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { JupyterExtension } from '../support/feature/jupyterExtension';
import { registerKey, remoteSshExtension } from '../support/feature/reachable';
import { useComputer } from '../support/feature/useComputer';
import type { FeatureWindow } from '../support/feature/window';

/** Goes as far as the last question; what it returns answers it. */
type Asking = (window: FeatureWindow) => Promise<() => Promise<unknown>>;

/** The command asks which instance. */
const chosen =
  (title: string): Asking =>
  async (window) => {
    if (title.startsWith('gpuRental.')) {
      window.start(title);
    } else {
      window.run(title);
    }
    await window.quick.row(/^trainer/);
    return () => window.quick.pick('trainer');
  };

/** Everything that logs in to an instance after a question. */
const questions: Readonly<Record<string, Asking>> = {
  'a window': chosen('Connect'),
  'a terminal': chosen('Open Terminal'),
  'a copied command': chosen('Copy SSH Command'),
  'an upload': chosen('Upload…'),
  'a download': chosen('Download…'),
  'a check': chosen('gpuRental.instance.check'),
  'a run of the active file': async (window) => {
    window.start('gpuRental.runActiveFile');
    await window.quick.pick('In a Terminal');
    await window.quick.row(/^trainer/);
    return () => window.quick.pick('trainer');
  },
  'a window by a link': async (window) => {
    const instances = window.view('instances');
    const id = /#(\d+)/.exec(await instances.tooltip(/^trainer/))?.[1];
    await window.follow(`/connect?id=${id}`);
    await window.dialog(/^Connect to “trainer”/);
    return () => window.dialogButton('Connect');
  },
  'host files': async (window) => {
    window.run('Save Host Files…');
    await window.quick.title('Save Host Files');
    await window.quick.enter();
    await window.quick.row('In the Workspace');
    return () => window.quick.pick('In the Workspace');
  },
  'a notebook': chosen('Use in Notebook…'),
  'a clone': async (window) => {
    await window.view('instances').menu('trainer', "Clone the Workspace's Repository…");
    await window.quick.title('Clone the Repository');
    return () => window.quick.enter();
  },
  'a forwarded agent': async (window) => {
    await window.view('instances').menu('trainer', 'Change Agent Forwarding…');
    await window.dialog(/use your SSH agent/);
    return () => window.dialogButton('Forward the Agent');
  },
  'a forwarded port': async (window) => {
    await window.view('instances').menu('trainer', 'Forward Port…');
    await window.quick.title('Forward Port');
    return () => window.quick.enter();
  },
  'a timer on the instance': async (window) => {
    await window.view('instances').menu('trainer', 'End Later…');
    await window.quick.pick(/Destroy After a Time/);
    await window.quick.type('2h', { enter: false });
    await window.quick.pick('In 2 h');
    await window.dialogButton('Destroy Later');
    await window.toastButton(/trainer will be destroyed at/, 'Let the Instance Do It…');
    await window.dialog(/destroy itself/);
    return () => window.dialogButton('Let It Destroy Itself');
  },
  'a timer on the instance, from a message': async (window) => {
    await window.view('instances').menu('helper', 'End Later…');
    await window.quick.pick(/Stop After a Time/);
    await window.quick.type('2h', { enter: false });
    await window.quick.pick('In 2 h');
    await window.toast(/helper will be stopped at/);
    return () => window.toastButton(/helper will be stopped at/, 'Let the Instance Do It…');
  },
  'a start and a window': async (window) => {
    await window.view('instances').menu(/^sleeper/, 'Connect');
    await window.dialog(/is stopped\. Start it and connect/);
    return () => window.dialogButton('Start and Connect');
  },
  'a download before a destruction': async (window) => {
    await window.view('instances').menu('trainer', 'Destroy…');
    await window.dialog(/Destroy/);
    return () => window.dialogButton('Download First…');
  },
};

const isSaid = /done because the account was switched/;

describe('a login asked for in one account, while another is active', () => {
  const computer = useComputer({ simulator: { sshServer: true } });
  let window: FeatureWindow;
  let other: FeatureWindow;
  let otherKey = '';
  const call = (method: string, route: string, body?: unknown) =>
    computer().simulator.call(method, route, body);
  const folder = () => path.join(path.dirname(computer().sshConfig), 'gpu-rental.d');
  const entries = () =>
    existsSync(folder()) ? readdirSync(folder()).filter((name) => name.endsWith('.conf')) : [];
  /** What was done, in either account and on any machine. */
  const done = () => ({
    entries: entries(),
    writes: computer()
      .simulator.received()
      .filter(({ method, path: route }) => method !== 'GET' && !/__sim|bundles|volumes\/search/.test(route))
      .map(({ method, path: route }) => `${method} ${route}`),
    terminals: window.screen.terminals.history.length,
    clipboard: computer().clipboard.text,
  });

  before(async () => {
    await registerKey(computer());
    for (const label of ['trainer', 'helper']) {
      await computer().rentRunning({ label, runtype: 'ssh_direct' });
    }
    const sleeper = await computer().rentRunning({ label: 'sleeper', runtype: 'ssh_direct' });
    await call('PUT', `/api/v0/instances/${sleeper}/`, { state: 'stopped' });
    await computer().until(
      'the stop',
      () => computer().simulator.world.instance(sleeper)?.actualStatus === 'exited',
    );
    const { json } = await call('POST', '/__sim/accounts/', { credit: 10 });
    otherKey = (json as { key: string }).key;
    const git = (...args: string[]) => execFileSync('git', ['-C', computer().workspace, ...args]);
    git('init', '-q', '-b', 'main');
    git('remote', 'add', 'origin', 'git@git.example:team/model.git');
    git('remote', 'add', 'upstream', 'https://git.example/main/model.git');
    window = await computer().openWindow({ extensions: [remoteSshExtension(), new JupyterExtension()] });
    await window.signIn();
    other = await computer().openWindow({ isFocused: false });
    await other.view('instances').row('trainer');
    const file = path.join(computer().workspace, 'train.py');
    writeFileSync(file, 'print(1)\n');
    await window.screen.documents.show(await window.screen.documents.open(file));
    window.clearToasts();
  });

  /** Leaves all questions, and signs in again to the account that is asked. */
  async function backToFirst(): Promise<void> {
    for (const one of window.screen.messages.shown.filter(({ modal }) => modal)) {
      one.close();
    }
    window.quick.escape();
    await other.signIn();
    rmSync(folder(), { recursive: true, force: true });
    mkdirSync(folder(), { recursive: true });
    for (const each of [window, other]) {
      each.clearToasts();
    }
  }

  for (const [name, ask] of Object.entries(questions)) {
    it(`does not happen: ${name}`, async () => {
      try {
        const answer = await ask(window);
        await other.signIn(otherKey);
        await computer().rest();
        const before = done();
        await answer();
        await computer().until('the reason', () => isSaid.test(window.describe().split('  log: ')[0] ?? ''));
        assert.deepEqual(done(), before);
      } finally {
        await backToFirst();
      }
    });
  }
});
