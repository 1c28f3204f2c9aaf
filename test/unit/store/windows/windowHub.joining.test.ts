import assert from 'node:assert/strict';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { createWindowHub } from '../../../../src/store/windows/windowHub';
import { FakeClock } from '../../../support/fakeClock';
import { MemoryLog } from '../../../support/fakeTransport';
import { until } from '../../../support/until';
import { useFolder } from '../../../support/useFolder';

describe('A window that joins the others', () => {
  let dir = '';
  let clock: FakeClock;
  let log: MemoryLog;
  /** The terms that were read and ended. */
  let reads: number;
  let ended: number[];
  const open: { dispose: () => void }[] = [];
  useFolder((made) => void (dir = made));
  beforeEach(() => {
    clock = new FakeClock();
    log = new MemoryLog();
    reads = 0;
    ended = [];
  });
  afterEach(() => open.splice(0).forEach((one) => one.dispose()));

  const terms = {
    read: () => {
      reads += 1;
      return Promise.resolve(ended.length);
    },
    end: (term: number) => Promise.resolve(void ended.push(term)),
  };
  function hubAt(...path: readonly string[]) {
    const address = { path: join(dir, ...path), isFile: true };
    const hub = createWindowHub({ storageDir: dir, clock, log, address, terms });
    open.push(hub);
    const leads: boolean[] = [];
    hub.onDidChangeLeader((isLeader) => leads.push(isLeader));
    return { hub, leads };
  }
  const soon = (what: string, isSo: () => boolean, stepMs = 100) =>
    until(
      what,
      async () => {
        await clock.advance(stepMs);
        return isSo();
      },
      { everyMs: 1 },
    );
  const alone =
    'warn Could not reach other windows, so this one works by itself: 21 connections were refused';

  it('works alone after 21 refusals in a row, and looks for the others every 15 seconds', async () => {
    await writeFile(join(dir, 'place'), 'no folder');
    const { hub, leads } = hubAt('place', 'hub.sock');
    await soon('it works alone', () => hub.isLeader);
    assert.deepEqual([reads, leads, hub.peers.size, log.count(alone)], [21, [true], 0, 1]);
    await clock.advance(14_900);
    assert.equal(reads, 21);
    await clock.advance(100);
    assert.equal(reads, 22);
    assert.deepEqual([leads, log.count(alone), log.lines.length], [[true], 1, 1], 'it is told once');
    await rm(join(dir, 'place'));
    await mkdir(join(dir, 'place'));
    await soon('it leads at the address', () => leads.length === 2, 1000);
    const other = hubAt('place', 'hub.sock');
    await soon('another window follows', () => other.leads.length > 0);
    assert.deepEqual([leads, other.leads, [...hub.peers]], [[true, true], [false], [other.hub.windowId]]);
  });

  it('meets elsewhere after twelve silences of a leader', async () => {
    const sockets: Socket[] = [];
    const silent = createServer((socket) => void sockets.push(socket.on('error', () => undefined)));
    open.push({ dispose: () => void silent.close() });
    await new Promise<void>((resolve) => silent.listen(join(dir, 'hub.sock'), resolve));
    const { hub } = hubAt('hub.sock');
    await soon('it leads elsewhere', () => hub.isLeader, 500);
    assert.deepEqual([ended, sockets.length], [[0], 12]);
  });

  it('sends the last 200 messages from before once it has joined', async () => {
    const leader = hubAt('hub.sock');
    await soon('it leads', () => leader.hub.isLeader);
    const heard: unknown[] = [];
    leader.hub.on('count', (data) => heard.push(data));
    const { hub, leads } = hubAt('hub.sock');
    for (let count = 0; count < 203; count += 1) {
      hub.broadcast('count', count);
    }
    await soon('they are heard', () => leads.length > 0 && heard.length > 199);
    hub.broadcast('count', 'last');
    await soon('all is heard', () => heard.includes('last'));
    assert.deepEqual([heard[0], heard.length], [3, 201]);
  });

  it('sends nothing from before it led to those that join it', async () => {
    const { hub } = hubAt('hub.sock');
    hub.broadcast('count', 'early');
    await soon('it leads', () => hub.isLeader);
    const other = hubAt('hub.sock');
    const heard: unknown[] = [];
    other.hub.on('count', (data) => heard.push(data));
    await soon('another window follows', () => other.leads.length > 0);
    hub.broadcast('count', 'late');
    await soon('it is heard', () => heard.length > 0);
    assert.deepEqual(heard, ['late']);
  });
});
