import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hubAddress, hubToken } from '../../../../src/store/windows/hubAddress';
import { HubMember } from '../../../../src/store/windows/hubMember';
import { createWindowHub } from '../../../../src/store/windows/windowHub';
import type { Disposable } from '../../../../src/util/disposable';
import { silentLog } from '../../../../src/util/log';
import { systemClock } from '../../../../src/util/clock';
import { bundled } from '../../../support/bundled';
import { FakeClock } from '../../../support/fakeClock';
import { until } from '../../../support/until';

interface Told {
  readonly leads?: boolean;
  readonly peers?: number;
  readonly heard?: string;
  readonly claim?: string;
  readonly first?: boolean;
  readonly problem?: string;
  /** Whether it would act as the one that leads. */
  readonly acts?: boolean;
}

class WindowProcess {
  readonly told: Told[] = [];
  private readonly child: ChildProcess;

  constructor(storageDir: string, address: string, pace = 1) {
    const script = bundled(join(__dirname, '../../../support/hubProcess.ts'));
    this.child = spawn(process.execPath, [script, storageDir, address], {
      stdio: ['pipe', 'pipe', 'inherit'],
      env: { ...process.env, GPU_RENTAL_PACE: String(pace) },
    });
    let rest = '';
    this.child.stdout?.on('data', (chunk: Buffer) => {
      const lines = (rest + chunk.toString('utf8')).split('\n');
      rest = lines.pop() ?? '';
      this.told.push(...lines.map((line) => JSON.parse(line) as Told));
    });
  }

  get leads(): boolean | undefined {
    return this.told.filter(({ leads }) => leads !== undefined).at(-1)?.leads;
  }

  get peers(): number {
    return this.told.filter(({ peers }) => peers !== undefined).at(-1)?.peers ?? 0;
  }

  get heard(): readonly string[] {
    return this.told.flatMap(({ heard }) => (heard === undefined ? [] : [heard]));
  }

  say(text: string): void {
    this.child.stdin?.write(`say ${text}\n`);
  }

  claim(key: string): void {
    this.child.stdin?.write(`claim ${key}\n`);
  }

  act(): void {
    this.child.stdin?.write('act\n');
  }

  /** As a window whose extension host is busy for ever, or until it goes on. */
  hang(): void {
    this.child.kill('SIGSTOP');
  }

  goOn(): void {
    this.child.kill('SIGCONT');
  }

  async kill(): Promise<void> {
    if (this.child.exitCode === null && this.child.signalCode === null) {
      const gone = new Promise((resolve) => this.child.once('exit', resolve));
      this.child.kill('SIGKILL');
      await gone;
    }
  }
}

for (const [name, addressOf] of [
  ['the address of this platform', () => '-'],
  ['a socket file', (dir: string) => join(dir, 'hub.sock')],
] as const) {
  describe(`windows that meet by ${name}`, () => {
    let dir: string;
    let windows: WindowProcess[];
    const open = (speed?: number) => {
      const window = new WindowProcess(dir, addressOf(dir), speed);
      windows.push(window);
      return window;
    };
    const pace = 20;
    const settled = (living: readonly WindowProcess[]) =>
      until(
        'one leads and knows the others',
        () => {
          const leaders = living.filter(({ leads }) => leads === true);
          const known = living.every(({ leads }) => leads !== undefined);
          return known && leaders.length === 1 && leaders[0]?.peers === living.length - 1
            ? leaders[0]
            : undefined;
        },
        { everyMs: 20, timeoutMs: 100_000 },
      );

    beforeEach(async () => {
      windows = [];
      dir = await mkdtemp(join(tmpdir(), 'gpu-rental-hub-'));
    });
    afterEach(async () => {
      await Promise.all(windows.map((window) => window.kill()));
      await rm(dir, { recursive: true, force: true, maxRetries: 5 });
    });

    it('has one leader, hears everybody, and goes on when the leader is killed', async () => {
      const all = [open(), open(), open()];
      const leader = await settled(all);
      const followers = all.filter((window) => window !== leader);
      followers[0]?.say('from-a-follower');
      leader.say('from-the-leader');
      await until(
        'everybody else heard',
        () =>
          leader.heard.includes('from-a-follower') &&
          followers[1]?.heard.includes('from-a-follower') === true &&
          followers.every(({ heard }) => heard.includes('from-the-leader')),
        { everyMs: 20 },
      );
      assert.ok(!leader.heard.includes('from-the-leader'));
      assert.ok(followers[0] && !followers[0].heard.includes('from-a-follower'));

      await leader.kill();
      const next = await settled(followers);
      const other = followers.find((window) => window !== next);
      other?.say('after-the-death');
      await until('the new leader hears', () => next.heard.includes('after-the-death'), { everyMs: 20 });
      assert.deepEqual(
        all.flatMap(({ told }) => told.flatMap(({ problem }) => (problem === undefined ? [] : [problem]))),
        [],
      );
    });

    it('leaves a leader that hangs, which learns of it before it acts', async () => {
      const all = [open(pace), open(pace), open(pace)];
      const leader = await settled(all);
      const followers = all.filter((window) => window !== leader);
      leader.hang();
      const next = await settled(followers);
      leader.act();
      leader.goOn();
      await until('it answers', () => leader.told.some(({ acts }) => acts !== undefined), { everyMs: 20 });
      assert.equal(leader.told.find(({ acts }) => acts !== undefined)?.acts, false);
      assert.equal(await settled(all), next);
      leader.say('back-again');
      await until('it is heard', () => next.heard.includes('back-again'), { everyMs: 20 });
    });

    it('meets elsewhere where the only other window hangs', async () => {
      const first = open(pace);
      await settled([first]);
      first.hang();
      const second = open(pace);
      await settled([second]);
      first.goOn();
      assert.equal(await settled([first, second]), second);
    });

    it('lets exactly one window claim a thing, and no later one', async () => {
      const all = [open(), open()];
      await settled(all);
      for (const window of all) {
        window.claim('the-thing');
      }
      const answers = () => windows.flatMap(({ told }) => told.filter(({ claim }) => claim === 'the-thing'));
      await until('both have an answer', () => answers().length === 2, { everyMs: 20 });
      const late = open();
      await until('the late one is there', () => late.leads !== undefined, { everyMs: 20 });
      late.claim('the-thing');
      await until('all have an answer', () => answers().length === 3, { everyMs: 20 });
      assert.equal(answers().filter(({ first }) => first === true).length, 1);
      assert.ok(late.told.every(({ first }) => first !== true));
    });
  });
}

/** Moves time on until something has come. */
async function comes(clock: FakeClock, what: string, has: () => boolean): Promise<void> {
  await until(what, () => clock.advance(100).then(has), { everyMs: 1 });
}

async function socketFiles(dir: string): Promise<readonly string[]> {
  return (await readdir(dir)).filter((name) => name.includes('.sock'));
}

describe('the meeting place of the windows', () => {
  let dir: string;
  beforeEach(async () => {
    dir = await mkdtemp(join(tmpdir(), 'gpu-rental-hub-'));
  });
  afterEach(() => rm(dir, { recursive: true, force: true, maxRetries: 5 }));

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

  it('takes a message without data, in both directions', async () => {
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
      const told = windows.flatMap(({ windowId }) => [`${windowId} undefined`, `${windowId} more`]);
      assert.deepEqual(heard.sort(), told.sort());
    } finally {
      for (const window of windows) window.dispose();
    }
  });

  it('makes its socket file under the lock alone, so that no window takes a fresh one for a stale one', async () => {
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

  for (const [what, lose] of [
    ['was removed', (path: string) => rm(path)],
    ['was replaced', (path: string) => rm(path).then(() => writeFile(path, ''))],
  ] as const) {
    it(`takes its place again where its socket file ${what}`, async () => {
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
        for (const window of windows) window.dispose();
      }
    });
  }

  it('knows a window that came before it knew itself that it leads', async () => {
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
    const told: number[] = [];
    hub.onDidChangePeers(({ size }) => told.push(size));
    let early: Disposable | undefined;
    try {
      await until('its address is open', () => reads === 2, { everyMs: 5 });
      const nothing = () => undefined;
      const member = new HubMember({
        ...{ address, token, windowId: 'early', clock: systemClock },
        ...{ onHeard: nothing, onWelcome: nothing, onSay: nothing, onEnd: nothing },
      });
      early = member;
      assert.equal(await member.meeting, 'connected');
      assert.equal(hub.isLeader, false);
      release();
      await until('it leads', () => hub.isLeader, { everyMs: 5 });
      assert.deepEqual(told, [1]);
      assert.deepEqual([...hub.peers], ['early']);
    } finally {
      early?.dispose();
      hub.dispose();
    }
  });

  it('shuts out who cannot prove to know the token', async () => {
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
