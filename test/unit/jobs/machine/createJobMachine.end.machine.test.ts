import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import type { JobOrder } from '../../../../src/jobs/model/onMachine';
import { filesBelow, jobId, jobOrder, processesOf, shellMachine, useJobs } from '../../../support/jobScene';
import { processesWith } from '../../../support/processes';
import { until } from '../../../support/until';

/** A small disk of its own takes the right to mount one. */
const canMount =
  spawnSync('sh', ['-c', 'd=$(mktemp -d) && mount -t tmpfs tmpfs "$d" && umount "$d" && rmdir "$d"'])
    .status === 0;

describe('The end of a job on its machine', () => {
  const scene = useJobs();
  const run = async (script: readonly string[], more: Partial<JobOrder> = {}) => {
    const order = jobOrder(script.join('\n'), more);
    await scene().run(order);
    return order;
  };
  const ended = async () => {
    const { end, log } = await scene().ended(jobId);
    assert.deepEqual(processesOf(jobId), [], 'nothing of it is left');
    return { code: end?.code, why: end?.why, log: log.piece.toString('latin1') };
  };
  /** Once the script has printed the word. */
  const said = (word: string) =>
    until(`${word} in the log`, async () =>
      (await scene().job.check(jobId, 0, 1000)).log.piece.includes(word),
    );

  it('is by itself with the code of its own process, never of a pipe', async () => {
    await run(['echo begin', 'false | cat', 'echo never']);
    assert.deepEqual(await ended(), { code: 1, why: 'itself', log: 'begin\n' });
  });

  it('happens at the limit, and a handler that saves first has its own code', async () => {
    await run(["trap 'echo saved; exit 9' TERM", 'echo up', 'while :; do sleep 0.2; done'], {
      limitSeconds: 1,
      // The limit counts from the end of the set-up, so that a slow login takes nothing of it.
      setup: 'true',
      setupKey: 'ab',
    });
    const { code, why, log } = await ended();
    assert.deepEqual([code, why], [9, 'limit']);
    assert.match(log, /^up\n[^]*saved\n$/);
  });

  it('is asked for once, and what a handler starts to save is left alone', async () => {
    const detached = 'trap "echo detached asked" TERM; echo up; while :; do sleep 0.1 || :; done';
    const script = [
      // A second request ends `sleep`, and with it the script before it has saved.
      "trap 'echo asked; sleep 2; echo saved; exit 9' TERM",
      `setsid sh -c '${detached}' &`,
      'while :; do sleep 0.1 || :; done',
    ];
    await run(script, { graceSeconds: 3 });
    await said('up');
    await scene().job.cancel(jobId);
    const { code, why, log } = await ended();
    assert.deepEqual([code, why], [9, 'cancelled']);
    const words = log.split('\n').filter((line) => /^(detached )?asked$|^saved$/.test(line));
    assert.deepEqual(words.sort(), ['asked', 'detached asked', 'saved']);
  });

  it('happens later if the script was given more time, and not once the machine ends it', async () => {
    await run(['echo up', 'sleep 10', 'echo done'], { limitSeconds: 8 });
    await said('up');
    assert.equal(await scene().job.extend(jobId, 60), true);
    assert.deepEqual(await ended(), { code: 0, why: 'itself', log: 'up\ndone\n' });
  });

  it('is still the limit if more time is given after it', async () => {
    await run(['echo up', 'sleep 1000'], { limitSeconds: 1 });
    assert.equal((await ended()).why, 'limit');
    assert.equal(await scene().job.extend(jobId, 60), false);
  });

  /** A machine whose driver answers by a script. */
  const withDriver = (script: string) => {
    const { remote } = scene();
    const bin = join(remote, 'gpus');
    mkdirSync(bin, { recursive: true });
    writeFileSync(join(bin, 'nvidia-smi'), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
    return scene().with({ ssh: shellMachine(remote, { PATH: `${bin}:${process.env['PATH'] ?? ''}` }) });
  };
  /** A machine whose GPUs are used so much, in percent. */
  const withGpus = (...percents: readonly string[]) => withDriver(`printf '%s\\n' ${percents.join(' ')}`);
  const runOn = async (job: ReturnType<typeof withGpus>, script: string, more: Partial<JobOrder>) => {
    const order = jobOrder(script, more);
    await job.begin(order);
    await job.sync(order, undefined);
    await job.start(order);
  };

  it('happens if no GPU works and the log does not grow, if that was requested', async () => {
    await runOn(withGpus('0', '4'), 'echo up; sleep 1000', { idleSeconds: 2, endsIfIdle: true });
    assert.deepEqual(await ended(), { code: 143, why: 'idle', log: 'up\n' });
  });

  for (const [what, percents] of [
    ['one of the GPUs works', ['0', '50']],
    ['the use of a GPU cannot be read', ['0', '[N/A]']],
  ] as const) {
    it(`does not happen for idleness if ${what}`, async () => {
      await runOn(withGpus(...percents), 'sleep 4', { idleSeconds: 1, endsIfIdle: true });
      assert.deepEqual(await ended(), { code: 0, why: 'itself', log: '' });
    });
  }

  it('happens at the limit if the driver of the GPU hangs, which is asked once', async () => {
    const asked = join(scene().remote, 'asked');
    // Like a program that waits in the kernel, it takes no signal to end.
    const hangs = withDriver(`echo $$ >>${JSON.stringify(asked)}; trap '' TERM; exec sleep 1000`);
    try {
      await runOn(hangs, 'echo up; sleep 1000', { limitSeconds: 8, idleSeconds: 1, endsIfIdle: true });
      assert.deepEqual(await ended(), { code: 143, why: 'limit', log: 'up\n' });
      const pids = readFileSync(asked, 'utf8').trim().split('\n');
      assert.equal(pids.length, 2, 'by what watches the job, and at its end');
    } finally {
      readFileSync(asked, 'utf8')
        .trim()
        .split('\n')
        .forEach((pid) => process.kill(Number(pid), 'SIGKILL'));
    }
  });

  it('does not happen for idleness if that is only to be reported, and a log that grows is work', async () => {
    const job = withGpus('0');
    const script = 'until [ -e "$HOME/go" ]; do sleep 0.2; done; echo up; sleep 1000';
    await runOn(job, script, { idleSeconds: 2 });
    const idle = async () => (await job.check(jobId, 0, 0)).beat?.idleSeconds ?? 0;
    await until('more than twice the limit', async () => (await idle()) >= 5);
    writeFileSync(join(scene().remote, 'go'), '');
    await until('the log to count', async () => (await idle()) < 5);
    await scene().job.cancel(jobId);
    assert.equal((await ended()).why, 'cancelled');
  });

  it('does not happen for idleness during the set-up', async () => {
    const more = { setup: 'sleep 5', setupKey: 'ac', idleSeconds: 3, endsIfIdle: true } as const;
    await runOn(withGpus('0'), 'echo up', more);
    assert.deepEqual(await ended(), { code: 0, why: 'itself', log: 'up\n' });
  });

  it('is forced on what ignores the request, and on what detached itself', async () => {
    const script = [
      "trap '' TERM",
      '(setsid sleep 1000 &)',
      'setsid sleep 1000 &',
      'echo up',
      'while :; do sleep 1; done',
    ];
    await run(script, { graceSeconds: 1 });
    await said('up');
    assert.ok(processesOf(jobId).length >= 3);
    await scene().job.cancel(jobId);
    assert.deepEqual(await ended(), { code: 137, why: 'cancelled', log: 'up\n' });
  });

  it('includes a daemon that a job leaves behind', async () => {
    await run(['setsid sleep 1000 &', 'echo done']);
    assert.deepEqual(await ended(), { code: 0, why: 'itself', log: 'done\n' });
  });

  it('is that of a job that was cancelled before it started', async () => {
    const { job, workspace } = scene();
    const order = jobOrder('echo never');
    await job.begin(order);
    await job.sync(order, undefined);
    await job.cancel(jobId);
    assert.equal(await job.start(order), 'started');
    assert.deepEqual(await ended(), { code: 143, why: 'cancelled', log: '' });
    assert.deepEqual(filesBelow(workspace), []);
  });

  it('is that of the set-up if it fails, which is done once and has its own limit', async () => {
    const order = await run(['echo run'], { setup: 'echo setup; exit 4', setupKey: 'ab' });
    assert.deepEqual(await ended(), { code: 4, why: 'setup', log: 'setup\n' });
    const again = async (id: string, setup: string, setupSeconds = order.setupSeconds) => {
      const next: JobOrder = { ...order, id, setup, setupSeconds };
      await scene().run(next);
      const { end, log } = await scene().ended(id);
      return [end?.why, log.piece.toString()];
    };
    assert.deepEqual(await again('b1', 'echo slow; sleep 100', 1), ['setupLimit', 'slow\n']);
    assert.deepEqual(await again('b2', 'echo fine'), ['itself', 'fine\nrun\n']);
    assert.deepEqual(await again('b3', 'echo fine'), ['itself', 'run\n']);
  });

  it('is not mistaken for a kill if it happens during a reading', async () => {
    const { job, run, remote, ended } = scene();
    await run(jobOrder('until [ -e "$HOME/go" ]; do sleep 0.1; done'));
    await until('the job to run', async () => (await job.check(jobId, 0, 0)).phase === 'running');
    const slow = join(remote, 'slow');
    mkdirSync(slow);
    const script =
      '/usr/bin/head "$@"; case "$*" in *exit) : >"$HOME/go"; until [ -e outputs.list ]; do sleep 0.1; done; sleep 0.5 ;; esac';
    writeFileSync(join(slow, 'head'), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
    const ssh = shellMachine(remote, { PATH: `${slow}:${process.env['PATH'] ?? ''}` });
    const torn = await scene().with({ ssh }).check(jobId, 0, 0);
    assert.ok(torn.end === undefined || torn.end.code === 0, JSON.stringify(torn.end));
    assert.equal((await ended(jobId)).end?.code, 0);
  });

  it('is interrupted or killed where its runner is gone without a word', async () => {
    await run(['echo up', 'sleep 1000']);
    await said('up');
    const [runner = ''] = readFileSync(scene().file(jobId, 'pid'), 'utf8').split(' ');
    process.kill(Number(runner), 'SIGKILL');
    const check = await until('the end', async () => {
      const one = await scene().job.check(jobId, 0, 100);
      return one.end && one;
    });
    assert.deepEqual([check.end?.why, check.end?.code, check.pidAlive], ['killed', undefined, false]);
    processesOf(jobId).forEach((pid) => process.kill(pid, 'SIGKILL'));
    await until('the end of what watched it', () => processesWith(scene().remote).length === 0);
  });

  if (canMount) {
    it('has a code on a full disk, and a log that fills the disk ends the job', async () => {
      const { remote } = scene();
      const disk = join(remote, '.gpu-rental');
      mkdirSync(disk);
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=6m', 'tmpfs', disk]);
      try {
        await run(['mkdir -p outputs', 'head -c 50000000 /dev/zero >outputs/big || exit 28']);
        const full = await until('the end', async () => (await scene().job.check(jobId, 0, 1000)).end);
        assert.deepEqual([full.code, full.why], [28, 'itself']);
        await until('the end of the runner', async () => !(await scene().job.check(jobId, 0, 0)).pidAlive);
        const list = await scene().job.outputs(jobId, ['outputs/**']);
        assert.deepEqual(
          list.files.map(({ path }) => path),
          ['outputs/big'],
        );
        await scene().job.remove(jobId);
        await run(['while :; do head -c 100000 /dev/zero; sleep 0.1; done']);
        const log = await until('the end', async () => (await scene().job.check(jobId, 0, 0)).end);
        assert.equal(log.why, 'log');
        await until('the end of the runner', async () => !(await scene().job.check(jobId, 0, 0)).pidAlive);
      } finally {
        execFileSync('umount', ['-l', disk]);
      }
    });
  }

  it('leaves a log of any bytes that was rotated, whose offsets stay true', async () => {
    const { job } = scene();
    const small = scene().with({ logBytes: 50_000 });
    const order = jobOrder(
      ["printf '\\000\\377phase ended\\n'", 'head -c 60000 /dev/urandom', 'sleep 3', 'echo last'].join('\n'),
    );
    await job.begin(order);
    await job.sync(order, undefined);
    await small.start(order);
    await scene().ended(jobId);
    const pieces: Buffer[] = [];
    for (let offset = 0; ;) {
      const { log } = await job.check(jobId, offset, 20_000);
      assert.equal(log.offset - log.piece.length, offset);
      pieces.push(log.piece);
      if (log.offset === offset) {
        break;
      }
      offset = log.offset;
    }
    const whole = Buffer.concat(pieces);
    assert.equal(whole.length, 2 + 12 + 60_000 + 5);
    assert.ok(whole.subarray(0, 14).equals(Buffer.from('\x00\xffphase ended\n', 'latin1')));
    assert.ok(whole.subarray(-5).equals(Buffer.from('last\n')));
    assert.ok(existsSync(scene().file(jobId, 'log.1')));
  });

  it('leaves no secret in a file, an argument, the log or the list', async () => {
    const secret = "5ecret'value\nof two lines";
    await run(
      [
        '[ "$TOKEN" = "5ecret\'value\nof two lines" ] && [ -z "${CONTAINER_API_KEY-}" ] && [ "$A" = b ]',
        'echo up',
        'sleep 2',
      ],
      {
        secrets: { TOKEN: secret },
        env: { A: 'b' },
      },
    );
    await said('up');
    const shown = readdirSync('/proc').filter((name) => {
      try {
        return (
          /^\d+$/.test(name) && readFileSync(`/proc/${name}/cmdline`, 'latin1').includes("5ecret'value\nof")
        );
      } catch {
        return false;
      }
    });
    assert.deepEqual(shown, []);
    const holds = () =>
      filesBelow(scene().remote).filter(
        (name) =>
          readFileSync(join(scene().remote, name), 'latin1').includes('of two lines') &&
          !name.endsWith('run.sh'),
      );
    assert.deepEqual(holds(), []);
    assert.equal((await ended()).code, 0);
    assert.deepEqual(holds(), []);
    assert.equal(statSync(scene().file(jobId, 'run.sh')).mode & 0o777, 0o600);
  });

  it('is the same on a machine with few programs: no bash, setsid or sha256sum', async () => {
    const bin = join(scene().remote, 'bin');
    mkdirSync(bin);
    const few =
      'sh awk cat cp cut date df find grep head mkdir mv nohup openssl rm rmdir sed sleep stat tail tar tr wc xargs touch chmod';
    for (const tool of few.split(' ')) {
      symlinkSync(
        execFileSync('sh', ['-c', `command -v ${tool}`], { encoding: 'utf8' }).trim(),
        join(bin, tool),
      );
    }
    const job = scene().with({ ssh: shellMachine(scene().remote, { PATH: bin }) });
    const order = jobOrder(
      ["trap '' TERM", 'echo "$0"', 'mkdir -p outputs', 'echo x >outputs/x', 'sleep 1000'].join('\n'),
      {
        limitSeconds: 2,
        graceSeconds: 1,
      },
    );
    await job.begin(order);
    await job.sync(order, undefined);
    await job.start(order);
    const { code, why, log } = await ended();
    assert.deepEqual([code, why], [137, 'limit']);
    // Start-up files of the login miss a program as well.
    assert.ok(log.endsWith(`${scene().file(jobId, 'run.sh')}\n`), log);
    const list = await job.outputs(jobId, ['outputs/**']);
    assert.equal(list.files[0]?.sha256?.length, 64);
    const bare = scene().with({ ssh: shellMachine(scene().remote, { PATH: '/nowhere' }) });
    await assert.rejects(bare.begin({ ...order, id: 'c1' }), /lacks programs that a job needs: awk, cat/);
  });
});
