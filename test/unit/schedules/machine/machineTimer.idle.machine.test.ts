import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { armTimer, type TimerOrder } from '../../../../src/schedules/machine/machineTimer';
import { jupyterStandIn } from '../../../support/jupyterStandIn';
import { httpTools, placeOf } from '../../../support/machinePrograms';
import { useTimerMachine } from '../../../support/timerMachine';
import { until } from '../../../support/until';

describe('A timer on the machine for idle time', () => {
  const timer = useTimerMachine();
  const { frozenMachine, hastyMachine, tool, file, order, processes, writes, instance } = timer;

  /** What the driver says of each GPU, and the names of the processes; both can be changed later. */
  const idleTools = (gpus: string, ...processNames: readonly string[]) => {
    writeFileSync(file('gpus'), gpus);
    writeFileSync(file('names'), processNames.join('\n'));
    tool('nvidia-smi', 'echo look >>"$HOME/looks"', 'cat "$HOME/gpus"');
    tool(
      'grep',
      `case "$*" in *' /proc/'* | *" $HOME/proc/"*) exec ${placeOf('grep')} "$1" "$2" "$HOME/names" ;; esac`,
      `exec ${placeOf('grep')} "$@"`,
    );
    return [...httpTools.slice(0, 1), 'timeout'];
  };
  const idleMachine = (...use: Parameters<typeof idleTools>) => hastyMachine(idleTools(...use));
  const checks = () => readFileSync(file('looks'), 'utf8').split('\n').length;
  const idleOrder = (seconds: number) => order({ mode: 'idle', seconds });
  const isStopped = () => instance()?.intendedStatus === 'stopped';

  it('acts once no GPU is used and no user is logged in, and restarts its count with each use', async () => {
    const verdict = await armTimer(idleMachine('3\n40\n', 'sshd: root@pts/0'), 'gpu-1', idleOrder(1));
    assert.equal(verdict.kind, 'armed');
    writeFileSync(
      file('names'),
      'sshd: root [priv]\nsshd: /usr/sbin/sshd -D [listener] 0 of 10-100 startups',
    );
    const first = checks();
    await until('more looks at a GPU in use', () => checks() >= first + 2);
    assert.equal(isStopped(), false);
    writeFileSync(file('names'), 'sshd-session: root@notty');
    writeFileSync(file('gpus'), '4\n0\n');
    const second = checks();
    await until('more looks while somebody is logged in', () => checks() >= second + 2);
    assert.equal(isStopped(), false);
    writeFileSync(file('names'), 'bash');
    await until('the stop', isStopped);
  });

  it('treats a GPU of unknown use as one in use', async () => {
    await armTimer(idleMachine('0\n', 'sshd: root@notty'), 'gpu-1', idleOrder(1));
    for (const said of ['0\n[N/A]\n', '', 'NVIDIA-SMI has failed\n']) {
      writeFileSync(file('gpus'), said);
      writeFileSync(file('names'), '');
      const before = checks();
      await until('more looks', () => checks() >= before + 2);
      assert.equal(isStopped(), false, said);
    }
    writeFileSync(file('gpus'), '0\n');
    await until('the stop', isStopped);
  });

  /** The first of them may have begun before the time passed. */
  const afterMoreChecks = async () => {
    const before = checks();
    await until('more looks', () => checks() >= before + 3);
  };

  /** A machine without any other use, and a server of ours on it in a state. */
  const notebookMachine = async (
    state: string,
    kernel?: 'waits' | 'works',
    more: Partial<TimerOrder> = {},
  ) => {
    const own = path.join(timer.home, '.gpu-rental', 'jupyter');
    mkdirSync(path.join(own, 'run'), { recursive: true });
    writeFileSync(path.join(own, 'token'), 'f'.repeat(64));
    writeFileSync(file('state'), state);
    const server = await jupyterStandIn(timer.home, kernel);
    const facts = path.join(own, 'run', `jpserver-${server.pid}.json`);
    writeFileSync(facts, JSON.stringify({ port: server.port }));
    const here = frozenMachine(idleTools('0\n', 'sshd: root@notty'));
    await armTimer(here, 'gpu-1', { ...idleOrder(1), ...more });
    writeFileSync(file('names'), '');
    return { ...server, pass: here.pass };
  };
  it('treats a cell that runs as use, and a kernel whose server does not answer as well', async () => {
    const server = await notebookMachine('busy', 'waits');
    try {
      for (const state of ['busy', 'broken']) {
        writeFileSync(file('state'), state);
        for (let second = 0; second < 3; second += 1) {
          server.pass(1);
          await afterMoreChecks();
        }
        assert.equal(isStopped(), false, state);
      }
      writeFileSync(file('state'), 'idle');
      await afterMoreChecks();
      server.pass(2);
      await until('the stop', isStopped);
    } finally {
      server.end();
    }
  });

  it('treats a server without kernels as unused, whether or not it answers', async () => {
    const server = await notebookMachine('broken');
    try {
      server.pass(2);
      await until('the stop', isStopped);
    } finally {
      server.end();
    }
  });

  for (const action of ['stop', 'destroy'] as const) {
    it(`ends its doubt about a silent server after its limit, and stops where it was to ${action}`, async () => {
      const server = await notebookMachine('broken', 'waits', { action, doubtSeconds: 30 });
      try {
        await afterMoreChecks();
        server.pass(29);
        await afterMoreChecks();
        assert.equal(isStopped(), false);
        server.pass(3);
        await until('the stop', isStopped);
        assert.notEqual(instance(), undefined);
      } finally {
        server.end();
      }
    });
  }

  it('has no limit for a kernel that computes while its server is silent', async () => {
    const server = await notebookMachine('broken', 'works', { doubtSeconds: 5 });
    try {
      for (let second = 0; second < 12; second += 1) {
        // However busy this computer is: the kernel has computed between two seconds of the machine.
        const before = server.worked();
        await until('work of the kernel', () => server.worked() > before + 10);
        await afterMoreChecks();
        server.pass(1);
        assert.equal(isStopped(), false);
      }
    } finally {
      server.end();
    }
    server.pass(2);
    await until('the stop', isStopped);
  });

  it('checks again before another try', async () => {
    const stop = { method: 'PUT', path: `/api/v0/instances/${timer.id}/` };
    timer.simulator.fail({ kind: 'delay', ...stop, delayMs: 1000 });
    timer.simulator.fail({ kind: 'html500', ...stop });
    const own = idleMachine('0\n', 'sshd: root@notty');
    await armTimer(own, 'gpu-1', idleOrder(1));
    writeFileSync(file('names'), '');
    await until('the first try', () => writes().length === 1);
    // The answer waits for this clock, so no look comes between it and the use.
    writeFileSync(file('gpus'), '90\n');
    await timer.simulator.fakeClock?.advance(1000);
    const before = checks();
    await until('looks at a GPU in use', () => checks() >= before + 2);
    assert.equal(writes().length, 1);
    writeFileSync(file('gpus'), '0\n');
    await until('the stop', isStopped);
  });

  it('is not armed if the use of a GPU is unknown', async () => {
    const own = idleMachine('', 'sshd: root@notty');
    for (const said of ['[N/A]\n', '0\n[Not Supported]\n', '', 'NVIDIA-SMI has failed\n']) {
      writeFileSync(file('gpus'), said);
      const verdict = await armTimer(own, 'gpu-1', idleOrder(600));
      assert.deepEqual(verdict, { kind: 'noGpuUse' }, said);
    }
    rmSync(path.join(file('bin'), 'nvidia-smi'));
    assert.deepEqual(await armTimer(own, 'gpu-1', idleOrder(600)), { kind: 'noGpuUse' });
    assert.deepEqual(processes(), []);
  });

  it('is not armed where not even its own login is seen', async () => {
    const verdict = await armTimer(idleMachine('0\n', 'dropbear', 'bash'), 'gpu-1', idleOrder(600));
    assert.deepEqual(verdict, { kind: 'noLoginSeen' });
    assert.deepEqual(processes(), []);
  });

  it('finds a login among the processes of the machine', async () => {
    tool('nvidia-smi', 'echo 0');
    const login = spawn('sleep', ['60'], { argv0: 'sshd: somebody@notty', stdio: 'ignore' });
    try {
      const verdict = await armTimer(hastyMachine(), 'gpu-1', idleOrder(600));
      assert.equal(verdict.kind, 'armed');
    } finally {
      login.kill();
    }
  });
});
