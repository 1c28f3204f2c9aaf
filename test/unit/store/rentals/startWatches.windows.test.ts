import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { useStartWatches, watchedRequest } from '../../../support/startWatchScene';
import { until } from '../../../support/until';

describe('the readiness stores of several windows', () => {
  const scene = useStartWatches();
  const { open, pass, change } = scene;

  for (const [kind, agoMs] of [
    ['ready', 0],
    ['failed', 0],
    ['ready', 10 * 60_000],
  ] as const) {
    it(`show what a window marked as ${kind} ${agoMs} ms before and was killed before showing`, async () => {
      const first = await scene.computer.openSignedIn();
      await first.rentals.rent(watchedRequest);
      const [{ marker } = { marker: '' }] = first.rentals.rentals;
      const at = scene.computer.clock.now() - agoMs;
      const reason = 'exited' as const;
      await first.rentals.update(marker, {
        phase:
          kind === 'ready'
            ? { kind, instanceId: 6001, at }
            : { kind, instanceId: 6001, at, reason, hadData: false },
      });
      first.close();
      const { events } = await open();
      const ofKind = () => events.filter((event) => event.kind === kind);
      if (agoMs === 0) {
        await pass('it is told', () => ofKind().length > 0);
      }
      await scene.computer.clock.advance(120_000);
      assert.deepEqual(
        ofKind().map(({ instanceId }) => instanceId),
        agoMs === 0 ? [6001] : [],
      );
    });
  }

  it('count nothing as a failed start that another window saw running while this one hung', async () => {
    const window = await open();
    await window.rentals.rent(watchedRequest);
    change('loading');
    await pass('it is watched', () => window.readiness.watches.length === 1);
    const other = await scene.computer.openSignedIn();
    // What it says reaches a window that hangs no sooner than the time for the next list.
    other.hub.broadcast = () => undefined;
    await pass('it knows the rental', () => other.rentals.rentals.length === 1, 1);
    const [{ marker } = { marker: '' }] = other.rentals.rentals;
    const at = scene.computer.clock.now();
    await other.rentals.update(marker, { phase: { kind: 'ready', instanceId: 6001, at } });
    change('exited', { statusMessage: 'The container ended with code 1' });
    await pass('it is followed no longer', () => window.readiness.watches.length === 0);
    await scene.computer.clock.advance(60_000);
    assert.ok(!window.events.some(({ kind }) => kind === 'failed'), JSON.stringify(window.events));
    assert.equal(window.rentals.find(6001)?.phase.kind, 'ready');
  });

  for (const phase of [
    { kind: 'failed', instanceId: 6001, at: 1, reason: 'exited', hadData: false },
    { kind: 'ready', instanceId: 6001, at: 1 },
  ] as const) {
    it(`stops watching, and leaves a machine ${phase.kind} of which another window has just seen that`, async () => {
      const first = await open();
      await first.rentals.rent(watchedRequest);
      const second = await open(false);
      const known = () => second.rentals.find(6001);
      await pass('it knows the rental', () => known()?.phase.kind === 'waiting', 1);
      scene.computer.hubs.hold();
      await first.rentals.update(known()?.marker ?? '', { phase });
      await second.readiness.stopWatching(6001);
      scene.computer.hubs.arrive();
      const stored = await first.rentals.reread(known()?.marker ?? '');
      assert.deepEqual([first.rentals.find(6001)?.phase, stored?.phase], [phase, phase]);
      await until('it is the same', () => known()?.phase.kind === phase.kind);
    });
  }

  it('show it in the focused window alone, for any window that rented and polled', async () => {
    const leader = await open(false);
    const renter = await open(false);
    const focused = await open(true);
    await renter.rentals.rent(watchedRequest);
    await pass('all watch', () =>
      [leader, renter, focused].every(({ readiness }) => readiness.watches.length === 1),
    );
    change('running');
    await pass('it is told', () => focused.events.length > 0);
    await scene.computer.clock.advance(30_000);
    assert.deepEqual([leader.events.length, renter.events.length, focused.events.length], [0, 0, 1]);
  });

  it('show it in the polling window when the one in front closes at that moment', async () => {
    const leader = await open(false);
    const front = await open(true);
    await front.rentals.rent(watchedRequest);
    await pass('both watch', () => leader.readiness.watches.length === 1);
    change('running');
    // It is told to show it and does not live to.
    const claim = front.hub.claim.bind(front.hub);
    front.hub.claim = () => new Promise(() => undefined);
    await pass('it is told', () => leader.events.length > 0);
    front.hub.claim = claim;
    assert.deepEqual(leader.events, [{ kind: 'ready', instanceId: 6001 }]);
    assert.deepEqual(front.events, []);
  });

  it('continue for a window that closed, after a reload too', async () => {
    const first = await open();
    await first.rentals.rent(watchedRequest);
    change('loading', { statusMessage: 'pulling' });
    await pass('the message is there', () => first.readiness.watches[0]?.message === 'pulling');
    const before = first.readiness.watches[0];
    const file = join(
      scene.computer.storageDir,
      'accounts',
      first.accounts.active?.key ?? '',
      'readiness.json',
    );
    await until(
      'it is on disk',
      async () => (await readFile(file, 'utf8').catch(() => '')).includes('pulling'),
      { everyMs: 2 },
    );
    await pass('time goes by', () => true, 60_000);
    first.close();
    const second = await open();
    await pass('it is watched', () => second.readiness.watches.length === 1);
    assert.equal(second.readiness.watches[0]?.since, before?.since);
    assert.equal(second.readiness.watches[0]?.messageAt, before?.messageAt);
    change('running');
    await pass('it is ready', () => second.events.length > 0);
    assert.deepEqual(second.events, [{ kind: 'ready', instanceId: 6001 }]);
  });

  it('do not repeat after a restart what was shown', async () => {
    const first = await open();
    await first.rentals.rent(watchedRequest);
    change('running');
    await pass('it is ready', () => first.events.length > 0);
    first.close();
    const second = await open();
    await scene.computer.clock.advance(120_000);
    assert.deepEqual(second.events, []);
  });
});
