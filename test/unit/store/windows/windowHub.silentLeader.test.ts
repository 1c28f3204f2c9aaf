import assert from 'node:assert/strict';
import { join } from 'node:path';
import { HubTerms } from '../../../../src/store/windows/hubTerms';
import { createWindowHub, type WindowHubDeps } from '../../../../src/store/windows/windowHub';
import { DisposableStore } from '../../../../src/util/disposable';
import { FakeClock } from '../../../support/fakeClock';
import { MemoryLog } from '../../../support/fakeTransport';
import { until } from '../../../support/until';
import { useFolder } from '../../../support/useFolder';

describe('A window that leads', () => {
  let dir = '';
  useFolder((made) => void (dir = made));
  let log: MemoryLog;
  let owned: DisposableStore;
  beforeEach(() => {
    log = new MemoryLog();
    owned = new DisposableStore();
  });
  afterEach(() => owned.dispose());

  function open(clock: FakeClock, more: Partial<WindowHubDeps> = {}) {
    const address = { path: join(dir, 'hub.sock'), isFile: true };
    const hub = owned.add(createWindowHub({ storageDir: dir, clock, log, address, ...more }));
    const changes: { readonly leads: boolean; readonly at: number }[] = [];
    hub.onDidChangeLeader((leads) => changes.push({ leads, at: clock.elapsed() }));
    return { hub, changes };
  }
  /** Moves time on until something has come. */
  const comes = (clock: FakeClock, what: string, has: () => boolean) =>
    until(what, () => clock.advance(100).then(has), { everyMs: 1 });

  it('is left after a minute of silence, and follows the next one once it runs again', async () => {
    const [hung, clock] = [new FakeClock(), new FakeClock()];
    const first = open(hung);
    await comes(hung, 'it leads', () => first.hub.isLeader);
    const terms = new HubTerms(dir);
    let refusals = 1;
    const second = open(clock, {
      terms: {
        read: () => terms.read(),
        end: (term) => (refusals-- > 0 ? Promise.reject(new Error('disk full')) : terms.end(term)),
      },
    });
    await comes(clock, 'it follows', () => second.changes.length > 0);
    const since = second.changes[0]?.at ?? 0;
    await clock.advance(since + 59_999 - clock.elapsed());
    assert.equal(log.count('warn The leading window does not answer'), 0);
    await clock.advance(1);
    assert.equal(log.count('warn The leading window does not answer'), 1);
    assert.equal(log.count('error A leader that does not answer could not be left'), 1);
    await clock.advance(15_000);
    await comes(clock, 'it leads', () => second.hub.isLeader);
    assert.deepEqual(
      second.changes.map(({ leads }) => leads),
      [false, true],
    );
    await hung.advance(15_000);
    assert.equal(first.hub.isLeader, false);
    await comes(hung, 'it follows', () => second.hub.peers.has(first.hub.windowId));
    assert.deepEqual(first.changes.map(({ leads }) => leads).slice(0, 2), [true, false]);
  });

  it('is not left by a window that hung itself', async () => {
    const [hung, clock] = [new FakeClock(), new FakeClock()];
    const first = open(hung);
    await comes(hung, 'it leads', () => first.hub.isLeader);
    const second = open(clock);
    await comes(clock, 'it follows', () => second.changes.length > 0);
    let passed = 0;
    const elapsed = clock.elapsed.bind(clock);
    clock.elapsed = () => elapsed() + passed;
    passed = 60_000;
    await clock.advance(15_000);
    assert.equal(log.count('warn The leading window does not answer'), 0);
  });

  it('keeps leading although the disk refused it for a moment, and gives up after forty seconds of that', async () => {
    const clock = new FakeClock();
    let isRefused = false;
    const { hub, changes } = open(clock, {
      terms: {
        read: () => (isRefused ? Promise.reject(new Error('disk full')) : Promise.resolve(0)),
        end: () => Promise.resolve(),
      },
    });
    await comes(clock, 'it leads', () => hub.isLeader);
    const since = changes[0]?.at ?? 0;
    const passTo = (ms: number) => clock.advance(since + ms - clock.elapsed());
    isRefused = true;
    await passTo(15_000);
    assert.equal(log.count('error The lead of this window could not be renewed'), 1);
    isRefused = false;
    await passTo(30_000);
    isRefused = true;
    await passTo(69_999);
    assert.equal(hub.isLeader, true);
    await passTo(70_000);
    assert.equal(hub.isLeader, false);
  });

  it('notifies all listeners though one of them fails, and logs that', async () => {
    const clock = new FakeClock();
    const { hub } = open(clock);
    hub.onDidChangeLeader(() => {
      throw new Error('a fault');
    });
    let heard = 0;
    hub.onDidChangeLeader(() => (heard += 1));
    await comes(clock, 'it leads', () => hub.isLeader);
    assert.deepEqual([heard, log.count('error A listener of the window hub failed')], [1, 1]);
  });
});
