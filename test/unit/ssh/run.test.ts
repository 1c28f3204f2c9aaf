import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ProgramMissingError, runProgram } from '../../../src/ssh/run';
import { CancelledError } from '../../../src/util/errors';
import { bundled } from '../../support/bundled';
import { processesWith } from '../../support/processes';
import { until } from '../../support/until';

/** A program whose child keeps its pipes, as a `ProxyCommand` of ssh does; `file` gets the number of the child. */
const leaving = (file: string, then: string) => ['-c', `sleep 60 & echo $! > "${file}"; echo ready; ${then}`];

describe('A program whose child outlives it', () => {
  let folder: string;
  const file = () => join(folder, 'child');
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'gpu-run-'));
  });
  afterEach(async () => {
    process.kill(Number(readFileSync(file(), 'utf8')));
    await rm(folder, { recursive: true });
  });

  /** Waits no longer than the child lives. */
  async function inTime<T>(running: Promise<T>): Promise<T> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => {
        reject(new Error('It is waited for the child.'));
      }, 20_000);
    });
    return Promise.race([running, late]).finally(() => {
      clearTimeout(timer);
    });
  }

  it('ends when it is canceled', async () => {
    const canceled = new AbortController();
    const onStdout = () => {
      canceled.abort();
    };
    const running = runProgram('/bin/sh', leaving(file(), 'exec sleep 50'), {
      signal: canceled.signal,
      onStdout,
    });
    await assert.rejects(inTime(running), CancelledError);
  });

  it('ends when its time is up', async () => {
    const running = runProgram('/bin/sh', leaving(file(), 'exec sleep 50'), { timeoutMs: 1_000 });
    const { timedOut, stdout } = await inTime(running);
    assert.deepEqual([timedOut, stdout], [true, 'ready\n']);
  });

  it('ends when it is canceled after the program has exited', async () => {
    const canceled = new AbortController();
    const running = runProgram('/bin/sh', leaving(file(), 'exit 0'), { signal: canceled.signal });
    setTimeout(() => {
      canceled.abort();
    }, 1_000);
    await assert.rejects(inTime(running), CancelledError);
  });

  it('ends with it where the child keeps the pipe for messages alone, as a shared connection of ssh does', async () => {
    const script = `sleep 60 >/dev/null & echo $! > "${file()}"; echo done; echo said >&2; exit 3`;
    const { code, stdout, stderr, timedOut } = await inTime(runProgram('sh', ['-c', script]));
    assert.deepEqual(
      { code, stdout, stderr, timedOut },
      { code: 3, stdout: 'done\n', stderr: 'said\n', timedOut: false },
    );
  });

  it('ends when its output is read as bytes', async () => {
    const canceled = new AbortController();
    const output = async (bytes: AsyncIterable<Buffer>) => {
      for await (const piece of bytes) {
        if (piece.length > 0) {
          canceled.abort();
        }
      }
    };
    const running = runProgram('/bin/sh', leaving(file(), 'exec sleep 50'), {
      signal: canceled.signal,
      output,
    });
    await assert.rejects(inTime(running), CancelledError);
  });

  it('ends when its time is up while its output is read as bytes', async () => {
    const output = async (bytes: AsyncIterable<Buffer>) => {
      for await (const piece of bytes) {
        assert.ok(piece.length > 0);
      }
    };
    const running = runProgram('/bin/sh', leaving(file(), 'exec sleep 50'), { timeoutMs: 1_000, output });
    assert.equal((await inTime(running)).timedOut, true);
  });
});

describe('A program that ends with this process', () => {
  const script = bundled(join(__dirname, '../../support/runningProcess.ts'));
  const isThere = (pid: number) => processesWith('sleep 4242').includes(pid);

  it('is ended where this process is killed', async () => {
    const owner = spawn(process.execPath, [script, 'sleep', '4242'], { stdio: 'ignore' });
    const [pid = 0] = await until('the program', () => {
      const found = processesWith('sleep 4242').filter((one) => one !== owner.pid);
      return found.length > 0 && found;
    });
    owner.kill('SIGKILL');
    await until('its end', () => !isThere(pid));
  });

  it('is the program itself otherwise, and leaves no other one behind', async () => {
    const output = await runProgram('sh', ['-c', 'echo $$; echo "$0" "$@" >&2; exit 3', 'a b', "it's"], {
      endsWithUs: true,
    });
    assert.deepEqual([output.code, output.stderr], [3, "a b it's\n"]);
    await until(
      'the end of the one beside it',
      () => processesWith(`sh ${output.stdout.trim()}`).length === 0,
    );
    const stop = new AbortController();
    const running = runProgram('sh', ['-c', 'echo ready; exec sleep 4243'], {
      endsWithUs: true,
      signal: stop.signal,
      onStdout: () => {
        stop.abort();
      },
    });
    await assert.rejects(running, CancelledError);
    await until('its end', () => processesWith('sleep 4243').length === 0);
    await assert.rejects(runProgram('no-such-program', [], { endsWithUs: true }), ProgramMissingError);
  });
});

describe('An output that is longer than what is kept', () => {
  const long = ['-c', 'seq 1 300000; seq 1 300000 >&2'];

  it('has its end on request, and states that the beginning is missing', async () => {
    const { stdout, stderr, isCut } = await runProgram('/bin/sh', long, { keepsEnd: true });
    for (const text of [stdout, stderr]) {
      assert.equal(text.length, 1_000_000);
      assert.match(text, /\n299999\n300000\n$/);
    }
    assert.equal(isCut, true);
    assert.equal((await runProgram('/bin/sh', ['-c', 'echo short'], { keepsEnd: true })).isCut, false);
  });

  it('has its beginning otherwise, with which our own scripts greet', async () => {
    const { stdout } = await runProgram('/bin/sh', long);
    assert.match(stdout, /^1\n2\n/);
  });
});
