import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { armTimer, checkTimer, disarmTimer } from '../../../../src/schedules/machine/machineTimer';
import { httpTools, placeOf } from '../../../support/machinePrograms';
import { useTimerMachine } from '../../../support/timerMachine';
import { until } from '../../../support/until';

describe('A timer on the machine', () => {
  const timer = useTimerMachine();
  const { machine, frozenMachine, tool, file, order, processes, writes, instance } = timer;

  const lives = (pid: number | undefined) => {
    try {
      return pid !== undefined && process.kill(pid, 0);
    } catch {
      return false;
    }
  };

  for (const tool of httpTools) {
    it(`stops the instance with ${tool} when the time is over`, async () => {
      const here = frozenMachine([tool]);
      assert.deepEqual(await armTimer(here, 'gpu-1', order({ seconds: 30 })), { kind: 'armed', tool });
      assert.equal(instance()?.intendedStatus, 'running');
      here.pass(31);
      await until('the stop', () => instance()?.intendedStatus === 'stopped');
    });
  }

  /** What a job leaves in its folder; `born` is of the process that runs it. */
  const jobIn = (phase: string, pid = 999_999, born = '1') => {
    const folder = path.join(timer.home, '.gpu-rental', 'jobs', 'a001');
    mkdirSync(folder, { recursive: true });
    writeFileSync(path.join(folder, 'phase'), `${phase}\n`);
    writeFileSync(path.join(folder, 'pid'), `${pid} ${born} 1 abc 0\n`);
  };
  const bornAt = (pid: number) =>
    readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /, '')
      .split(' ')[19] ?? '';
  const guard = (seconds: number) => order({ mode: 'job', token: 'd0', seconds, fetchSeconds: 1 });
  const stopped = () => instance()?.intendedStatus === 'stopped';

  it('stops the machine of a job that never began when its time is over', async () => {
    const here = frozenMachine();
    assert.equal((await armTimer(here, 'gpu-1', guard(30))).kind, 'armed');
    here.pass(31);
    await until('the stop', stopped);
  });

  it('waits for a job that runs, and stops after it has ended and was not fetched', async () => {
    jobIn('running', process.pid, bornAt(process.pid));
    const here = frozenMachine();
    tool('sleep', `echo >>'${file('looks')}'`, `exec ${placeOf('sleep')} 0.2`);
    assert.equal((await armTimer(here, 'gpu-1', guard(30))).kind, 'armed');
    const checks = () => (existsSync(file('looks')) ? readFileSync(file('looks'), 'utf8').length : 0);
    here.pass(60);
    const before = checks();
    await until('looks after its time', () => checks() > before + 4);
    assert.equal(stopped(), false);
    jobIn('ended');
    // The job is seen to run until a minute after the last look, and then has a second to be fetched.
    await until('the stop', () => {
      here.pass(1);
      return stopped();
    });
    assert.ok(writes().every(({ method }) => method !== 'DELETE'));
  });

  it('waits while files are sent for a job that has not begun, and stops after the last login', async () => {
    const here = frozenMachine();
    tool('sleep', `echo >>'${file('looks')}'`, `exec ${placeOf('sleep')} 0.2`);
    const login = file('proc/4242');
    mkdirSync(login, { recursive: true });
    writeFileSync(path.join(login, 'cmdline'), 'sshd: root@notty');
    assert.equal((await armTimer(here, 'gpu-1', guard(30))).kind, 'armed');
    const checks = () => (existsSync(file('looks')) ? readFileSync(file('looks'), 'utf8').length : 0);
    for (const seconds of [31, 60]) {
      here.pass(seconds);
      const before = checks();
      await until('looks after its time', () => checks() > before + 4);
      assert.equal(stopped(), false);
    }
    rmSync(login, { recursive: true });
    await until('the stop', () => {
      here.pass(1);
      return stopped();
    });
  });

  /** Lets so many minutes pass, each with looks of the timer, and calls back in each. */
  const minutes = async (
    here: { pass: (seconds: number) => void },
    count: number,
    each = () => undefined,
  ) => {
    for (let minute = 0; minute < count && !isOver(); minute += 1) {
      each();
      here.pass(60);
      const before = looks();
      await until('looks', () => looks() > before + 3 || isOver());
    }
  };
  const looks = () => (existsSync(file('looks')) ? readFileSync(file('looks'), 'utf8').length : 0);
  const isOver = () => writes().length > 0;
  const saving = () => path.join(timer.home, '.gpu-rental', 'saving');
  const armedToDestroy = async () => {
    const here = frozenMachine();
    tool('sleep', `echo >>'${file('looks')}'`, `exec ${placeOf('sleep')} 0.02`);
    await armTimer(here, 'gpu-1', order({ action: 'destroy', seconds: 120 }));
    await minutes(here, 1);
    return here;
  };

  it('waits for a folder that is saved when the time is over, and destroys the instance once that rests', async () => {
    const here = await armedToDestroy();
    await minutes(here, 20, () => void mkdirSync(saving(), { recursive: true }));
    await minutes(here, 10);
    assert.deepEqual(writes(), []);
    await minutes(here, 8);
    await until('the destruction', () => instance() === undefined);
  });

  it('waits an hour in all, and then only stops an instance of which a folder is still saved', async () => {
    const here = await armedToDestroy();
    const asSaved = () => void mkdirSync(saving(), { recursive: true });
    await minutes(here, 59, asSaved);
    assert.deepEqual(writes(), []);
    await minutes(here, 4, asSaved);
    await until('the stop', stopped);
    assert.ok(writes().every(({ method }) => method !== 'DELETE'));
  });

  const noSaves: readonly (readonly [what: string, make: () => void])[] = [
    ['a folder that was saved before', () => mkdirSync(saving(), { recursive: true })],
    [
      'a link',
      () => {
        mkdirSync(path.dirname(saving()), { recursive: true });
        mkdirSync(file('else'));
        symlinkSync(file('else'), saving());
      },
    ],
    ['a folder that holds something', () => mkdirSync(path.join(saving(), 'x'), { recursive: true })],
  ];
  for (const [what, make] of noSaves) {
    it(`does not wait for ${what}`, async () => {
      make();
      const here = await armedToDestroy();
      await minutes(here, 3);
      await until('the destruction', () => instance() === undefined);
      assert.equal(existsSync(file('else')), what === 'a link');
    });
  }

  it('of a job and one of the user do not end each other', async () => {
    const here = machine();
    assert.equal((await armTimer(here, 'gpu-1', guard(600))).kind, 'armed');
    assert.equal((await armTimer(here, 'gpu-1', order())).kind, 'armed');
    assert.equal((await checkTimer(here, 'gpu-1', guard(600))).kind, 'armed');
    assert.equal(await disarmTimer(here, 'gpu-1', timer.id, undefined, 'job'), true);
    assert.equal((await checkTimer(here, 'gpu-1', order())).kind, 'armed');
    assert.equal((await checkTimer(here, 'gpu-1', guard(600))).kind, 'notAlive');
  });

  it('destroys the instance when the time is over', async () => {
    const here = frozenMachine();
    await armTimer(here, 'gpu-1', order({ action: 'destroy', seconds: 30 }));
    here.pass(31);
    await until('the destruction', () => instance() === undefined);
  });

  it('keeps counting if the machine can’t read its uptime for a moment', async () => {
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
    await until('the destruction', () => instance() === undefined);
  });

  it('only reads to prove that it can act', async () => {
    const before = timer.simulator.received().length;
    await armTimer(machine(), 'gpu-1', order());
    assert.deepEqual(
      timer.simulator
        .received()
        .slice(before)
        .map(({ method, path: at }) => `${method} ${at}`),
      [`GET /api/v0/instances/${timer.id}/`],
    );
  });

  it('is alive as long as it waits, and reports that', async () => {
    await armTimer(machine(), 'gpu-1', order());
    assert.equal((await checkTimer(machine(), 'gpu-1', order())).kind, 'armed');
    assert.deepEqual(await checkTimer(machine(), 'gpu-1', order({ token: 'fff' })), { kind: 'notAlive' });
    const [pid] = processes();
    assert.ok(pid !== undefined && lives(pid));
    process.kill(pid, 'SIGKILL');
    await until('its end', () => !lives(pid));
    assert.deepEqual(await checkTimer(machine(), 'gpu-1', order()), { kind: 'notAlive' });
  });

  it('replaces the one before, and ends when it is disarmed', async () => {
    await armTimer(machine(), 'gpu-1', order());
    const [first] = processes();
    await armTimer(machine(), 'gpu-1', order({ token: 'def456' }));
    await until('the end of the first', () => !lives(first));
    const [second, ...more] = processes();
    assert.ok(lives(second));
    assert.deepEqual(more, []);
    assert.equal(await disarmTimer(machine(), 'gpu-1', timer.id), true);
    await until('the end of the second', () => !lives(second));
    assert.deepEqual(processes(), []);
    assert.equal(instance()?.intendedStatus, 'running');
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

  it('is not armed if the machine can’t reach the service', async () => {
    for (const tool of httpTools) {
      const verdict = await armTimer(machine([tool]), 'gpu-1', order({ serviceUrl: 'http://127.0.0.1:1' }));
      assert.deepEqual(verdict, { kind: 'noAnswer' }, tool);
      rmSync(path.join(timer.home, 'bin'), { recursive: true });
    }
  });

  it('keeps trying while the service fails', async () => {
    timer.simulator.fail({ kind: 'html500', method: 'PUT', path: `/api/v0/instances/${timer.id}/` });
    const here = frozenMachine();
    await armTimer(here, 'gpu-1', order({ seconds: 30 }));
    here.pass(31);
    await until('the second try', () => writes().filter(({ method }) => method === 'PUT').length === 2, {
      timeoutMs: 50_000,
    });
    await until('the stop', () => instance()?.intendedStatus === 'stopped');
  });

  it('never shows the key in its arguments', async () => {
    await armTimer(machine(), 'gpu-1', order());
    const key = instance()?.apiKey ?? '';
    const [pid] = processes();
    assert.ok(key.length > 10 && !readFileSync(`/proc/${String(pid)}/cmdline`, 'utf8').includes(key));
    assert.ok(!readFileSync(path.join(timer.home, '.gpu-rental', 'guard.sh'), 'utf8').includes(key));
  });
});
