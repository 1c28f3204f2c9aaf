import assert from 'node:assert/strict';
import { readGpuUse } from '../../../../src/model/instances/gpuReading';

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
