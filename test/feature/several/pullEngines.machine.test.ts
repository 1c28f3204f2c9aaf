import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { reachableInstance } from '../../support/feature/reachable';
import { useComputer } from '../../support/feature/useComputer';
import type { FeatureWindow } from '../../support/feature/window';
import { hideJupyter } from '../../support/hiddenJupyter';

describe('workers that ask for their work', () => {
  const computer = useComputer({ simulator: { sshServer: true } });
  const key = 'wandbkey4711wandbkey4711';
  let window: FeatureWindow;
  let ids: readonly number[];
  const home = (id: number) => path.join(computer().root, 'instances', String(id));
  const put = (name: string, content: string) =>
    writeFileSync(path.join(computer().workspace, name), content, { mode: 0o755 });
  /** Folders of jobs on a machine. */
  const jobsOn = (id: number) => {
    const folder = path.join(home(id), '.gpu-rental', 'jobs');
    return existsSync(folder) ? readdirSync(folder).filter((name) => /^[0-9a-f]{8,}$/.test(name)) : [];
  };

  async function choose(engine: string, title: string): Promise<void> {
    window.run('Use These Instances in…');
    await window.quick.pick(engine);
    await window.quick.title(engine);
    await window.quick.enter();
    await window.quick.title(title);
  }

  async function limits(): Promise<void> {
    await window.quick.type('1');
    await window.quick.type('5');
  }

  async function confirm(): Promise<void> {
    await window.quick.title(/: Confirm$/);
    await computer().pass(1000);
    await window.quick.pick('Run on sweep-1, and Keep It');
    await computer().pass(1000);
  }

  before(async () => {
    const first = await reachableInstance(computer(), 'sweep-1');
    ids = [first, await computer().rentRunning({ label: 'sweep-2', runtype: 'ssh_direct' })];
    window = await computer().openWindow({ isFocused: true });
    await window.signIn();
    await window.view('instances').row('sweep-1');
    window.clearToasts();
    // Their pip only notes what it is asked for.
    ids.forEach((id) => {
      hideJupyter(home(id));
    });
    put('agent.sh', 'test "$WANDB_API_KEY" = wandbkey4711wandbkey4711 && echo "agent $WORKER has its key"\n');
    put('hq', '#!/bin/sh\necho "worker $WORKER: $*"\n');
  });

  it('need a command whose places are filled in', async () => {
    await choose('W&B Agent', 'Start W&B Agent on Each Instance');
    assert.equal(window.quick.open.value, 'wandb agent <entity>/<project>/<sweep>');
    await window.quick.type('wandb agent <entity>/project/id');
    await computer().rest();
    const { validationMessage } = window.quick.open as { validationMessage?: unknown };
    assert.equal(validationMessage, 'Replace the text in angle brackets.');
    window.quick.escape();
    await computer().rest();
    assert.deepEqual(ids.flatMap(jobsOn), []);
  });

  it('run as a job on each instance, with a key from the secret store and limits for all', async () => {
    await choose('W&B Agent', 'Start W&B Agent on Each Instance');
    await window.quick.type('sh agent.sh');
    await limits();
    await window.quick.title('Secret WANDB_API_KEY of wandb agent');
    await window.quick.type(key);
    await window.quick.title('Run wandb agent: Confirm');
    const rows = window.quick.rows().join('\n');
    assert.match(rows, /2 jobs on sweep-1, sweep-2, \$5\.00 at most for all of them, without traffic/);
    assert.match(rows, /WANDB_API_KEY/);
    assert.ok(!rows.includes(key));
    await confirm();
    await window.view('jobs').row(/wandb agent WORKER=1.*succeeded/);
    await window.view('jobs').row(/wandb agent WORKER=2.*succeeded/);
    assert.deepEqual(
      ids.map((id) => jobsOn(id).length),
      [1, 1],
    );
    for (const id of ids) {
      assert.match(readFileSync(path.join(home(id), 'pip.log'), 'utf8'), /^install wandb$/m);
    }
    assert.ok(!window.allMessages().includes(key) && !window.log().includes(key));
    assert.deepEqual(computer().filesWith([key]), []);
    window.clearToasts();
  });

  it('start from the row of a group as well', async () => {
    window.run('Use These Instances in…');
    await window.quick.pick('hosts.txt');
    await window.quick.pick('All Running Instances');
    await window.quick.type('crew');
    await window.quick.pick('In the Workspace');
    await window.quick.title('hosts.txt: crew');
    window.quick.escape();
    await window.view('instances').expand('Groups for Other Tools');
    await window.view('instances').menu('crew', 'Use Group in…');
    await window.quick.pick('HyperQueue Worker');
    await window.quick.title('Start HyperQueue Worker on Each Instance');
    await window.quick.enter();
    await limits();
    await confirm();
    await window.view('jobs').row(/hq worker WORKER=1.*succeeded/);
    await window.view('jobs').row(/hq worker WORKER=2.*succeeded/);
    const logs = ids.flatMap((id) =>
      jobsOn(id).map((job) => readFileSync(path.join(home(id), '.gpu-rental', 'jobs', job, 'log'), 'utf8')),
    );
    for (const worker of [1, 2]) {
      assert.ok(logs.some((log) => log.includes(`worker ${worker}: worker start --server-dir ./hq-server`)));
    }
  });

  it('send a folder of this computer from a window that shows none, and one of several that is chosen', async () => {
    const code = path.join(computer().root, 'code of the workers');
    mkdirSync(code);
    writeFileSync(path.join(code, 'agent.sh'), 'echo "other code $WORKER"\n');
    const remote = await computer().openWindow({ isFocused: true, folders: [], remoteName: 'wsl' });
    let asked = 0;
    remote.screen.answerFileDialog = () => {
      asked += 1;
      return Promise.resolve([code]);
    };
    const choose = async (driven: FeatureWindow) => {
      driven.run('Use These Instances in…');
      await driven.quick.pick('HyperQueue Worker');
      await driven.quick.title('HyperQueue Worker');
      await driven.quick.enter();
    };
    await choose(remote);
    await remote.quick.title('Start HyperQueue Worker on Each Instance');
    assert.equal(asked, 1);
    await remote.quick.type('sh agent.sh');
    await remote.quick.type('1');
    await remote.quick.type('5');
    await remote.quick.title('Run hq worker: Confirm');
    assert.match(remote.quick.rows().join('\n'), /1 file/);
    remote.quick.escape();
    remote.close();
    const two = await computer().openWindow({ isFocused: true, folders: [computer().workspace, code] });
    await choose(two);
    await two.quick.title('Start HyperQueue Worker on Each Instance');
    await two.quick.pick('code of the workers');
    assert.equal(two.quick.open.value, './hq worker start --server-dir ./hq-server');
    two.quick.escape();
    two.close();
  });

  it('met nothing unexpected', () => {
    assert.doesNotMatch(window.log(), /^\[error\]/m);
  });
});
