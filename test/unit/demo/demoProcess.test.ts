import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import { request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { hostname, tmpdir } from 'node:os';
import path from 'node:path';
import { greet } from '../../../src/demo/demoGreeting';
import { DemoProcess } from '../../../src/demo/demoProcess';
import { startSimulator, type RunningSimulator } from '../../../src/simulator/server';
import { systemClock, type Clock } from '../../../src/util/clock';
import { fileLock, thisProcess } from '../../../src/util/fileLock';
import { silentLog } from '../../../src/util/log';
import { bundled } from '../../support/bundled';
import { FakeClock } from '../../support/fakeClock';
import { until } from '../../support/until';

const key = 'a-key-of-the-demo-that-nobody-else-may-see';

/** Until it has ended it writes into the folder that is removed next. */
async function end(pid: number): Promise<void> {
  process.kill(pid);
  await until('the end of the demo', () => !thisProcess.isAlive(pid), { timeoutMs: 30_000 });
}

describe('The process of the demo', () => {
  let dir: string;
  const closers: (() => unknown)[] = [];

  beforeEach(() => {
    dir = mkdtempSync(path.join(tmpdir(), 'gpu-demo-'));
  });
  afterEach(async () => {
    for (const close of closers.splice(0).reverse()) {
      await close();
    }
    rmSync(dir, { recursive: true, force: true });
  });

  const addressFile = () => path.join(dir, 'demo', 'address.json');
  const noteAddress = (port: number) => {
    mkdirSync(path.dirname(addressFile()), { recursive: true });
    writeFileSync(addressFile(), JSON.stringify({ pid: 1, port }));
  };

  const homes = () => path.join(dir, 'gpu-rental-demo');

  const lockFile = () => path.join(dir, 'demo', 'starting.lock');
  const heldBy = (pid: number) => {
    mkdirSync(path.dirname(lockFile()), { recursive: true });
    writeFileSync(lockFile(), JSON.stringify({ pid, host: hostname(), token: 'x' }));
  };

  function demo(
    script = bundled(path.join(__dirname, '../../../src/simulator/main.ts')),
    clock: Clock = systemClock,
  ): DemoProcess {
    const made = new DemoProcess({
      dir: path.dirname(addressFile()),
      lock: fileLock(lockFile(), clock),
      homesDir: homes(),
      script,
      runtime: process.execPath,
      log: silentLog,
    });
    closers.push(() => made.dispose());
    return made;
  }

  /** Ends the process that a test has let start. */
  function endsAfterwards(): number {
    const { pid, port } = JSON.parse(readFileSync(addressFile(), 'utf8')) as { pid: number; port: number };
    closers.push(() => end(pid));
    return port;
  }

  /** Some program that got hold of the port; everything that it was sent. */
  async function stranger(answer: RequestListener): Promise<{ port: number; heard: string[] }> {
    const heard: string[] = [];
    const server: Server = createServer((incoming, response) => {
      heard.push(`${incoming.method} ${incoming.url} ${JSON.stringify(incoming.rawHeaders)}`);
      incoming.on('data', (piece: Buffer) => heard.push(piece.toString()));
      answer(incoming, response);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    closers.push(() => {
      server.closeAllConnections();
      server.close();
    });
    return { port: (server.address() as AddressInfo).port, heard };
  }

  async function simulator(apiKey: string): Promise<RunningSimulator> {
    const running = await startSimulator({ apiKey, sshServer: false });
    closers.push(() => running.close());
    return running;
  }

  it('is known by what only the holder of the key can answer', async () => {
    const { port } = await simulator(key);
    assert.equal(await greet(port, key), 'demo');
    assert.equal(await greet(port, 'another-key-that-it-was-not-started-with'), 'stranger');
  });

  it('is nothing if nothing answers', async () => {
    const { port } = await simulator(key);
    await closers.pop()?.();
    assert.equal(await greet(port, key), 'nobody');
  });

  it('never sends its key to a program that has its port, for any answer of it', async () => {
    const answers: RequestListener[] = [
      (_, response) =>
        response.writeHead(200, { 'content-type': 'application/json' }).end('{"success":true}'),
      (_, response) => response.writeHead(200).end('{"proof":"0"}'),
      (_, response) => response.writeHead(200).end('null'),
      (_, response) => response.writeHead(401).end(),
      (_, response) => response.writeHead(307, { location: '/elsewhere' }).end(),
      (_, response) => response.writeHead(200).end('x'.repeat(100_000)),
      // It sends back what it was sent.
      (incoming, response) => {
        const proof = incoming.headers['x-demo-proof'];
        response.writeHead(200).end(JSON.stringify({ proof }));
      },
    ];
    for (const answer of answers) {
      const { port, heard } = await stranger(answer);
      assert.equal(await greet(port, key), 'stranger');
      assert.equal(heard.length, 1);
      assert.doesNotMatch(heard.join('\n'), new RegExp(key));
    }
  });

  it('is not taken for a program that asks the real one at another port', async () => {
    const { port: real } = await simulator(key);
    const { port } = await stranger((incoming: IncomingMessage, response) => {
      const { method, url, headers } = incoming;
      const own = { ...headers, host: `127.0.0.1:${real}` };
      request({ host: '127.0.0.1', port: real, method, path: url, headers: own }, (answer) => {
        response.writeHead(answer.statusCode ?? 500);
        answer.pipe(response);
      }).end();
    });
    assert.equal(await greet(port, key), 'stranger');
  });

  it('is started elsewhere if a stranger has its port, which never gets the key', async () => {
    const { port, heard } = await stranger((_, response) => {
      response.writeHead(200).end('{"success":true}');
    });
    noteAddress(port);
    const url = await demo().ensure(key);
    const started = endsAfterwards();
    assert.notEqual(started, port);
    assert.equal(url, `http://127.0.0.1:${started}`);
    assert.ok(heard.length > 0, 'the stranger was asked');
    assert.doesNotMatch(heard.join('\n'), new RegExp(key));
  });

  it('is waited for while another window starts it, though the clock is set forward', async () => {
    const { port } = await simulator(key);
    heldBy(process.pid);
    const now = Date.now;
    let ahead = 0;
    Date.now = () => now() + ahead;
    try {
      const url = demo().ensure(key);
      url.catch(() => undefined);
      const inHalfASecond = () =>
        Promise.race([url, new Promise((resolve) => setTimeout(resolve, 500, 'waits still'))]);
      assert.equal(await inHalfASecond(), 'waits still');
      ahead = 3_600_000;
      assert.equal(await inHalfASecond(), 'waits still');
      noteAddress(port);
      rmSync(lockFile());
      assert.equal(await url, `http://127.0.0.1:${port}`);
    } finally {
      Date.now = now;
    }
  });

  it('is started at once where the window that was starting it is gone', async () => {
    const { pid } = spawnSync(process.execPath, ['-e', '']);
    heldBy(pid);
    const url = await demo().ensure(key);
    assert.equal(url, `http://127.0.0.1:${endsAfterwards()}`);
    assert.ok(!existsSync(lockFile()));
  });

  for (const [what, content] of [
    [
      'left its number to another program',
      () => JSON.stringify({ pid: process.pid, host: hostname(), token: 'x' }),
    ],
    ['was killed before it wrote its number', () => ''],
  ] as const) {
    it(`is started by the same call where the window that was starting it ${what}`, async () => {
      mkdirSync(path.dirname(lockFile()), { recursive: true });
      writeFileSync(lockFile(), content());
      const clock = new FakeClock();
      const url = await clock.through(demo(undefined, clock).ensure(key));
      assert.equal(url, `http://127.0.0.1:${endsAfterwards()}`);
      assert.ok(clock.elapsed() >= 10_000, 'a sign of life was waited for');
    });
  }

  it('is started where another window gave up, which holds nothing any more', async () => {
    heldBy(process.pid);
    const { port, heard } = await stranger((_, response) => response.writeHead(404).end());
    noteAddress(port);
    const url = demo().ensure(key);
    await until('the window to wait', () => heard.length > 0);
    rmSync(lockFile());
    assert.equal(await url, `http://127.0.0.1:${endsAfterwards()}`);
  });

  it('explains at once why it can’t be started if this computer lets nothing be written', async () => {
    writeFileSync(path.join(dir, 'demo'), 'a file where its folder should be');
    await assert.rejects(demo().ensure(key), /could not start: EEXIST/);
  });

  it('starts from the beginning if its state is not one that it accepts', async () => {
    mkdirSync(path.dirname(addressFile()), { recursive: true });
    const name = `state-${createHash('sha256').update(key).digest('hex').slice(0, 8)}.json`;
    const state = path.join(path.dirname(addressFile()), name);
    for (const content of ['{"version":1,"instances":[]}', '{"version":1', '']) {
      writeFileSync(state, content);
      const url = await demo().ensure(key);
      const answer = await fetch(`${url}/api/v0/users/current/`, {
        headers: { authorization: `Bearer ${key}` },
      });
      assert.equal(answer.status, 200);
      const { pid } = JSON.parse(readFileSync(addressFile(), 'utf8')) as { pid: number };
      await end(pid);
    }
  });

  it('has the homes of its machines in a short folder, of which those of an earlier key go', async () => {
    const written = path.join(dir, 'arguments.json');
    const script = path.join(dir, 'script.cjs');
    writeFileSync(
      script,
      `require('node:fs').writeFileSync(${JSON.stringify(written)}, JSON.stringify(process.argv.slice(2)));
      console.log('listening http://127.0.0.1:9');`,
    );
    noteAddress(1);
    writeFileSync(path.join(dir, 'demo', 'state-deadbeef.json'), '');
    for (const folder of ['deadbeef', 'sample']) {
      mkdirSync(path.join(homes(), folder), { recursive: true });
    }
    await demo(script).ensure(key);
    const given = JSON.parse(readFileSync(written, 'utf8')) as string[];
    const digest = createHash('sha256').update(key).digest('hex').slice(0, 8);
    assert.equal(given[given.indexOf('--instances') + 1], path.join(homes(), digest));
    assert.deepEqual(readdirSync(homes()), ['sample']);
  });

  it('is found again by the next window, which starts no other', async () => {
    const url = await demo().ensure(key);
    endsAfterwards();
    assert.equal(await demo().ensure(key), url);
    const answer = await fetch(`${url}/api/v0/users/current/`, {
      headers: { authorization: `Bearer ${key}` },
    });
    assert.equal(answer.status, 200);
  });
});
