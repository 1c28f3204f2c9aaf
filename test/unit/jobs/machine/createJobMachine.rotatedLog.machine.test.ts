import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { jobId, jobOrder, shellMachine, useJobs } from '../../../support/jobScene';
import { until } from '../../../support/until';

const logBytes = 50_000;

describe('The log of a job, read while it is rotated', () => {
  const scene = useJobs();

  /** A job whose log is rotated once the file `go` is in the home folder; 45 kB are in it before, 60 kB after. */
  const begin = async () => {
    const { job, remote } = scene();
    const order = jobOrder(
      [
        'head -c 45000 /dev/zero | tr "\\000" a',
        'until [ -e "$HOME/go" ]; do sleep 0.1; done',
        'head -c 15000 /dev/zero | tr "\\000" b',
        `until [ -e "$HOME/.gpu-rental/jobs/${jobId}/log.1" ]; do sleep 0.1; done`,
        'sleep 2',
        'echo last',
      ].join('\n'),
    );
    await job.begin(order);
    await job.sync(order, undefined);
    await scene().with({ logBytes }).start(order);
    await until('the first bytes', () => statSync(scene().file(jobId, 'log')).size === 45_000);
    return { log1: scene().file(jobId, 'log.1'), go: join(remote, 'go') };
  };

  /** Looks with a program of the machine that waits for the end of a rotation before it reads. */
  const checkAcross = async (program: string, offset: number) => {
    const { log1, go } = await begin();
    const folder = join(scene().remote, 'slow');
    mkdirSync(folder);
    const base = scene().file(jobId, 'log.base');
    const script = `: >"${go}"; until [ -e "${log1}" ] && ! grep -Eq '^0|rotates' "${base}"; do sleep 0.1; done; exec /usr/bin/${program} "$@"`;
    writeFileSync(join(folder, program), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
    const ssh = shellMachine(scene().remote, { PATH: `${folder}:${process.env['PATH'] ?? ''}` });
    const { log } = await scene().with({ ssh }).check(jobId, offset, 20_000);
    assert.ok(existsSync(log1));
    return log;
  };

  it('has all its bytes where it is cut before they are read', async () => {
    const log = await checkAcross('tail', 40_000);
    assert.deepEqual([log.offset, log.piece.length], [60_000, 20_000]);
    assert.equal(log.piece.toString('latin1'), `${'a'.repeat(5_000)}${'b'.repeat(15_000)}`);
  });

  it('never loses ground if it is cut before it is measured', async () => {
    const log = await checkAcross('wc', 45_000);
    assert.deepEqual([log.offset, log.piece.length], [60_000, 15_000]);
  });

  it('is whole where the job ends in between, because its end waits for the rotation', async () => {
    const { job, remote } = scene();
    const folder = join(remote, 'slow');
    mkdirSync(folder);
    const [moves, over, late] = ['moves', 'over', 'late'].map((name) => join(remote, name));
    // Moves the log once the script is over, and long enough after it for an end that does not wait.
    const script = [
      'case "$*" in *log.1.new*)',
      `  : >"${moves}"; until [ -e "${over}" ]; do sleep 0.1; done; sleep 2`,
      `  ! grep -q ended phase || : >"${late}" ;;`,
      'esac',
      'exec /bin/mv "$@"',
    ].join('\n');
    writeFileSync(join(folder, 'mv'), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
    const ssh = shellMachine(remote, { PATH: `${folder}:${process.env['PATH'] ?? ''}` });
    const order = jobOrder(
      [
        'head -c 60000 /dev/zero | tr "\\000" a',
        'until [ -e "$HOME/moves" ]; do sleep 0.1; done',
        ': >"$HOME/over"',
      ].join('\n'),
    );
    await job.begin(order);
    await job.sync(order, undefined);
    await scene().with({ ssh, logBytes }).start(order);
    const { end } = await scene().ended(jobId);
    assert.deepEqual([end?.code, end?.why, existsSync(late ?? '')], [0, 'itself', false]);
    assert.equal(readFileSync(scene().file(jobId, 'log.base'), 'utf8').trim(), '60000');
    const { log } = await job.check(jobId, 0, 100_000);
    assert.deepEqual([log.offset, log.piece.length], [60_000, 60_000]);
    const rest = await job.check(jobId, 60_000, 100_000);
    assert.deepEqual([rest.log.offset, rest.log.piece.length], [60_000, 0], 'and once');
  });
});
