import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { nodeFileSystem } from '../../../src/ssh/fileSystem';
import { systemClock } from '../../../src/util/clock';
import {
  LockBusyError,
  nodeLockFiles,
  touchLock,
  withLock,
  type LockOptions,
} from '../../../src/util/fileLock';
import { FakeClock } from '../../support/fakeClock';
import { rest } from '../../support/feature/underWay';

describe('The lock', () => {
  let dir: string;
  let file: string;
  let clock: FakeClock;
  let alive: number[];

  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'gpu-lock-'));
    file = join(dir, 'lock');
    clock = new FakeClock(undefined, () => rest(() => 0));
    alive = [1];
  });
  afterEach(() => rmSync(dir, { recursive: true, force: true }));

  function options(more: Partial<LockOptions> = {}): LockOptions {
    return {
      fs: nodeFileSystem,
      clock,
      identity: { pid: 1, host: 'here', isAlive: (pid) => alive.includes(pid) },
      ...more,
    };
  }

  function heldBy(pid: number, host: string): void {
    writeFileSync(file, JSON.stringify({ pid, host, token: 'x' }));
  }

  /** Moves the clock in small steps until the promise ends; it stands still while the disk is busy. */
  async function drive<T>(promise: Promise<T>, onStep: () => void = () => undefined): Promise<T> {
    const state = { done: false };
    const mark = () => {
      state.done = true;
    };
    promise.then(mark, mark);
    while (!state.done) {
      onStep();
      await clock.advance(200);
    }
    return promise;
  }

  it('lets one in at a time and is gone afterwards', async () => {
    let inside = 0;
    const enter = () =>
      withLock(file, options({ clock: systemClock }), async () => {
        inside += 1;
        assert.equal(inside, 1);
        await nodeFileSystem.list(dir);
        inside -= 1;
      });
    await Promise.all(Array.from({ length: 20 }, enter));
    assert.equal(existsSync(file), false);
  });

  it('is given back where the action fails', async () => {
    await assert.rejects(
      withLock(file, options(), () => Promise.reject(new Error('no'))),
      /no/,
    );
    assert.equal(existsSync(file), false);
    assert.equal(clock.pending, 0);
  });

  it('is taken at once from a process of this machine that died', async () => {
    heldBy(2, 'here');
    assert.equal(await withLock(file, options(), () => Promise.resolve('in')), 'in');
    assert.equal(clock.now(), new FakeClock().now());
  });

  it('is taken after ten seconds without a sign of life from another machine', async () => {
    heldBy(2, 'elsewhere');
    const startedAt = clock.now();
    await drive(withLock(file, options(), () => Promise.resolve()));
    const waited = clock.now() - startedAt;
    assert.ok(waited >= 10_000 && waited < 20_000, String(waited));
  });

  it('is not taken from a living process, nor from one that keeps its heartbeat up', async () => {
    heldBy(1, 'here');
    let beat = 0;
    const busy = withLock(file, options(), () => assert.fail('two at once'));
    await assert.rejects(
      drive(busy, () => {
        beat += 1;
        utimesSync(file, beat, beat);
      }),
      LockBusyError,
    );
    assert.ok(existsSync(file));
  });

  for (const [direction, hours] of [
    ['forward', 3],
    ['back', -3],
  ] as const) {
    it(`is waited for as long as ever when the clock is set ${direction}`, async () => {
      heldBy(1, 'here');
      const startedAt = clock.elapsed();
      const waiting = withLock(file, options(), () => assert.fail('two at once'));
      let beat = 0;
      await assert.rejects(
        drive(waiting, () => {
          beat += 1;
          utimesSync(file, beat, beat);
          if (beat === 10) {
            clock.jump(hours * 3_600_000);
          }
          assert.ok(clock.elapsed() - startedAt < 40_000, 'still waiting');
        }),
        LockBusyError,
      );
      const waited = clock.elapsed() - startedAt;
      assert.ok(waited >= 30_000, String(waited));
    });
  }

  it('is not waited for in a folder that can’t be written', async () => {
    const denied = Object.assign(new Error('read-only'), { code: 'EACCES' });
    const startedAt = clock.elapsed();
    const fs = { ...nodeFileSystem, create: () => Promise.reject(denied) };
    await assert.rejects(drive(withLock(file, options({ fs }), () => Promise.resolve())), denied);
    assert.ok(clock.elapsed() - startedAt < 5_000);
  });

  it('is not taken from a living owner on another machine when the clock is set forward', async () => {
    heldBy(2, 'elsewhere');
    const stop = new AbortController();
    let steps = 0;
    const waiting = withLock(file, options({ signal: stop.signal }), () => assert.fail('two at once'));
    await assert.rejects(
      drive(waiting, () => {
        steps += 1;
        if (steps === 5) {
          clock.jump(3_600_000);
        }
        if (steps === 10) {
          stop.abort();
        }
      }),
      { name: 'CancelledError' },
    );
    assert.ok(existsSync(file));
  });

  it('is taken where its content was lost in a crash', async () => {
    writeFileSync(file, '{"pid":');
    await drive(withLock(file, options(), () => Promise.resolve()));
    assert.equal(existsSync(file), false);
  });

  it('shows a heartbeat while a long action holds it', async () => {
    let release: () => void = () => undefined;
    let action: Promise<void> | undefined;
    await new Promise<void>((started) => {
      action = withLock(file, options(), () => {
        started();
        return new Promise<void>((resolve) => {
          release = resolve;
        });
      });
    });
    utimesSync(file, 1, 1);
    while ((await nodeFileSystem.facts(file)).mtimeMs === 1000) {
      await clock.advance(2_000);
    }
    release();
    await action;
    assert.equal(clock.pending, 0);
  });

  it('is not removed at the end if another process has acquired it', async () => {
    await withLock(file, options(), () => {
      heldBy(3, 'elsewhere');
      return Promise.resolve();
    });
    assert.match(readFileSync(file, 'utf8'), /elsewhere/);
  });

  it('stops waiting as soon as its signal is aborted', async () => {
    heldBy(1, 'here');
    const stop = new AbortController();
    const waiting = withLock(file, options({ signal: stop.signal }), () => assert.fail('in'));
    stop.abort();
    await assert.rejects(drive(waiting), { name: 'CancelledError' });
  });

  it('is taken over by one at a time, and from another that died while it took it over after half a minute', async () => {
    heldBy(2, 'here');
    writeFileSync(`${file}.break`, '');
    const made = clock.now() / 1000 - 20;
    utimesSync(`${file}.break`, made, made);
    const startedAt = clock.elapsed();
    await drive(withLock(file, options(), () => Promise.resolve()));
    const waited = clock.elapsed() - startedAt;
    assert.ok(waited > 10_000 && waited < 11_000, String(waited));
    assert.equal(existsSync(`${file}.break`), false);
  });

  it('is not taken over where the disk refuses', async () => {
    heldBy(2, 'here');
    for (const failing of ['create', 'facts'] as const) {
      if (failing === 'facts') {
        writeFileSync(`${file}.break`, '');
      }
      const refused = Object.assign(new Error('refused'), { code: 'EIO' });
      const fs = {
        ...nodeFileSystem,
        [failing]: (path: string, bytes: Buffer, mode: number) =>
          path.endsWith('.break') ? Promise.reject(refused) : nodeFileSystem[failing](path, bytes, mode),
      };
      await assert.rejects(drive(withLock(file, options({ fs }), () => Promise.resolve())), refused);
    }
  });

  const refused = (code: string) => () => Promise.reject(Object.assign(new Error(code), { code }));

  it('is not reported as held by a window if it can’t be read', async () => {
    heldBy(2, 'elsewhere');
    const fs = { ...nodeFileSystem, read: refused('EACCES') };
    await assert.rejects(drive(withLock(file, options({ fs }), () => Promise.resolve())), /EACCES/);
  });

  it('voids nothing that was done where it can not be removed', async () => {
    const fs = { ...nodeFileSystem, remove: refused('EPERM') };
    assert.equal(await withLock(file, options({ fs }), () => Promise.resolve('done')), 'done');
  });

  it('leaves nothing where it can not be written', async () => {
    await assert.rejects(nodeLockFiles.create(file, undefined as never, 0o600));
    assert.equal(existsSync(file), false);
  });

  it('shows its heartbeat on a disk that stores no times, and changes no lock of another process', async () => {
    for (const name of ['one', 'other']) {
      writeFileSync(file, JSON.stringify({ pid: 1, host: 'here', token: name }));
      const old = Date.now() / 1000 - 100;
      utimesSync(file, old, old);
      const before = readFileSync(file, 'utf8');
      await touchLock(file, refused('EPERM'));
      assert.equal(readFileSync(file, 'utf8'), before);
      assert.ok(statSync(file).mtimeMs > Date.now() - 50_000);
    }
    rmSync(file);
    await assert.rejects(touchLock(file, refused('EPERM')), /ENOENT/);
  });

  it('passes on an error of the disk instead of waiting', async () => {
    const fs = {
      ...nodeFileSystem,
      create: () => Promise.reject(Object.assign(new Error('full'), { code: 'ENOSPC' })),
    };
    await assert.rejects(
      withLock(file, options({ fs }), () => Promise.resolve()),
      /full/,
    );
  });
});
