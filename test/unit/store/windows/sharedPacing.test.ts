import assert from 'node:assert/strict';
import type { PacedCall, Pacing } from '../../../../src/api/pacing';
import { SharedPacing } from '../../../../src/store/windows/sharedPacing';
import { CancelledError, UserError } from '../../../../src/util/errors';
import { text } from '../../../../src/util/text';
import { FakeClock, settle } from '../../../support/fakeClock';
import { FakeHubs } from '../../../support/fakeWindows';

const volumes = 'GET /api/v0/volumes/';
const reboot = 'PUT /api/v0/instances/reboot/{id}/';
const limits = { [volumes]: { intervalMs: 5500 }, [reboot]: { intervalMs: 1000 } };
const read = (rank: PacedCall['rank'] = 0): PacedCall => ({ route: volumes, repeat: 'read', rank });

function windows(count: number) {
  const clock = new FakeClock();
  const hubs = new FakeHubs();
  const front = { index: 0 };
  const all = Array.from({ length: count }, (_, index) => {
    const hub = hubs.open();
    const pacing = new SharedPacing({ hub, clock, limits, isInFront: () => front.index === index });
    return { hub, pacing, of: (account = 'one') => pacing.of(account) };
  });
  const left: string[] = [];
  const go = (pacing: Pacing, name: string, call = read(), signal?: AbortSignal) =>
    pacing.acquire(call, { signal }).then(() => void left.push(`${name} ${String(clock.elapsed())}`));
  const close = (index: number) => {
    all[index]?.pacing.dispose();
    all[index]?.hub.dispose();
  };
  const pacingOf = (index: number, account?: string): Pacing => {
    const window = all[index];
    assert.ok(window);
    return window.of(account);
  };
  return { clock, hubs, front, left, go, close, pacingOf };
}

describe('the pace of an account over all windows', () => {
  it('is one: reads of three windows leave one after the other', async () => {
    const { clock, left, go, pacingOf } = windows(3);
    const calls = [0, 1, 2].map((index) => go(pacingOf(index), String(index)));
    await clock.advance(20_000);
    await Promise.all(calls);
    assert.deepEqual(left, ['0 0', '1 5550', '2 11100']);
  });

  it('is another one for another account', async () => {
    const { left, go, pacingOf } = windows(2);
    await Promise.all([go(pacingOf(0), 'one'), go(pacingOf(1, 'two'), 'two')]);
    assert.deepEqual(left.sort(), ['one 0', 'two 0']);
  });

  it('puts what the user asks for first, whichever window it is in, and then the window in front', async () => {
    const { clock, front, left, go, pacingOf } = windows(3);
    front.index = 1;
    const calls = [
      go(pacingOf(0), 'first'),
      go(pacingOf(0), 'behind', read(1)),
      go(pacingOf(1), 'in front', read(1)),
      go(pacingOf(2), 'asked', read(0)),
    ];
    await clock.advance(20_000);
    await Promise.all(calls);
    assert.deepEqual(left, ['first 0', 'asked 5550', 'in front 11100', 'behind 16650']);
  });

  it('keeps no write waiting for reads or for another window', async () => {
    const { hubs, left, go, pacingOf } = windows(2);
    const write: PacedCall = { route: reboot, repeat: 'write', rank: 0 };
    await go(pacingOf(1), 'read');
    hubs.hold();
    await go(pacingOf(1), 'write', write);
    assert.deepEqual(left, ['read 0', 'write 0']);
  });

  it('reports how long a read of another window waits', async () => {
    const { clock, pacingOf } = windows(2);
    await pacingOf(0).acquire(read());
    const waits: number[] = [];
    const call = pacingOf(1).acquire(read(), { onWait: (ms) => waits.push(ms) });
    await clock.advance(6000);
    await call;
    assert.deepEqual(waits, [5550]);
  });

  it('gives the turn of a cancelled read to the next', async () => {
    const { clock, left, go, pacingOf } = windows(2);
    await go(pacingOf(0), 'first');
    const controller = new AbortController();
    const cancelled = go(pacingOf(1), 'cancelled', read(), controller.signal);
    await settle();
    controller.abort();
    await assert.rejects(cancelled, CancelledError);
    const next = go(pacingOf(0), 'next');
    await clock.advance(6000);
    await next;
    assert.deepEqual(left, ['first 0', 'next 5550']);
  });

  it('continues with what is known when the leader is closed or does not answer', async () => {
    const { clock, hubs, left, go, close, pacingOf } = windows(3);
    await go(pacingOf(0), 'first');
    const waiting = go(pacingOf(1), 'waiting');
    await settle();
    close(0);
    await clock.advance(6000);
    await waiting;
    hubs.hold();
    const unheard = go(pacingOf(2), 'unheard');
    await clock.advance(6000);
    await unheard;
    assert.deepEqual(left, ['first 0', 'waiting 5550', 'unheard 11100']);
  });

  it('waits for a leader that does not answer once, and not for each read', async () => {
    const { clock, hubs, left, go, pacingOf } = windows(2);
    hubs.hold();
    const first = go(pacingOf(1), 'first');
    await clock.advance(3000);
    await first;
    await clock.advance(6000);
    await go(pacingOf(1), 'next');
    assert.deepEqual(left, ['first 3000', 'next 9000']);
    // A minute later it is asked again.
    await clock.advance(60_000);
    hubs.arrive();
    const asked = go(pacingOf(1), 'asked');
    await clock.advance(10_000);
    await asked;
    assert.equal(left.length, 3);
  });

  it('shares what a window learned: the interval, a failure, and its end', async () => {
    const { pacingOf } = windows(3);
    const sentence = text('The service did not answer in time. Try again in a moment.');
    pacingOf(1).refused(volumes, 100, 8000);
    pacingOf(1).failed(volumes, new UserError(sentence, { nextStep: 'retry' }), 'service');
    for (const index of [0, 1, 2]) {
      assert.equal(pacingOf(index).intervalMs(volumes), 8000);
      await assert.rejects(pacingOf(index).acquire(read(1)), { text: sentence, nextStep: 'retry' });
    }
    pacingOf(2).worked(volumes);
    assert.deepEqual(
      [0, 1, 2].map((index) => pacingOf(index).isFailing(volumes)),
      [false, false, false],
    );
  });
});
