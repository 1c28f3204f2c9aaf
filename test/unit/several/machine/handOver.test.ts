import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { engineCommands } from '../../../../src/several/machine/handOver';
import { shellKindOf, shellPathFor } from '../../../../src/ssh/shellKind';

const run = promisify(execFile);

describe('the commands for other tools', () => {
  const of = (hasSeveralGpus: boolean, sshOptions: readonly string[] = []) =>
    engineCommands('parallel', { sshOptions, group: 'sweep', hasSeveralGpus }, 'posix')[0]?.line ?? '';

  it('retry a task elsewhere, and go on where they ended', () => {
    assert.match(of(false), /--retries 3 .*--joblog jobs\.tsv --resume-failed/);
    assert.doesNotMatch(of(false), /CUDA_VISIBLE_DEVICES/);
  });

  it('quote the file that ssh is given', () => {
    assert.match(of(false, ['-F', "/home/José's/config"]), /--ssh 'ssh -F .*José/);
  });

  it('are for the shell of Windows, or none where a tool has no use for that', () => {
    const sshOptions = ['-F', "C:\\Users\\José\\it's"];
    const handOver = { sshOptions, group: 'sweep', hasSeveralGpus: false };
    const linesOf = (engine: 'hosts' | 'ansible' | 'parallel' | 'clush') =>
      engineCommands(engine, handOver, 'powershell').map(({ line }) => line);
    assert.deepEqual(linesOf('hosts'), [
      "Get-Content hosts.txt | ForEach-Object { ssh -F 'C:\\Users\\José\\it''s' -n $_ 'nvidia-smi -L' }",
    ]);
    assert.deepEqual([linesOf('ansible'), linesOf('parallel'), linesOf('clush')], [[], [], []]);
    for (const [shell, kind] of [
      ['C:\\Windows\\System32\\WindowsPowerShell\\v1.0\\powershell.exe', 'powershell'],
      ['C:\\WINDOWS\\System32\\cmd.exe', 'powershell'],
      ['C:\\WINDOWS\\System32\\bash.exe', 'powershell'],
      ['C:\\Program Files\\Git\\bin\\bash.exe', 'posix'],
    ] as const) {
      assert.equal(shellKindOf(shell, 'win32'), kind, shell);
    }
    assert.equal(shellKindOf('/usr/bin/fish', 'darwin'), 'posix');
  });

  it('are run by sh where the shell of terminals reads other lines', () => {
    for (const shell of [
      '/opt/homebrew/bin/nu',
      '/usr/local/bin/pwsh',
      '/usr/bin/pwsh-preview',
      '/bin/tcsh',
    ]) {
      assert.equal(shellPathFor('posix', shell), '/bin/sh', shell);
    }
    for (const shell of [
      '',
      '/bin/bash',
      '/bin/zsh',
      '/usr/bin/fish',
      'C:\\Program Files\\Git\\bin\\bash.exe',
    ]) {
      assert.equal(shellPathFor('posix', shell), undefined, shell);
    }
    assert.equal(shellPathFor('powershell', 'C:\\WINDOWS\\System32\\cmd.exe'), 'powershell.exe');
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
