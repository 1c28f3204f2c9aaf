import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { engineCommands } from '../../../src/ssh/engines/handOver';

const run = promisify(execFile);

describe('the commands for other tools', () => {
  const of = (hasSeveralGpus: boolean, sshOptions: readonly string[] = []) =>
    engineCommands('parallel', { sshOptions, group: 'sweep', hasSeveralGpus })[0]?.line ?? '';

  it('retry a task elsewhere, and go on where they ended', () => {
    assert.match(of(false), /--retries 3 .*--joblog jobs\.tsv --resume-failed/);
    assert.doesNotMatch(of(false), /CUDA_VISIBLE_DEVICES/);
  });

  it('quote the file that ssh is given', () => {
    assert.match(of(false, ['-F', "/home/José's/config"]), /--ssh 'ssh -F .*José/);
  });

  it('give each task of a machine with several GPUs one that no other task holds', async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'gpu-lock-'));
    mkdirSync(path.join(folder, 'bin'));
    writeFileSync(path.join(folder, 'bin', 'nvidia-smi'), '#!/bin/sh\nprintf "GPU 0\\nGPU 1\\n"\n');
    chmodSync(path.join(folder, 'bin', 'nvidia-smi'), 0o755);
    const [, before = ''] = /'(i=0.*?) cd \/workspace/.exec(of(true)) ?? [];
    const script = before.replaceAll('/tmp/gpu-rental-gpu-', `${folder}/lock-`);
    // Both hold their GPU until the other has one: with the same GPU for both, neither would end.
    const task = `${script} : >${folder}/has-$CUDA_VISIBLE_DEVICES; until [ -e ${folder}/has-0 ] && [ -e ${folder}/has-1 ]; do :; done; echo $CUDA_VISIBLE_DEVICES`;
    const env = { ...process.env, PATH: `${path.join(folder, 'bin')}:${process.env['PATH'] ?? ''}` };
    const ends = await Promise.all([1, 2].map(() => run('sh', ['-c', task], { env, timeout: 20_000 })));
    rmSync(folder, { recursive: true });
    assert.deepEqual(ends.map(({ stdout }) => stdout.trim()).sort(), ['0', '1']);
  });
});
