import assert from 'node:assert/strict';
import { Latency } from '../../../../src/features/connectedWindow/latency';
import { Emitter } from '../../../../src/util/emitter';
import { silentLog } from '../../../../src/util/log';
import { anInstance } from '../../../support/builders';
import { FakeClock } from '../../../support/fakeClock';
import { only } from '../../../support/only';

const minute = 60_000;

describe('The latency of a window', () => {
  const scene = () => {
    const clock = new FakeClock();
    const windowInUse = { isFocused: true, onDidChange: new Emitter<void>().event };
    const measured: number[] = [];
    const shown: (number | undefined)[] = [];
    const deps = {
      clock,
      windowInUse,
      log: silentLog,
      fleet: { find: () => anInstance({ id: 7, actualStatus: 'running' }), facts: () => ({}) },
      ssh: {
        latency: () => {
          measured.push(clock.elapsed());
          return Promise.resolve(40);
        },
      },
    };
    const show = () => void shown.push(latency.milliseconds);
    const latency: Latency = new Latency(only(deps), { alias: 'gpu-7', instanceId: 7 }, show);
    return { clock, windowInUse, measured, shown, latency };
  };

  it('is shown whenever it was measured', async () => {
    const { clock, shown, latency } = scene();
    latency.plan();
    await clock.advance(2 * minute);
    assert.deepEqual(shown, [40, 40, 40]);
    latency.dispose();
  });

  for (const [direction, hours] of [
    ['forward', 3],
    ['back', -3],
  ] as const) {
    it(`is measured once a minute and forgotten after three when the clock is set ${direction}`, async () => {
      const { clock, windowInUse, measured, latency } = scene();
      latency.plan();
      await clock.advance(minute / 2);
      assert.equal(latency.milliseconds, 40);
      clock.jump(hours * 60 * minute);
      latency.plan();
      assert.equal(latency.milliseconds, 40);
      await clock.advance(minute);
      assert.deepEqual(measured, [0, minute]);
      windowInUse.isFocused = false;
      clock.jump(hours * 60 * minute);
      await clock.advance(4 * minute);
      assert.equal(latency.milliseconds, undefined);
      latency.dispose();
    });
  }
});
