import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import type { GpuReading } from '../../../src/model/instances/gpuReading';
import { followGpus } from '../../../src/ssh/gpuUse';
import gpuUseScript from '../../../src/ssh/gpuUse.sh';
import { runProgram, type RunOptions } from '../../../src/ssh/run';
import { CancelledError } from '../../../src/util/errors';
import { FakeClock } from '../../support/fakeClock';
import { ProofMachine } from '../../support/proofMachine';
import { until } from '../../support/until';

const figures = (percent: number) => `0, ${percent}, 100, 24564, 61, 310.42, 450.00\n`;

describe('Each GPU of a machine, followed', () => {
  const clock = new FakeClock();
  let stop: AbortController;
  let readings: GpuReading[];
  beforeEach(() => {
    stop = new AbortController();
    readings = [];
  });

  /** A machine that prints what the test gives it. */
  function printing() {
    let print: (piece: string) => void = () => undefined;
    let options: RunOptions = {};
    const followed = followGpus(
      {
        exec: (_alias, _script, given = {}) => {
          options = given;
          print = (piece) => given.onStdout?.(piece);
          return new Promise((_resolve, reject) => {
            given.signal?.addEventListener('abort', () => reject(new CancelledError()));
          });
        },
      },
      'gpu-7',
      { clock, signal: stop.signal, onReading: (reading) => readings.push(reading) },
    );
    followed.catch(() => undefined);
    return {
      followed,
      print: (piece: string) => print(piece),
      isEnded: () => options.signal?.aborted === true,
    };
  }

  it('are read whole, however the lines arrive', async () => {
    const { followed, print } = printing();
    print('a greeting\n0, 10, 1');
    print('00, 24564, 61, 310.42, 450.00\n');
    assert.equal(readings.length, 0);
    print('.');
    print('\n0, 20');
    assert.deepEqual(
      readings.map(({ gpus }) => gpus[0]?.percent),
      [10],
    );
    await clock.advance(5_000);
    print(', 100, 24564, 61, 310.42, 450.00\r\n.\r\n');
    assert.equal(readings[1]?.gpus[0]?.percent, 20);
    stop.abort();
    await assert.rejects(followed, CancelledError);
  });

  it('cost a machine that prints too fast or too much its login', async () => {
    const { print, isEnded, followed } = printing();
    for (let index = 0; index < 100; index += 1) {
      print(`${figures(index)}.\n`);
    }
    assert.equal(readings.length, 1);
    assert.equal(isEnded(), false);
    print('x'.repeat(40_000));
    assert.equal(isEnded(), true);
    await assert.rejects(followed, /did not report its GPUs/);
  });

  it('are given up where a machine falls silent, and reported', async () => {
    const { print, isEnded, followed } = printing();
    print(`${figures(1)}.\n`);
    await clock.advance(40_000);
    print(`${figures(2)}.\n`);
    await clock.advance(40_000);
    assert.equal(isEnded(), false);
    print('no figures\n.\n');
    await clock.advance(6_000);
    assert.equal(isEnded(), true);
    await assert.rejects(followed, /did not report its GPUs/);
  });

  it('are read by a script that shellcheck has no objection to', () => {
    const { status, stdout } = spawnSync('shellcheck', ['--shell=sh', '-'], { input: gpuUseScript });
    assert.equal(status, 0, String(stdout));
  });

  for (const shell of ['dash', 'bash', 'busybox'] as const) {
    describe(`in ${shell}`, () => {
      let machine: ProofMachine;
      beforeEach(() => {
        machine = new ProofMachine(shell);
        if (shell === 'busybox') {
          machine.onBusyBox();
        }
      });
      afterEach(() => machine.dispose());
      const follow = () =>
        followGpus(
          {
            exec: (_, script, options) => {
              const { command } = machine;
              return runProgram(command, ['-c', script], { ...options, env: machine.env });
            },
          },
          'gpu-7',
          { clock, signal: stop.signal, onReading: (reading) => readings.push(reading) },
        );
      const processes = () =>
        spawnSync('sh', ['-c', `grep -ls -- "HOME=${machine.home}" /proc/[0-9]*/environ`], {
          encoding: 'utf8',
        }).stdout.trim();

      it('are printed until the login ends, and nothing is left then', async () => {
        machine.nvidiaSmi({ rows: [figures(43).trim()] });
        const followed = follow();
        followed.catch(() => undefined);
        await until('a reading', () => readings.length > 0, { everyMs: 20 });
        assert.equal(readings[0]?.gpus[0]?.percent, 43);
        stop.abort();
        await assert.rejects(followed, CancelledError);
        await until('the machine is at rest', () => processes() === '', { everyMs: 20, timeoutMs: 3_000 });
      });

      it('end with a program that hangs', async () => {
        machine.tool('nvidia-smi', 'exec sleep 1000');
        const followed = follow();
        followed.catch(() => undefined);
        await until('the program runs', () => processes().includes('\n'), { everyMs: 20 });
        stop.abort();
        await assert.rejects(followed, CancelledError);
        await until('the machine is at rest', () => processes() === '', { everyMs: 20, timeoutMs: 3_000 });
      });

      it('are reported as missing, with the words of the program', async () => {
        machine.tool('nvidia-smi', 'echo "No devices were found" >&2', 'exit 6');
        await assert.rejects(follow(), /did not report its GPUs: No devices were found/);
        await until('the machine is at rest', () => processes() === '', { everyMs: 20 });
      });
    });
  }
});
