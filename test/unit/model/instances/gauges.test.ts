import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import {
  chartOf,
  gaugesOf,
  historyMs,
  merged,
  withReading,
  type GaugeReading,
} from '../../../../src/model/instances/gauges';
import { anInstance } from '../../../support/builders';

const now = Date.UTC(2026, 0, 15, 12);
const minute = 60_000;

describe('The gauges of a machine', () => {
  it('are shares in percent, for any unit of the memory limit', () => {
    const figures = { gpuUtilPercent: 88, cpuUtilPercent: 12.5, diskUsedGb: 4, diskSpaceGb: 10 };
    for (const [used, limit] of [
      [6, 24],
      [6144, 24_576],
    ] as const) {
      assert.deepEqual(gaugesOf(anInstance({ ...figures, memoryUsedGb: used, memoryLimitGb: limit })), {
        gpu: 88,
        memory: 25,
        disk: 40,
        cpu: 12.5,
      });
    }
  });

  it('leave out what is not reported and what can’t be meant', () => {
    assert.deepEqual(gaugesOf(anInstance()), {});
    const odd = { memoryUsedGb: 6144, memoryLimitGb: 24, diskUsedGb: 4, diskSpaceGb: 0, gpuUtilPercent: 900 };
    assert.deepEqual(gaugesOf(anInstance(odd)), {});
    assert.deepEqual(gaugesOf(anInstance({ gpuUtilPercent: 103 })), { gpu: 100 });
  });

  it('keep an hour, and no more than the chart can show', () => {
    let history: readonly GaugeReading[] = [];
    for (let at = now; at <= now + 2 * historyMs; at += 10_000) {
      history = withReading(history, { at, gpu: 50 });
    }
    assert.equal(history.length, 121);
    assert.equal(history[0]?.at, now + historyMs);
  });

  it('begin again where the clock was set back', () => {
    const history = withReading([{ at: now, gpu: 1 }], { at: now - 5 * minute, gpu: 2 });
    assert.deepEqual(history, [{ at: now - 5 * minute, gpu: 2 }]);
  });

  it('are drawn with the newest at the right and a dot where nothing was read', () => {
    const history = [
      { at: now - 59 * minute, gpu: 0 },
      { at: now - 4 * minute, gpu: 50 },
      { at: now - minute, gpu: 100 },
    ];
    assert.equal(chartOf(history, 'gpu', now), `▁${'·'.repeat(17)}▅█`);
    assert.equal(chartOf(history, 'disk', now), undefined, 'nothing was read');
    assert.equal(chartOf([{ at: now, gpu: 50 }], 'gpu', now), undefined, 'one column shows no course');
  });

  it('are the same whichever window asks first', () => {
    const readings = fc.array(
      fc.record({ at: fc.integer({ min: now - historyMs, max: now }), gpu: fc.nat(100) }),
      { maxLength: 50 },
    );
    fc.assert(
      fc.property(readings, readings, (one, two) => {
        const own = merged(one, []);
        const other = merged(two, []);
        const both = merged(own, other);
        assert.deepEqual(
          both.map(({ at }) => at),
          merged(other, own).map(({ at }) => at),
        );
        assert.ok(both.length <= 121);
        assert.match(chartOf(both, 'gpu', now) ?? '····················', /^[▁▂▃▄▅▆▇█·]{20}$/u);
      }),
    );
  });
});
