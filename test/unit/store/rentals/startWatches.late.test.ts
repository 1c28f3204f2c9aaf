import assert from 'node:assert/strict';
import type { FailureReason } from '../../../../src/model/rentals/startWatch';
import { useStartWatches, watchedRequest, type Watching } from '../../../support/startWatchScene';

const minuteMs = 60_000;

describe('a machine whose start has failed', () => {
  const scene = useStartWatches();
  const { open, pass, change } = scene;
  let windows: Watching[] = [];

  /** What was told in all windows, those that are closed included. */
  const delivered = () =>
    windows.flatMap(({ events }) => events.map((event) => ('reason' in event ? event.reason : event.kind)));

  async function openWindow(isFocused = true): Promise<Watching> {
    const window = await open(isFocused);
    windows.push(window);
    return window;
  }

  /** Begins a start and lets it fail for this reason. */
  async function fail(
    window: Watching,
    start: 'rent' | 'start' | 'reboot',
    reason: FailureReason,
  ): Promise<void> {
    await window.rentals.rent(watchedRequest);
    await pass('it is watched', () => window.readiness.watches.length === 1);
    if (start !== 'rent') {
      change('running');
      await pass('it is ready', () => window.rentals.rentals[0]?.phase.kind === 'ready');
      window.fleet.note(6001, { kind: start });
      change('loading');
      await pass('it is watched again', () => window.readiness.watches.length === 1);
      window.events.splice(0);
    }
    if (reason === 'timedOut') {
      change('loading', { statusMessage: 'pulling' });
      await pass('it fails', () => window.events.some(({ kind }) => kind === 'failed'), minuteMs);
    } else {
      change(reason);
      await pass('it fails', () => window.events.length > 0);
    }
    assert.deepEqual(window.readiness.watches, []);
  }

  beforeEach(() => {
    windows = [];
  });

  for (const reason of ['exited', 'unknown', 'offline', 'timedOut'] as const) {
    for (const where of ['the same window', 'another window', 'a window that opens later'] as const) {
      it(`is reported once if it runs after all: ${reason}, seen by ${where}`, async () => {
        const first = await openWindow();
        if (where === 'another window') {
          await openWindow(false);
        }
        await fail(first, 'rent', reason);
        if (where !== 'the same window') {
          first.close();
        }
        if (where === 'a window that opens later') {
          await openWindow();
        }
        await scene.computer.clock.advance(2 * 60 * minuteMs);
        assert.deepEqual(delivered(), [reason]);
        change('running');
        await pass('it is told', () => delivered().length > 1);
        await scene.computer.clock.advance(10 * minuteMs);
        assert.deepEqual(delivered(), [reason, 'ready']);
        const ready = windows.flatMap(({ events }) => events).at(-1);
        assert.deepEqual(ready, { kind: 'ready', instanceId: 6001, isLate: true });
        assert.equal(windows.at(-1)?.rentals.rentals[0]?.phase.kind, 'ready');
      });
    }
  }

  for (const reason of ['exited', 'unknown', 'offline'] as const) {
    it(`is reported again if it fails finally after its time: ${reason}`, async () => {
      const window = await openWindow();
      await fail(window, 'rent', 'timedOut');
      change(reason);
      await pass('it is told', () => delivered().length > 1);
      for (const again of ['loading', 'offline', 'exited', 'unknown']) {
        change(again);
        await scene.computer.clock.advance(10 * minuteMs);
      }
      assert.deepEqual(delivered(), ['timedOut', reason]);
      change('running');
      await pass('it is told', () => delivered().length > 2);
      assert.deepEqual(delivered(), ['timedOut', reason, 'ready']);
    });
  }

  for (const start of ['start', 'reboot'] as const) {
    it(`is reported once if it runs after all: after a ${start}`, async () => {
      const window = await openWindow();
      await fail(window, start, 'timedOut');
      change('running');
      await pass('it is told', () => delivered().length > 1);
      await scene.computer.clock.advance(10 * minuteMs);
      assert.deepEqual(delivered(), ['timedOut', 'ready']);
    });
  }

  for (const end of ['stop', 'destroy', 'let go'] as const) {
    it(`is not reported any more after the choice of the user: ${end}`, async () => {
      const window = await openWindow();
      await fail(window, 'rent', 'timedOut');
      if (end === 'let go') {
        await window.readiness.stopWatching(6001);
      } else {
        window.fleet.note(6001, { kind: end });
      }
      if (end === 'destroy') {
        scene.service.instances = [];
      }
      await scene.computer.clock.advance(minuteMs);
      change('running');
      await scene.computer.clock.advance(10 * minuteMs);
      assert.deepEqual(delivered(), ['timedOut']);
    });
  }
});
