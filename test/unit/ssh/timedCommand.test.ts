import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { runProgram } from '../../../src/ssh/run';
import { runTimed } from '../../../src/ssh/timedCommand';
import { systemClock } from '../../../src/util/clock';
import { placeOf } from '../../support/machinePrograms';
import { until } from '../../support/until';
import { useFolder } from '../../support/useFolder';

describe('A command that has its time', () => {
  let home = '';
  useFolder((made) => void (home = made));

  /** What the connection starts goes on there once the connection has ended, as with a real server. */
  const machine = (programs = ['sh', 'sleep', 'timeout']) => {
    const bin = path.join(home, 'bin');
    mkdirSync(bin);
    symlinkSync('/bin/true', path.join(bin, 'true'));
    programs.forEach((program) => {
      symlinkSync(placeOf(program), path.join(bin, program));
    });
    const ssh = {
      exec: (_: string, script: string, options: object) =>
        runProgram('/bin/sh', ['-c', script], {
          ...options,
          env: { HOME: home, PATH: bin, CONTAINER_API_KEY: 'secret' },
        }),
    };
    return { ssh, clock: systemClock };
  };
  const file = (name: string) => path.join(home, name);
  const pid = () => Number(readFileSync(file('pid'), 'utf8'));
  const lives = () => existsSync(`/proc/${pid()}/exe`);
  const long = () => `sleep 1000 & echo $! >'${file('pid')}'; echo begun; wait`;

  it('finds what the login shell of the image knows, and gets neither its greeting nor our key', async () => {
    writeFileSync(file('.profile'), `PATH="$HOME/image:$PATH"\necho Welcome\nread -r eaten\n`);
    mkdirSync(file('image'));
    writeFileSync(file('image/trainer'), '#!/bin/sh\necho "trained $1"\n', { mode: 0o755 });
    const command = 'trainer twice; echo "${CONTAINER_API_KEY-none}"; exit 3';
    const result = await runTimed(machine(), 'gpu-1', command, { timeoutMs: 30_000 });
    assert.deepEqual([result.stdout, result.code], ['trained twice\nnone\n', 3]);
  });

  it('is ended on the machine once that is over, with what it has started', async () => {
    const { stdout, trouble } = await runTimed(machine(), 'gpu-1', long(), { timeoutMs: 1000 });
    assert.deepEqual([stdout, trouble], ['begun\n', 'ended']);
    await until('its end', () => !lives());
  });

  it('may keep running if the machine can’t end it, and that is reported', async () => {
    const { trouble } = await runTimed(machine(['sh', 'sleep']), 'gpu-1', long(), {
      timeoutMs: 500,
    });
    assert.equal(trouble, 'mayRun');
    process.kill(pid());
  });

  it('may have run if the connection failed, and that is reported', async () => {
    const result = await runTimed(machine(), 'gpu-1', 'exit 255', { timeoutMs: 30_000 });
    assert.deepEqual([result.code, result.trouble], [255, 'cut']);
  });

  it('is not reported as timed out if the command itself ends with such a code', async () => {
    const result = await runTimed(machine(), 'gpu-1', `exit 124`, { timeoutMs: 30_000 });
    assert.deepEqual([result.code, result.trouble], [124, undefined]);
  });
});
