import assert from 'node:assert/strict';
import { writeFile, mkdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { fromDollars } from '../../../../src/model/money';
import { MarketHistory } from '../../../../src/store/offers/marketHistory';
import { silentLog } from '../../../../src/util/log';
import { useFolder } from '../../../support/useFolder';
import { formatText } from '../../../../src/util/text';

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
    assert.deepEqual(
      (await new MarketHistory(dir, silentLog).record('a', gpu(0.5), 20_001 * day)).snapshots,
      [
        { day: 20_000, key: 'a', medians: { 'RTX 4090': 400_000 } },
        { day: 20_001, key: 'a', medians: { 'RTX 4090': 500_000 } },
      ],
    );
  });

  it('keeps the prices of a day where a later answer of it has none', async () => {
    const history = new MarketHistory(dir, silentLog);
    await history.record('a', gpu(0.3), 20_000 * day);
    const kept = [{ day: 20_000, key: 'a', medians: { 'RTX 4090': 300_000 } }];
    assert.deepEqual((await history.record('a', [], 20_000 * day + 5)).snapshots, kept);
    assert.deepEqual((await history.record('a', [{ gpuName: 'none' }], 20_001 * day)).snapshots, kept);
  });

  it('forgets what is older than ninety days', async () => {
    const history = new MarketHistory(dir, silentLog);
    await history.record('a', gpu(0.3), 20_000 * day);
    assert.equal((await history.record('a', gpu(0.3), 20_090 * day - 1)).snapshots.length, 2);
    const { snapshots } = await history.record('a', gpu(0.3), 20_090 * day);
    assert.equal(snapshots.length, 2, 'the first is gone');
  });

  it('goes on with an empty history where the file is broken, and says where that is kept', async () => {
    const path = join(dir, 'market-history.json');
    await writeFile(path, '{ torn');
    const history = new MarketHistory(dir, silentLog);
    const { snapshots, problem } = await history.record('a', gpu(0.3), day);
    assert.equal(snapshots.length, 1);
    assert.match(formatText(problem ?? ''), /file is damaged\. The file is kept as .*\.broken-\d+\.$/);
    assert.equal((await history.record('a', gpu(0.3), 2 * day)).problem, undefined);
  });

  it('shows no empty history where the disk refuses, and overwrites nothing', async () => {
    const path = join(dir, 'market-history.json');
    // A folder in the place of the file can be neither read nor replaced.
    await mkdir(path);
    const { problem } = await new MarketHistory(dir, silentLog).record('a', gpu(0.3), day);
    assert.match(formatText(problem ?? ''), /could not be read/);
    assert.ok((await stat(path)).isDirectory());
  });
});
