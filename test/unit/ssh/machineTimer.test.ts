import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { armTimer, checkTimer, disarmTimer, type TimerOrder } from '../../../src/ssh/machineTimer';
import { runProgram } from '../../../src/ssh/run';
import { jupyterStandIn } from '../../support/jupyterStandIn';
import { httpTools, placeOf, shellTools } from '../../support/machinePrograms';
import { rentRunning } from '../../support/rentRunning';
import { useSimulators, type TestSimulator } from '../../support/startSimulator';
import { until } from '../../support/until';

describe('A timer on the machine', () => {
  const simulators = useSimulators();
  let home: string;
  let simulator: TestSimulator;
  let id: number;
  beforeEach(async () => {
    home = mkdtempSync(path.join(os.tmpdir(), 'gr-timer-'));
    simulator = await simulators.start({ fakeClock: true });
    id = await rentRunning(simulator);
  });
  afterEach(async () => {
    await disarmTimer(machine(), 'gpu-1', id);
    rmSync(home, { recursive: true, force: true, maxRetries: 5 });
  });

  /** A machine that has these programs and the key of its instance; the script runs in a real shell. */
  const machine = (tools?: readonly string[], key?: string, env: Record<string, string> = {}) => {
    const bin = path.join(home, 'bin');
    if (tools) {
      mkdirSync(bin, { recursive: true });
      for (const tool of [...shellTools, ...tools].filter((one) => !existsSync(path.join(bin, one)))) {
        symlinkSync(placeOf(tool), path.join(bin, tool));
      }
    }
    const own = simulator.world.instance(id)?.apiKey ?? '';
    return {
      exec: (_: string, script: string, more: object) =>
        runProgram('/bin/sh', ['-c', script], {
          ...more,
          env: {
            HOME: home,
            CONTAINER_API_KEY: key ?? own,
            ...(tools ? { PATH: bin } : {}),
            ...env,
          },
        }),
    };
  };
  const file = (name: string) => path.join(home, name);
  const tool = (name: string, ...lines: readonly string[]) => {
    mkdirSync(file('bin'), { recursive: true });
    writeFileSync(path.join(file('bin'), name), ['#!/bin/sh', ...lines, ''].join('\n'), { mode: 0o755 });
  };
  /** A machine that wakes up sooner than it was told to; what time it is, it looks up. */
  const hastyMachine = (...tools: readonly string[]) => {
    tool('sleep', `exec ${placeOf('sleep')} 0.2`);
    return machine([...httpTools.slice(0, 1), ...tools]);
  };
  const order = (more: Partial<TimerOrder> = {}): TimerOrder => ({
    serviceUrl: simulator.url,
    instanceId: id,
    action: 'stop',
    seconds: 600,
    token: 'abc123',
    mode: 'at',
    ...more,
  });
  const processes = () => {
    const folder = path.join(home, '.gpu-rental');
    const files = existsSync(folder) ? readdirSync(folder).filter((name) => name.startsWith('timer-')) : [];
    return files.map((name) => Number(readFileSync(path.join(folder, name), 'utf8')));
  };
  const lives = (pid: number | undefined) => {
    try {
      return pid !== undefined && process.kill(pid, 0);
    } catch {
      return false;
    }
  };
  const writes = () =>
    simulator
      .received()
      .filter(({ method }) => method !== 'GET')
      .slice(1);

  for (const tool of httpTools) {
    it(`stops the instance with ${tool} when the time is over`, async () => {
      assert.deepEqual(await armTimer(machine([tool]), 'gpu-1', order({ seconds: 2 })), {
        kind: 'armed',
        tool,
      });
      assert.equal(simulator.world.instance(id)?.intendedStatus, 'running');
      await until('the stop', () => simulator.world.instance(id)?.intendedStatus === 'stopped');
    });
  }

  /** What a job leaves in its folder; `born` is of the process that runs it. */
  const jobIn = (phase: string, pid = 999_999, born = '1') => {
    const folder = path.join(home, '.gpu-rental', 'jobs', 'a001');
    mkdirSync(folder, { recursive: true });
    writeFileSync(path.join(folder, 'phase'), `${phase}\n`);
    writeFileSync(path.join(folder, 'pid'), `${pid} ${born} 1 abc 0\n`);
  };
  const bornAt = (pid: number) =>
    readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /, '')
      .split(' ')[19] ?? '';
  const guard = (seconds: number) => order({ mode: 'job', token: 'd0', seconds, fetchSeconds: 1 });
  const stopped = () => simulator.world.instance(id)?.intendedStatus === 'stopped';

  it('stops the machine of a job that never began when its time is over', async () => {
    assert.equal((await armTimer(hastyMachine(), 'gpu-1', guard(1))).kind, 'armed');
    await until('the stop', stopped);
  });

  it('waits for a job that runs, and stops after it has ended and was not fetched', async () => {
    jobIn('running', process.pid, bornAt(process.pid));
    const here = hastyMachine();
    tool('sleep', `echo >>'${file('looks')}'`, `exec ${placeOf('sleep')} 0.2`);
    assert.equal((await armTimer(here, 'gpu-1', guard(1))).kind, 'armed');
    const looks = () => (existsSync(file('looks')) ? readFileSync(file('looks'), 'utf8').length : 0);
    await until('more looks than the time has', () => looks() > 10);
    assert.equal(stopped(), false);
    jobIn('ended');
    await until('the stop', stopped);
    assert.ok(writes().every(({ method }) => method !== 'DELETE'));
  });

  it('of a job and one of the user do not end each other', async () => {
    const here = machine();
    assert.equal((await armTimer(here, 'gpu-1', guard(600))).kind, 'armed');
    assert.equal((await armTimer(here, 'gpu-1', order())).kind, 'armed');
    assert.equal((await checkTimer(here, 'gpu-1', guard(600))).kind, 'armed');
    assert.equal(await disarmTimer(here, 'gpu-1', id, undefined, 'job'), true);
    assert.equal((await checkTimer(here, 'gpu-1', order())).kind, 'armed');
    assert.equal((await checkTimer(here, 'gpu-1', guard(600))).kind, 'notAlive');
  });

  it('destroys the instance when the time is over', async () => {
    await armTimer(machine(), 'gpu-1', order({ action: 'destroy', seconds: 1 }));
    await until('the destruction', () => simulator.world.instance(id) === undefined);
  });

  it('counts on where the machine cannot tell its uptime for a moment', async () => {
    mkdirSync(file('proc'));
    const uptime = file('proc/uptime');
    writeFileSync(uptime, '100.25 50.00\n');
    tool('sleep', 'echo nap >>"$HOME/naps"', `exec ${placeOf('sleep')} 0.2`);
    tool('date', 'cat "$HOME/day"');
    writeFileSync(file('day'), '1000100\n');
    const naps = () => (existsSync(file('naps')) ? readFileSync(file('naps'), 'utf8').split('\n').length : 0);
    const own = machine(httpTools.slice(0, 1), undefined, { HOST_PROC: file('proc') });
    await armTimer(own, 'gpu-1', order({ action: 'destroy', seconds: 600 }));
    rmSync(uptime);
    const before = naps();
    await until('some looks at the time', () => naps() >= before + 4);
    assert.equal(writes().filter(({ method }) => method === 'DELETE').length, 0);
    assert.ok(lives(processes()[0]));
    writeFileSync(file('day'), '1000702\n');
    writeFileSync(uptime, '701.00 50.00\n');
    await until('the destruction', () => simulator.world.instance(id) === undefined);
  });

  it('only reads to prove that it can act', async () => {
    const before = simulator.received().length;
    await armTimer(machine(), 'gpu-1', order());
    assert.deepEqual(
      simulator
        .received()
        .slice(before)
        .map(({ method, path: at }) => `${method} ${at}`),
      [`GET /api/v0/instances/${id}/`],
    );
  });

  it('is alive as long as it waits, and says so', async () => {
    await armTimer(machine(), 'gpu-1', order());
    assert.equal((await checkTimer(machine(), 'gpu-1', order())).kind, 'armed');
    assert.deepEqual(await checkTimer(machine(), 'gpu-1', order({ token: 'fff' })), { kind: 'notAlive' });
    const [pid] = processes();
    assert.ok(pid !== undefined && lives(pid));
    process.kill(pid, 'SIGKILL');
    await until('its end', () => !lives(pid));
    assert.deepEqual(await checkTimer(machine(), 'gpu-1', order()), { kind: 'notAlive' });
  });

  it('takes the place of the one before, and ends when it is disarmed', async () => {
    await armTimer(machine(), 'gpu-1', order({ seconds: 4 }));
    const [first] = processes();
    await armTimer(machine(), 'gpu-1', order({ token: 'def456' }));
    await until('the end of the first', () => !lives(first));
    const [second, ...more] = processes();
    assert.ok(lives(second));
    assert.deepEqual(more, []);
    assert.equal(await disarmTimer(machine(), 'gpu-1', id), true);
    await until('the end of the second', () => !lives(second));
    assert.deepEqual(processes(), []);
    assert.equal(simulator.world.instance(id)?.intendedStatus, 'running');
  });

  it('is not armed without a program that can call the service', async () => {
    assert.deepEqual(await armTimer(machine([]), 'gpu-1', order()), { kind: 'noTool' });
    assert.deepEqual(processes(), []);
  });

  it('is not armed without the key of the machine, or with one that could be more than a key', async () => {
    assert.deepEqual(await armTimer(machine(undefined, ''), 'gpu-1', order()), { kind: 'noKey' });
    const hostile = machine(undefined, 'a"\nurl = "file:///etc/passwd');
    assert.deepEqual(await armTimer(hostile, 'gpu-1', order()), { kind: 'noKey' });
    assert.deepEqual(processes(), []);
  });

  it('is not armed where the service does not accept the key, and keeps the one that was armed', async () => {
    await armTimer(machine(), 'gpu-1', order());
    const before = processes();
    const wrong = machine(undefined, 'wrong-key');
    assert.deepEqual(await armTimer(wrong, 'gpu-1', order({ token: 'def' })), {
      kind: 'refused',
      status: 401,
    });
    assert.deepEqual(processes(), before);
  });

  it('is not armed where the machine cannot reach the service', async () => {
    for (const tool of httpTools) {
      const verdict = await armTimer(machine([tool]), 'gpu-1', order({ serviceUrl: 'http://127.0.0.1:1' }));
      assert.deepEqual(verdict, { kind: 'noAnswer' }, tool);
      rmSync(path.join(home, 'bin'), { recursive: true });
    }
  });

  it('goes on trying while the service fails', async () => {
    simulator.fail({ kind: 'html500', method: 'PUT', path: `/api/v0/instances/${id}/` });
    await armTimer(hastyMachine(), 'gpu-1', order({ seconds: 1 }));
    await until('the second try', () => writes().filter(({ method }) => method === 'PUT').length === 2, {
      timeoutMs: 50_000,
    });
    await until('the stop', () => simulator.world.instance(id)?.intendedStatus === 'stopped');
  });

  describe('for idle time', () => {
    /** What the driver says of each GPU, and the names of the processes; both can be changed later. */
    const idleMachine = (gpus: string, ...processNames: readonly string[]) => {
      writeFileSync(file('gpus'), gpus);
      writeFileSync(file('names'), processNames.join('\n'));
      tool('nvidia-smi', 'echo look >>"$HOME/looks"', 'cat "$HOME/gpus"');
      tool(
        'grep',
        `case "$*" in *' /proc/'*) exec ${placeOf('grep')} "$1" "$2" "$HOME/names" ;; esac`,
        `exec ${placeOf('grep')} "$@"`,
      );
      return hastyMachine('timeout');
    };
    const looks = () => readFileSync(file('looks'), 'utf8').split('\n').length;
    const idleOrder = (seconds: number) => order({ mode: 'idle', seconds });
    const isStopped = () => simulator.world.instance(id)?.intendedStatus === 'stopped';

    it('acts once no GPU is used and nobody is logged in, and counts anew with each use', async () => {
      const verdict = await armTimer(idleMachine('3\n40\n', 'sshd: root@pts/0'), 'gpu-1', idleOrder(1));
      assert.equal(verdict.kind, 'armed');
      writeFileSync(
        file('names'),
        'sshd: root [priv]\nsshd: /usr/sbin/sshd -D [listener] 0 of 10-100 startups',
      );
      const first = looks();
      await until('more looks at a GPU in use', () => looks() >= first + 2);
      assert.equal(isStopped(), false);
      writeFileSync(file('names'), 'sshd-session: root@notty');
      writeFileSync(file('gpus'), '4\n0\n');
      const second = looks();
      await until('more looks while somebody is logged in', () => looks() >= second + 2);
      assert.equal(isStopped(), false);
      writeFileSync(file('names'), 'bash');
      await until('the stop', isStopped);
    });

    it('takes a GPU whose use is not said for one in use', async () => {
      await armTimer(idleMachine('0\n', 'sshd: root@notty'), 'gpu-1', idleOrder(1));
      for (const said of ['0\n[N/A]\n', '', 'NVIDIA-SMI has failed\n']) {
        writeFileSync(file('gpus'), said);
        writeFileSync(file('names'), '');
        const before = looks();
        await until('more looks', () => looks() >= before + 2);
        assert.equal(isStopped(), false, said);
      }
      writeFileSync(file('gpus'), '0\n');
      await until('the stop', isStopped);
    });

    it('takes a cell that runs for use, and a server that does not answer as well', async () => {
      const own = path.join(home, '.gpu-rental', 'jupyter');
      mkdirSync(path.join(own, 'run'), { recursive: true });
      writeFileSync(path.join(own, 'token'), 'f'.repeat(64));
      const server = await jupyterStandIn(home);
      try {
        for (const state of ['busy', 'broken']) {
          writeFileSync(file('state'), state);
          if (state === 'busy') {
            const facts = path.join(own, 'run', `jpserver-${server.pid}.json`);
            writeFileSync(facts, JSON.stringify({ port: server.port }));
            await armTimer(idleMachine('0\n', 'sshd: root@notty'), 'gpu-1', idleOrder(1));
            writeFileSync(file('names'), '');
          }
          const before = looks();
          await until('more looks', () => looks() >= before + 3);
          assert.equal(isStopped(), false, state);
        }
        writeFileSync(file('state'), 'idle');
        await until('the stop', isStopped);
      } finally {
        server.end();
      }
    });

    it('looks again before another try', async () => {
      simulator.fail({ kind: 'html500', method: 'PUT', path: `/api/v0/instances/${id}/` });
      const own = idleMachine('0\n', 'sshd: root@notty');
      await armTimer(own, 'gpu-1', idleOrder(1));
      writeFileSync(file('names'), '');
      const puts = () => writes().filter(({ method }) => method === 'PUT').length;
      await until('the first try', () => puts() === 1);
      writeFileSync(file('gpus'), '90\n');
      const before = looks();
      await until('looks at a GPU in use', () => looks() >= before + 2);
      assert.equal(puts(), 1);
      writeFileSync(file('gpus'), '0\n');
      await until('the stop', isStopped);
    });

    it('is not armed where the use of a GPU is not said', async () => {
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

  it('never shows the key in its arguments', async () => {
    await armTimer(machine(), 'gpu-1', order());
    const key = simulator.world.instance(id)?.apiKey ?? '';
    const [pid] = processes();
    assert.ok(key.length > 10 && !readFileSync(`/proc/${String(pid)}/cmdline`, 'utf8').includes(key));
    assert.ok(!readFileSync(path.join(home, '.gpu-rental', 'guard.sh'), 'utf8').includes(key));
  });
});
