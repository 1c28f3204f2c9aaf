import assert from 'node:assert/strict';
import {
  gpuColumns,
  readGpuUse,
  withGpuReading,
  type GpuReading,
} from '../../../../src/model/instances/gpuReading';

describe('the figures of each GPU', () => {
  it('are read from what nvidia-smi prints for one and for eight', () => {
    assert.deepEqual(readGpuUse('0, 43, 20480, 24564, 61, 310.42, 450.00\n'), [
      {
        index: 0,
        percent: 43,
        usedMb: 20_480,
        memoryMb: 24_564,
        celsius: 61,
        watts: 310.42,
        limitWatts: 450,
      },
    ]);
    const eight = Array.from(
      { length: 8 },
      (_, gpu) => `${gpu}, 100, 79000, 81559, ${60 + gpu}, 690.1, 700.00`,
    );
    assert.deepEqual(
      readGpuUse(eight.join('\r\n')).map(({ index, celsius }) => [index, celsius]),
      eight.map((_, gpu) => [gpu, 60 + gpu]),
    );
  });

  it('are missing where the driver reports none', () => {
    assert.deepEqual(readGpuUse('0, [N/A], 3, 24564, 34, [Unknown Error], [N/A]'), [
      { index: 0, usedMb: 3, memoryMb: 24_564, celsius: 34 },
    ]);
  });

  it('are never the words of a hostile machine, nor without an end', () => {
    const hostile = ['<b>, 1, 1, 1, 1, 1, 1', '0, 1', '99, 1, 1, 1, 1, 1, 1', 'No devices were found', ''];
    assert.deepEqual(readGpuUse(hostile.join('\n')), []);
    assert.deepEqual(readGpuUse('0, 900, -1, 1e9, NaN, Infinity, 99999999'), [{ index: 0 }]);
    assert.equal(readGpuUse('1, 1, 1, 1, 1, 1, 1\n'.repeat(100_000)).length, 64);
  });
});

describe('the readings of an hour', () => {
  const reading = (at: number, ...percents: readonly (number | undefined)[]): GpuReading => ({
    at,
    gpus: percents.map((percent, index) => (percent === undefined ? { index } : { index, percent })),
  });

  it('are those of the last hour, and none from a later time of a clock that was set back', () => {
    const all = [0, 1_000, 3_600_000, 3_600_500].reduce<readonly GpuReading[]>(
      (before, at) => withGpuReading(before, reading(at, 1)),
      [],
    );
    assert.deepEqual(
      all.map(({ at }) => at),
      [1_000, 3_600_000, 3_600_500],
    );
    assert.deepEqual(
      withGpuReading(all, reading(2_000, 1)).map(({ at }) => at),
      [1_000, 2_000],
    );
  });

  it('are a column each at first, with a gap where a GPU or a reading is missing', () => {
    assert.deepEqual(gpuColumns([]), { ends: [], gpus: [] });
    const { ends, gpus } = gpuColumns([reading(5_000, 10, 20), reading(15_100, 30, undefined)]);
    assert.deepEqual(ends, [10_000, 15_000, 20_000]);
    assert.deepEqual(gpus, [
      { index: 0, values: [10, undefined, 30] },
      { index: 1, values: [20, undefined, undefined] },
    ]);
  });

  it('are means over at most 60 columns in a long time', () => {
    const hour = Array.from({ length: 720 }, (_, index) => reading(index * 5_000, index % 2 ? 100 : 0));
    const { ends, gpus } = gpuColumns(hour);
    assert.equal(ends.length, 60);
    assert.deepEqual([...new Set(gpus[0]?.values)], [50]);
  });
});
