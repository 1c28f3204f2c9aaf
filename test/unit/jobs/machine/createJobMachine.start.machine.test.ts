import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { disarmTimer } from '../../../../src/schedules/machine/machineTimer';
import { jobId, jobOrder, processesOf, shellMachine, useJobs } from '../../../support/jobScene';
import { until } from '../../../support/until';

describe('The start of a job on its machine', () => {
  const scene = useJobs();
  const prepared = async (...script: readonly string[]) => {
    const order = jobOrder(['echo x >>"$HOME/starts"', ...script].join('\n'));
    await scene().job.begin(order);
    await scene().job.sync(order, undefined);
    return order;
  };
  const starts = () => {
    const file = join(scene().remote, 'starts');
    return existsSync(file) ? readFileSync(file, 'utf8') : '';
  };
  const code = async () => (await scene().ended(jobId)).end?.code;

  it('happens once, however many ask for it at the same time', async () => {
    const order = await prepared('sleep 1');
    const answers = await Promise.all(Array.from({ length: 6 }, () => scene().job.start(order)));
    assert.deepEqual([...answers].sort(), ['already', 'already', 'already', 'already', 'already', 'started']);
    assert.equal(await code(), 0);
    assert.equal(starts(), 'x\n');
  });

  it('waits for the whole of the variables', async () => {
    const order = await prepared();
    const { exec } = shellMachine(scene().remote);
    const torn = scene().with({
      ssh: { exec: (alias, script, options) => exec(alias, script, { ...options, input: 'export A=1\n' }) },
    });
    await assert.rejects(torn.start(order), /did not|could not/);
    assert.equal((await scene().job.check(jobId, 0, 0)).phase, 'synced');
    assert.equal(await scene().job.start(order), 'started');
    assert.equal(await code(), 0);
  });

  for (const shell of ['bash', 'zsh', 'fish', 'tcsh']) {
    it(`runs the script of the job where the login shell is ${shell}`, async () => {
      const order = await prepared();
      const ssh = shellMachine(scene().remote, { SHELL: `/usr/bin/${shell}` });
      assert.equal(await scene().with({ ssh }).start(order), 'started');
      assert.equal(await code(), 0);
      assert.equal(starts(), 'x\n');
    });
  }

  it('is taken over from a runner that ended before it began, and never from one that did', async () => {
    const order = await prepared();
    const lock = scene().file(jobId, 'lock');
    mkdirSync(join(lock, 'abc'), { recursive: true });
    utimesSync(lock, 1_700_000_000, 1_700_000_000);
    assert.equal(await scene().job.start(order), 'started');
    assert.equal(await code(), 0);
    utimesSync(lock, 1_700_000_000, 1_700_000_000);
    assert.equal(await scene().job.start(order), 'already');
    assert.equal(starts(), 'x\n');
  });

  it('gives the job what the container was started with, apart from our key', async () => {
    const environ = join(scene().remote, 'environ');
    const values = [
      "HF_TOKEN=it's\nof $(two) lines",
      'CONTAINER_API_KEY=key',
      'HOME=/elsewhere',
      'PATH=/opt/conda/bin',
      '1x=y',
    ];
    writeFileSync(environ, values.map((value) => `${value}\0`).join(''));
    const order = await prepared(
      'printf "%s|" "$HF_TOKEN" "${CONTAINER_API_KEY-none}" "$HOME" "${PATH##*:}"',
    );
    const program = scene().file(jobId, 'job.sh');
    writeFileSync(program, readFileSync(program, 'utf8').replace('</proc/1/environ', `<"${environ}"`));
    await scene().job.start(order);
    assert.equal(await code(), 0);
    const { log } = await scene().job.check(jobId, 0, 1000);
    assert.equal(log.piece.toString(), `it's\nof $(two) lines|none|${scene().remote}|/opt/conda/bin|`);
  });

  it('gives the job variables of every name, which change nothing of ours', async () => {
    const order = jobOrder('printf "%s|" "$d" "$shell" "$before" "$PWD"', {
      env: { d: '64', shell: 'mine', before: 'then' },
      setup: 'echo set up',
      setupKey: 'ab',
    });
    await scene().run(order);
    const { end, log } = await scene().ended(jobId);
    const folder = scene().file(jobId, 'src');
    assert.deepEqual([end?.code, log.piece.toString()], [0, `set up\n64|mine|then|${folder}|`]);
    assert.equal(existsSync(scene().file(jobId, 'env')), false, 'they are read once');
  });

  it('leaves the job the permissions of a login for new files, and keeps its own to its user', async () => {
    const order = await prepared('umask; stat -c %a "$GPU_RENTAL_JOB_FOLDER/log"');
    const { exec } = shellMachine(scene().remote);
    const login = scene().with({
      ssh: { exec: (alias, script, options) => exec(alias, `umask 027\n${script}`, options) },
    });
    await login.start(order);
    const { log } = await scene().ended(jobId);
    assert.equal(log.piece.toString(), '0027\n600\n');
  });

  it('gives the job its deadline, by the clock of the machine', async () => {
    await scene().run(jobOrder('echo $((GPU_RENTAL_DEADLINE - $(date +%s)))', { limitSeconds: 600 }));
    const { log } = await scene().ended(jobId);
    assert.match(log.piece.toString(), /^(?:600|59\d)\n$/);
  });

  for (const [what, devices, count] of [
    ['the number of its GPUs', ['nvidia0', 'nvidia7', 'nvidiactl', 'nvidia-uvm', 'nvidia-caps'], '2'],
    ['one GPU, where none can be counted', ['null'], '1'],
  ] as const) {
    it(`gives the job ${what}`, async () => {
      const { remote } = scene();
      const HOST_DEV = join(remote, 'dev');
      mkdirSync(HOST_DEV);
      devices.forEach((name) => {
        writeFileSync(join(HOST_DEV, name), '');
      });
      const job = scene().with({ ssh: shellMachine(remote, { HOST_DEV }) });
      const order = jobOrder('echo "$GPU_RENTAL_GPUS"');
      await job.begin(order);
      await job.sync(order, undefined);
      await job.start(order);
      const { log } = await scene().ended(jobId);
      assert.equal(log.piece.toString(), `${count}\n`);
    });
  }

  it('is noted with that of its script, so that both are known however late someone looks', async () => {
    await scene().run(jobOrder('sleep 1', { setup: 'sleep 2', setupKey: 'ab' }));
    const { ago, beat } = await scene().ended(jobId);
    const { work = 0, script = 0, end = -1 } = ago ?? {};
    assert.ok(work - script >= 2 && script - end >= 1 && end >= 0, JSON.stringify(ago));
    assert.ok(work < 60 && beat, 'none of them is old');
  });

  it('gives a further attempt the files of the one before it, and the first attempt none', async () => {
    const { run, ended, job } = scene();
    const check = async (id: string) => (await job.check(id, 0, 1000)).log.piece.toString();
    const script = 'echo "from <$GPU_RENTAL_RESUME>"; cat "$GPU_RENTAL_RESUME/last" || echo 5 >last';
    const [first, second] = [`${jobId}01`, `${jobId}02`];
    await run(jobOrder(script, { id: first }));
    await ended(first);
    assert.match(await check(first), /^from <>\n/);
    await run(jobOrder(script, { id: second, previous: first, attempt: 2 }));
    await ended(second);
    assert.equal(await check(second), `from <${scene().file(first, 'src')}>\n5\n`);
  });

  it('has nothing to do with the timers of the machine', async () => {
    const order = await prepared('sleep 3');
    await scene().job.start(order);
    await until('its process', () => processesOf(jobId).length > 0);
    assert.equal(await disarmTimer(shellMachine(scene().remote), 'gpu-7', 7), true);
    assert.equal(await code(), 0);
  });

  it('needs the folder and the files, and names the missing one', async () => {
    const order = jobOrder('true');
    await assert.rejects(scene().job.start(order), /folder of the job is gone/);
    await scene().job.begin(order);
    await assert.rejects(scene().job.start(order), /files of the job are not on the instance/);
    await assert.rejects(scene().job.begin({ ...order, id: '../x' }), /Not hexadecimal/);
  });

  it('keeps a job that runs from being removed', async () => {
    const order = await prepared('sleep 100');
    await scene().job.start(order);
    await assert.rejects(scene().job.remove(jobId), /still runs/);
    assert.ok(existsSync(scene().file(jobId, 'pid')));
  });

  it('has an end where its runner was gone before it wrote how far it is', async () => {
    await prepared();
    // As where the container is stopped right after the runner wrote its number.
    writeFileSync(scene().file(jobId, 'phase'), `${'reserved'.padEnd(63)}\n`);
    writeFileSync(scene().file(jobId, 'pid'), '2147483646 1 1 token 0\n');
    const check = await scene().job.check(jobId, 0, 100);
    assert.deepEqual([check.end?.why, check.end?.code, check.pidAlive], ['interrupted', undefined, false]);
  });
});
