import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { guideBlocks } from '../../support/guideBlocks';
import { useFolder } from '../../support/useFolder';

const run = promisify(execFile);

describe('the lines of the guide for machines with several GPUs', () => {
  let folder = '';
  useFolder((made) => void (folder = made));

  it('give each task a GPU that no other task holds', async () => {
    mkdirSync(path.join(folder, 'bin'));
    const script = '#!/bin/sh\nprintf "GPU 0\\nGPU 1\\n"\n';
    writeFileSync(path.join(folder, 'bin', 'nvidia-smi'), script, { mode: 0o755 });
    const [, lines = ''] = guideBlocks('GNU parallel');
    assert.match(lines, /CUDA_VISIBLE_DEVICES/);
    const before = lines.replaceAll('/tmp/gpu-rental-gpu-', `${folder}/lock-`);
    // Both hold their GPU until the other has one: with the same GPU for both, neither would end.
    const task = `${before}\n: >${folder}/has-$CUDA_VISIBLE_DEVICES; until [ -e ${folder}/has-0 ] && [ -e ${folder}/has-1 ]; do :; done; echo $CUDA_VISIBLE_DEVICES`;
    const env = { ...process.env, PATH: `${path.join(folder, 'bin')}:${process.env['PATH'] ?? ''}` };
    const ends = await Promise.all([1, 2].map(() => run('sh', ['-c', task], { env, timeout: 20_000 })));
    assert.deepEqual(ends.map(({ stdout }) => stdout.trim()).sort(), ['0', '1']);
  });
});
