import assert from 'node:assert/strict';
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fromDollars } from '../../../../src/model/money';
import { MarketHistory } from '../../../../src/store/offers/marketHistory';
import { formatText } from '../../../../src/util/text';
import { FakeClock } from '../../../support/fakeClock';
import { MemoryLog } from '../../../support/fakeTransport';
import { useFolder } from '../../../support/useFolder';

const day = 86_400_000;
const gpu = (dollars: number) => [
  { gpuName: 'RTX 4090', priceMedian: fromDollars(dollars) },
  { gpuName: 'none' },
];

describe('the market history', () => {
  let dir = '';
  let clock: FakeClock;
  let log: MemoryLog;
  useFolder((made) => void (dir = made));
  beforeEach(() => {
    clock = new FakeClock();
    log = new MemoryLog();
  });
  const recordAt = (ms: number, ...record: Parameters<MarketHistory['record']>) => {
    clock.jump(ms - clock.now());
    return open().record(...record);
  };
  const open = () => new MarketHistory({ storageDir: dir, clock, log });

  it('keeps one snapshot a day and key, the last of the day', async () => {
    await recordAt(20_000 * day, 'a', gpu(0.3));
    await recordAt(20_000 * day + 5, 'a', gpu(0.4));
    await recordAt(20_000 * day, 'b', gpu(9));
    assert.deepEqual((await recordAt(20_001 * day, 'a', gpu(0.5))).snapshots, [
      { day: 20_000, key: 'a', medians: { 'RTX 4090': 400_000 } },
      { day: 20_001, key: 'a', medians: { 'RTX 4090': 500_000 } },
    ]);
  });

  it('keeps the prices of a day where a later answer of it has none', async () => {
    await recordAt(20_000 * day, 'a', gpu(0.3));
    const kept = [{ day: 20_000, key: 'a', medians: { 'RTX 4090': 300_000 } }];
    assert.deepEqual((await recordAt(20_000 * day + 5, 'a', [])).snapshots, kept);
    assert.deepEqual((await recordAt(20_001 * day, 'a', [{ gpuName: 'none' }])).snapshots, kept);
  });

  it('lists the oldest day first, also where the clock was set back since', async () => {
    for (const days of [20_002, 20_000]) {
      await recordAt(days * day, 'a', gpu(0.3));
    }
    const { snapshots } = await recordAt(20_001 * day, 'a', gpu(0.3));
    assert.deepEqual(
      snapshots.map((one) => one.day),
      [20_000, 20_001, 20_002],
    );
  });

  it('keeps what two windows record at the same moment', async () => {
    const ways = [...Array(4).keys()].map(String);
    await clock.through(Promise.all(ways.map((key) => open().record(key, gpu(0.3)))), 100);
    for (const key of ways) {
      assert.equal((await open().record(key, [])).snapshots.length, 1, key);
    }
    assert.deepEqual(await readdir(dir), ['market-history.json']);
  });

  it('forgets what is older than ninety days', async () => {
    await recordAt(20_000 * day, 'a', gpu(0.3));
    assert.equal((await recordAt(20_090 * day - 1, 'a', gpu(0.3))).snapshots.length, 2);
    const { snapshots } = await recordAt(20_090 * day, 'a', gpu(0.3));
    assert.equal(snapshots.length, 2, 'the first is gone');
  });

  it('continues with an empty history if the file is broken, and reports where that is kept', async () => {
    const path = join(dir, 'market-history.json');
    await writeFile(path, '{ torn');
    const { snapshots, problem, setAside } = await recordAt(day, 'a', gpu(0.3));
    assert.equal(snapshots.length, 1);
    assert.deepEqual([problem, await readFile(setAside ?? '', 'utf8')], [undefined, '{ torn']);
    assert.equal((await recordAt(2 * day, 'a', gpu(0.3))).setAside, undefined);
  });

  it('shows no empty history where the disk refuses, and overwrites nothing', async () => {
    const path = join(dir, 'market-history.json');
    // A folder in the place of the file can be neither read nor replaced.
    await mkdir(path);
    const { problem } = await recordAt(day, 'a', gpu(0.3));
    assert.match(formatText(problem ?? ''), /could not be read/);
    assert.equal(log.count('warn The market history could not be kept'), 1);
    assert.ok((await stat(path)).isDirectory());
  });
});
