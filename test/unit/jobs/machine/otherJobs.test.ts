import assert from 'node:assert/strict';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { listStoppedJobs } from '../../../../src/jobs/machine/otherJobs';
import type { OpenDaemon } from '../../../../src/ssh/rsync/daemonCopy';
import { runProgram } from '../../../../src/ssh/run';
import { TransferError } from '../../../../src/ssh/transfer';
import { useJobs } from '../../../support/jobScene';

describe('The jobs that a stopped machine has', () => {
  const scene = useJobs();
  const idOf = (letter: string, attempt = 1) => `${'feed'.repeat(3)}000${letter}0${attempt}`;

  /** A daemon of this computer that has the home folder of the machine. */
  const open: OpenDaemon = (options) => {
    const { remote } = scene();
    const config = join(remote, '..', 'rsyncd.conf');
    const asRoot = process.getuid?.() === 0 ? ['uid = 0', 'gid = 0'] : [];
    const lines = ['use chroot = no', 'log file = /dev/null', ...asRoot, '[C.1]', `path = ${remote}`, ''];
    writeFileSync(config, lines.join('\n'));
    return runProgram('rsync', ['--server', '--daemon', `--config=${config}`, '.'], options);
  };
  const there = (folder = '/.gpu-rental/jobs') => listStoppedJobs(open, { module: 'C.1', folder });

  function put(id: string, notes: Readonly<Record<string, string>>): void {
    const folder = join(scene().remote, '.gpu-rental', 'jobs', id);
    mkdirSync(join(folder, 'lock', 'started'), { recursive: true });
    mkdirSync(join(folder, 'src', 'lock', 'started'), { recursive: true });
    for (const [name, content] of Object.entries(notes)) {
      writeFileSync(join(folder, name), content);
    }
  }
  const file = '//81a4 5 1700000000 ./outputs/x\n';
  const spec = (id: string, name: string) => `{"id":"${id}","name":"${name}","attempt":1}\n`;

  it('are the same that it names once it is started', async () => {
    put(idOf('a'), {
      spec: spec(idOf('a'), 'train LR=0.1'),
      phase: 'ended',
      'outputs.list': `${file}//end\n`,
    });
    put(idOf('b'), { spec: spec(idOf('b'), 'cut off'), phase: 'running' });
    put(idOf('c'), { phase: 'ended', 'outputs.list': `${file}//end\n`, fetched: 'ab' });
    const folders = '//41c0 5 1700000000 ./outputs\n';
    put(idOf('d'), { phase: 'ended', 'outputs.list': `${folders}//hashed\n//end\n` });
    put(idOf('e'), { phase: 'waiting' });
    put(idOf('f'), { phase: 'ended', 'outputs.list': file.repeat(5000) });
    put(idOf('9', 1), { phase: 'ended', 'outputs.list': `${file}//end\n` });
    put(idOf('9', 2), { phase: 'ended', 'outputs.list': `${file}//end\n`, fetched: 'ab' });
    const hostile = "x'; touch y\njob aa";
    put(hostile, { phase: 'ended' });
    mkdirSync(join(scene().remote, '.gpu-rental', 'jobs', idOf('8')));
    const jobs = await there();
    assert.deepEqual(
      jobs.map(({ id, name, isAtWork }) => [id.slice(15), name.slice(0, 12), isAtWork]),
      [
        ['a01', 'train LR=0.1', false],
        ['b01', 'cut off', false],
        ['f01', 'feedfeedfeed', false],
      ],
    );
    assert.deepEqual(await scene().job.jobsThere(), jobs);
    rmSync(join(scene().remote, '.gpu-rental', 'jobs', hostile), { recursive: true });
  });

  it('are not taken for none where the host can’t list them', async () => {
    await assert.rejects(there('/elsewhere'), TransferError);
  });
});
