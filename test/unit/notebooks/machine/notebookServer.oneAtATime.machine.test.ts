import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { installMs, startServer } from '../../../../src/notebooks/machine/notebookServer';
import { runProgram } from '../../../../src/ssh/run';
import { placeOf } from '../../../support/machinePrograms';
import { useFolder } from '../../../support/useFolder';

const minuteMs = 60_000;

describe('Two windows that set up Jupyter on one machine', () => {
  let root = '';
  let own: string;
  useFolder((made) => void (root = made));
  beforeEach(() => {
    own = path.join(root, '.gpu-rental', 'jupyter');
    mkdirSync(path.join(own, 'run'), { recursive: true });
  });

  /** A machine whose pauses are short; a real shell runs the script. Its Python starts no server, which takes a turn. */
  const machine = (...more: readonly string[]) => {
    const bin = path.join(root, 'bin');
    mkdirSync(bin, { recursive: true });
    for (const tool of [
      'sh',
      'mkdir',
      'chmod',
      'cat',
      'find',
      'rmdir',
      'rm',
      'sed',
      'grep',
      'tr',
      'tail',
      ...more,
    ]) {
      if (!existsSync(path.join(bin, tool))) {
        symlinkSync(placeOf(tool), path.join(bin, tool));
      }
    }
    writeFileSync(path.join(bin, 'sleep'), '#!/bin/sh\n', { mode: 0o755 });
    const venv = path.join(root, '.gpu-rental', 'venv', 'bin');
    mkdirSync(venv, { recursive: true });
    writeFileSync(path.join(venv, 'python'), '#!/bin/sh\necho jupyter_server\n', { mode: 0o755 });
    return {
      exec: (_: string, script: string, options: object = {}) =>
        runProgram('/bin/sh', ['-c', script], { ...options, env: { HOME: root, PATH: bin } }),
    };
  };
  const start = (on: ReturnType<typeof machine>) => startServer(on, 'gpu-7', 'project');
  const leftFor = (ms: number) => {
    const folder = path.join(own, 'lock');
    mkdirSync(folder, { recursive: true });
    const then = (Date.now() - ms) / 1000;
    utimesSync(folder, then, then);
  };

  it('wait for each other as long as an installation may last, if a folder is the lock', async () => {
    leftFor(installMs - minuteMs);
    await assert.rejects(start(machine()), /Another window is setting up Jupyter/);
  });

  it('do not wait for a window that was cut off for longer than that', async () => {
    leftFor(installMs + 3 * minuteMs);
    await assert.rejects(start(machine()), /The Jupyter server did not start/);
    assert.equal(existsSync(path.join(own, 'lock')), false);
  });

  it('wait for each other as long as the other one lives, if the machine has flock', async () => {
    leftFor(installMs + 3 * minuteMs);
    const hold = 'exec 9<"$1"; flock 9; echo held; exec sleep 60';
    const holder = spawn('sh', ['-c', hold, 'sh', own], { stdio: ['ignore', 'pipe', 'ignore'] });
    await new Promise((resolve) => holder.stdout.once('data', resolve));
    const ended = new Promise((resolve) => holder.once('close', resolve));
    try {
      await assert.rejects(start(machine('flock')), /Another window is setting up Jupyter/);
    } finally {
      holder.kill('SIGKILL');
      await ended;
    }
    await assert.rejects(start(machine('flock')), /The Jupyter server did not start/);
  });
});
