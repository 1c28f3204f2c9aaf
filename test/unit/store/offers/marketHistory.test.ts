import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fromDollars } from '../../../../src/model/money';
import { MarketHistory } from '../../../../src/store/offers/marketHistory';
import { silentLog } from '../../../../src/util/log';
import { useFolder } from '../../../support/useFolder';

const day = 86_400_000;
const gpu = (dollars: number) => [
  { gpuName: 'RTX 4090', priceMedian: fromDollars(dollars) },
  { gpuName: 'none' },
];

describe('the market history', () => {
  let dir = '';
  useFolder((made) => void (dir = made));

  it('keeps one snapshot a day and key, the last of the day', async () => {
    const history = new MarketHistory(dir, silentLog);
    await history.record('a', gpu(0.3), 20_000 * day);
    await history.record('a', gpu(0.4), 20_000 * day + 5);
    await history.record('b', gpu(9), 20_000 * day);
    assert.deepEqual(await new MarketHistory(dir, silentLog).record('a', gpu(0.5), 20_001 * day), [
      { day: 20_000, key: 'a', medians: { 'RTX 4090': 400_000 } },
      { day: 20_001, key: 'a', medians: { 'RTX 4090': 500_000 } },
    ]);
  });

  it('keeps the prices of a day where a later answer of it has none', async () => {
    const history = new MarketHistory(dir, silentLog);
    await history.record('a', gpu(0.3), 20_000 * day);
    const kept = [{ day: 20_000, key: 'a', medians: { 'RTX 4090': 300_000 } }];
    assert.deepEqual(await history.record('a', [], 20_000 * day + 5), kept);
    assert.deepEqual(await history.record('a', [{ gpuName: 'none' }], 20_001 * day), kept);
  });

  it('forgets what is older than ninety days', async () => {
    const history = new MarketHistory(dir, silentLog);
    await history.record('a', gpu(0.3), 20_000 * day);
    assert.equal((await history.record('a', gpu(0.3), 20_090 * day)).length, 1);
  });

  it('goes on with an empty history where the file is broken', async () => {
    await writeFile(join(dir, 'market-history.json'), '{ torn');
    assert.equal((await new MarketHistory(dir, silentLog).record('a', gpu(0.3), day)).length, 1);
  });
});
