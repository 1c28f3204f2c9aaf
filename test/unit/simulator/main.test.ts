import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { createServer, type AddressInfo } from 'node:net';
import path from 'node:path';
import { bundled } from '../../support/bundled';

const entry = path.join(__dirname, '../../../src/simulator/main.ts');

interface Run {
  readonly child: ChildProcess;
  readonly out: () => string;
  readonly ended: Promise<number | null>;
  /** Resolves with the line that begins so. */
  line(start: string): Promise<string>;
}

function run(args: readonly string[], environment: Record<string, string> = {}): Run {
  const child = spawn(process.execPath, [bundled(entry), ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...environment },
  });
  let out = '';
  const collect = (part: Buffer) => (out += part.toString('utf8'));
  child.stdout.on('data', collect);
  child.stderr.on('data', collect);
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  return {
    child,
    out: () => out,
    ended,
    line: (start) =>
      new Promise((resolve, reject) => {
        const check = () => {
          const found = out.split('\n').find((each) => each.startsWith(start));
          if (found !== undefined && out.includes(`${found}\n`)) {
            resolve(found.slice(start.length));
          }
        };
        child.stdout.on('data', check);
        void ended.then(() => reject(new Error(`Ended without "${start}": ${out}`)));
      }),
  };
}

describe('The simulator by itself', () => {
  it('prints where it listens once it answers, makes up a key, and ends on request', async () => {
    const simulator = run(['--port', '0', '--no-ssh']);
    const url = await simulator.line('listening ');
    assert.match(url, /^http:\/\/127\.0\.0\.1:\d+$/);
    const key = /^API key (\S+)$/m.exec(simulator.out())?.[1] ?? '';
    const answer = await fetch(`${url}/api/v0/users/current/`, {
      headers: { authorization: `Bearer ${key}` },
    });
    assert.equal(answer.status, 200);
    simulator.child.kill('SIGTERM');
    assert.equal(await simulator.ended, 0);
  });

  it('reads its key from the environment without printing it, and ends when it is unused', async () => {
    const simulator = run(['--port', '0', '--no-ssh', '--idle-exit', '1'], {
      SIMULATOR_API_KEY: 'from-outside',
    });
    const url = await simulator.line('listening ');
    const answer = await fetch(`${url}/api/v0/users/current/`, {
      headers: { authorization: 'Bearer from-outside' },
    });
    assert.equal(answer.status, 200);
    await answer.text();
    assert.equal(await simulator.ended, 0);
    assert.doesNotMatch(simulator.out(), /from-outside/);
  });

  it('shows its help, and names options that it does not understand', async () => {
    const help = run(['--help']);
    assert.equal(await help.ended, 0);
    assert.match(help.out(), /--idle-exit SECONDS/);
    const wrong = run(['--sped', '5']);
    assert.equal(await wrong.ended, 2);
    assert.match(wrong.out(), /^Unknown option --sped\.\n$/);
  });

  it('reports that its port is in use', async () => {
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const simulator = run(['--port', String((other.address() as AddressInfo).port), '--no-ssh']);
    assert.equal(await simulator.ended, 1);
    assert.match(simulator.out(), /EADDRINUSE/);
    other.close();
  });
});
