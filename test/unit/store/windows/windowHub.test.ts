import assert from 'node:assert/strict';
import { readdir, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { hubAddress, hubToken } from '../../../../src/store/windows/hubAddress';
import { HubMember } from '../../../../src/store/windows/hubMember';
import { addressInTerm } from '../../../../src/store/windows/hubTerms';
import { createWindowHub } from '../../../../src/store/windows/windowHub';
import { systemClock } from '../../../../src/util/clock';
import type { Disposable } from '../../../../src/util/disposable';
import { silentLog } from '../../../../src/util/log';
import { FakeClock } from '../../../support/fakeClock';
import { until } from '../../../support/until';
import { useFolder } from '../../../support/useFolder';

/** Moves time on until something has come. */
async function comes(clock: FakeClock, what: string, has: () => boolean): Promise<void> {
  await until(what, () => clock.advance(100).then(has), { everyMs: 1 });
}

async function socketFiles(dir: string): Promise<readonly string[]> {
  return (await readdir(dir)).filter((name) => name.includes('.sock'));
}

describe('the meeting place of the windows', () => {
  let dir = '';
  useFolder((made) => void (dir = made));

  it('keeps its token from other users, and gives all windows the same', async () => {
    const tokens = await Promise.all([hubToken(dir), hubToken(dir), hubToken(dir)]);
    assert.equal(new Set(tokens).size, 1);
    assert.equal((await stat(join(dir, 'windows.token'))).mode & 0o777, 0o600);
  });

  it('is short enough for a socket on a Mac, and depends on the token', () => {
    const long = `/Users/somebody/${'x'.repeat(200)}`;
    const one = hubAddress(long, 'a', 'darwin');
    assert.ok(Buffer.byteLength(one.path) <= 104);
    assert.notEqual(one.path, hubAddress(long, 'b', 'darwin').path);
  });

  it('fills an abstract name, which versions of Node.js would fill or not', () => {
    const one = hubAddress('/storage', 'a', 'linux');
    const paths = [one, addressInTerm(one, 1), addressInTerm(one, 12)].map(({ path }) => path);
    assert.deepEqual(
      paths.map((path) => Buffer.byteLength(path)),
      [108, 108, 108],
    );
    assert.equal(new Set(paths).size, 3);
    assert.doesNotMatch(paths[1] ?? '', /[^\0]\0+-1/);
  });

  it('has no leader that hung until now, even before its timers run', async () => {
    let hungMs = 0;
    const clock = { ...systemClock, elapsed: () => systemClock.elapsed() + hungMs };
    const hub = createWindowHub({ storageDir: dir, clock, log: silentLog });
    try {
      await until('it leads', () => hub.isLeader, { everyMs: 5 });
      hungMs = 60_000;
      assert.equal(hub.isLeader, false);
    } finally {
      hub.dispose();
    }
  });

  it('carries a message without data, in both directions', async () => {
    const deps = { storageDir: dir, clock: systemClock, log: silentLog };
    const windows = [createWindowHub(deps), createWindowHub(deps)];
    try {
      await until('both know each other', () => windows.some(({ peers }) => peers.size === 1));
      const heard: string[] = [];
      for (const window of windows) {
        window.on('sent', (data) => heard.push(`${window.windowId} ${String(data)}`));
        window.on('after', (data) => heard.push(`${window.windowId} ${String(data)}`));
      }
      for (const window of windows) {
        window.broadcast('sent', undefined);
        window.broadcast('after', 'more');
      }
      await until('all four messages', () => heard.length === 4);
      const received = windows.flatMap(({ windowId }) => [`${windowId} undefined`, `${windowId} more`]);
      assert.deepEqual(heard.sort(), received.sort());
    } finally {
      for (const window of windows) {
        window.dispose();
      }
    }
  });

  it('makes its socket file under the lock alone, so that no window mistakes a fresh one for a stale one', async () => {
    const address = { path: join(dir, 'hub.sock'), isFile: true };
    await writeFile(`${address.path}.lock`, 'another window');
    const clock = new FakeClock();
    const hub = createWindowHub({ storageDir: dir, clock, log: silentLog, address });
    try {
      await clock.advance(1000);
      assert.equal(hub.isLeader, false);
      assert.deepEqual(await socketFiles(dir), ['hub.sock.lock']);
      await rm(`${address.path}.lock`);
      await comes(clock, 'it leads', () => hub.isLeader);
      assert.deepEqual(await socketFiles(dir), ['hub.sock']);
    } finally {
      hub.dispose();
    }
  });

  it('breaks a lock that was left before the clock was set back', async () => {
    const address = { path: join(dir, 'hub.sock'), isFile: true };
    const lock = `${address.path}.lock`;
    await writeFile(lock, 'a window that was killed');
    const later = Date.now() / 1000 + 3600;
    await utimes(lock, later, later);
    const clock = new FakeClock();
    const hub = createWindowHub({ storageDir: dir, clock, log: silentLog, address });
    try {
      await comes(clock, 'it leads', () => hub.isLeader);
      assert.deepEqual(await socketFiles(dir), ['hub.sock']);
    } finally {
      hub.dispose();
    }
  });

  for (const [what, lose] of [
    ['was removed', (path: string) => rm(path)],
    ['was replaced', (path: string) => rm(path).then(() => writeFile(path, ''))],
  ] as const) {
    it(`leads again if its socket file ${what}`, async () => {
      const address = { path: join(dir, 'hub.sock'), isFile: true };
      const clock = new FakeClock();
      const deps = { storageDir: dir, clock, log: silentLog, address };
      const first = createWindowHub(deps);
      const windows = [first];
      try {
        await comes(clock, 'it leads', () => first.isLeader);
        await lose(address.path);
        const second = createWindowHub(deps);
        windows.push(second);
        const hasOneLeader = () =>
          windows.filter(({ isLeader }) => isLeader).length === 1 &&
          windows.some(({ isLeader, peers }) => isLeader && peers.size === 1);
        await comes(clock, 'one leads the other', hasOneLeader);
        await clock.advance(120_000);
        assert.ok(hasOneLeader(), 'and it stays so');
      } finally {
        for (const window of windows) {
          window.dispose();
        }
      }
    });
  }

  for (const [what, failures, isEverAlone] of [
    ['once', 1, false],
    ['until it works by itself', 25, true],
  ] as const) {
    it(`follows the one that leads, although the disk refused ${what}`, async () => {
      const address = { path: join(dir, 'hub.sock'), isFile: true };
      const clock = new FakeClock();
      const deps = { storageDir: dir, clock, log: silentLog, address };
      const first = createWindowHub(deps);
      const windows = [first];
      try {
        await comes(clock, 'it leads', () => first.isLeader);
        let reads = 0;
        const read = () => {
          reads += 1;
          return reads <= failures ? Promise.reject(new Error('EMFILE')) : Promise.resolve(0);
        };
        const second = createWindowHub({ ...deps, terms: { read, end: () => Promise.resolve() } });
        windows.push(second);
        const led: boolean[] = [];
        second.onDidChangeLeader((leads) => led.push(leads));
        await comes(clock, 'one leads the other', () => first.peers.has(second.windowId));
        assert.equal(second.isLeader, false);
        assert.deepEqual(led, isEverAlone ? [true, false] : [false]);
      } finally {
        for (const window of windows) {
          window.dispose();
        }
      }
    });
  }

  it('knows a window that joined before it knew itself that it leads', async () => {
    const address = { path: join(dir, 'hub.sock'), isFile: true };
    const token = await hubToken(dir);
    let release = () => {};
    const gate = new Promise<void>((resolve) => {
      release = resolve;
    });
    let reads = 0;
    const terms = {
      read: async () => {
        reads += 1;
        // The second look comes when its address is open, and decides whether it leads.
        await (reads === 2 ? gate : undefined);
        return 0;
      },
      end: () => Promise.resolve(),
    };
    const hub = createWindowHub({ storageDir: dir, clock: systemClock, log: silentLog, address, terms });
    const received: number[] = [];
    hub.onDidChangePeers(({ size }) => received.push(size));
    let early: Disposable | undefined;
    try {
      await until('its address is open', () => reads === 2, { everyMs: 5 });
      const nothing = () => undefined;
      const member = new HubMember({
        ...{ address, token, windowId: 'early', clock: systemClock },
        ...{ onReceived: nothing, onWelcome: nothing, onMessage: nothing, onEnd: nothing },
      });
      early = member;
      assert.equal(await member.meeting, 'connected');
      assert.equal(hub.isLeader, false);
      release();
      await until('it leads', () => hub.isLeader, { everyMs: 5 });
      assert.deepEqual(received, [1]);
      assert.deepEqual([...hub.peers], ['early']);
    } finally {
      early?.dispose();
      hub.dispose();
    }
  });

  it('shuts out a connection that can’t prove to know the token', async () => {
    const address = { path: join(dir, 'hub.sock'), isFile: true };
    const hub = createWindowHub({ storageDir: dir, clock: systemClock, log: silentLog, address });
    const heard: unknown[] = [];
    hub.on('chat', (data) => heard.push(data));
    try {
      await until('it leads', () => hub.isLeader, { everyMs: 5 });
      const received = await new Promise<string>((resolve) => {
        const socket = connect(address.path);
        let all = '';
        socket.on('data', (chunk) => {
          all += chunk.toString('utf8');
          socket.write(
            `${JSON.stringify({ t: 'auth', proof: '0'.repeat(64), nonce: 'n', windowId: 'stranger' })}\n` +
              `${JSON.stringify({ t: 'say', topic: 'chat', data: 'hello' })}\n`,
          );
        });
        socket.on('error', () => undefined);
        socket.on('close', () => {
          resolve(all);
        });
      });
      assert.match(received, /challenge/);
      assert.doesNotMatch(received, /welcome/);
      assert.deepEqual(heard, []);
      assert.equal(hub.peers.size, 0);
    } finally {
      hub.dispose();
    }
  });

  it('does not follow a stranger who took the address first', async () => {
    const { createServer } = await import('node:net');
    const address = { path: join(dir, 'taken.sock'), isFile: true };
    const stranger = createServer((socket) => {
      socket.on('error', () => undefined);
      socket.write(`${JSON.stringify({ t: 'challenge', nonce: 'n' })}\n`);
      socket.on('data', () => {
        socket.write(`${JSON.stringify({ t: 'welcome', proof: '0'.repeat(64) })}\n`);
      });
    });
    await new Promise<void>((resolve) => stranger.listen(address.path, resolve));
    const warned: string[] = [];
    const log = { ...silentLog, warn: (words: string) => void warned.push(words) };
    const hub = createWindowHub({ storageDir: dir, clock: systemClock, log, address });
    const said: boolean[] = [];
    hub.onDidChangeLeader((leads) => said.push(leads));
    try {
      await until('it works by itself and leads', () => hub.isLeader, { everyMs: 20 });
      hub.broadcast('chat', 'to no other window');
      assert.deepEqual(said, [true]);
      assert.deepEqual(
        warned.map((words) => words.replace(/\d+ connections/, 'N connections')),
        ['Could not reach other windows, so this one works by itself: N connections were refused'],
      );
      assert.equal(await hub.claim('a thing'), true);
      assert.equal(await hub.claim('a thing'), false);
    } finally {
      hub.dispose();
      stranger.close();
    }
  }).timeout(20_000);
});
