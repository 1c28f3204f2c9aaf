import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as z from 'zod';
import { channel } from '../../../src/shared/channel';
import { createWindowHub } from '../../../src/store/windows/windowHub';
import { systemClock } from '../../../src/util/clock';
import { silentLog } from '../../../src/util/log';
import { FakeHubs } from '../../support/fakeWindows';
import { until } from '../../support/until';

const prices = channel('prices', z.object({ id: z.number(), price: z.number().optional() }));

describe('a channel between windows', () => {
  it('reaches every other window until its listener is disposed of', () => {
    const hubs = new FakeHubs();
    const [here, there] = [hubs.open(), hubs.open()];
    const heard: string[] = [];
    prices.on(here, ({ id }) => heard.push(`here ${id}`));
    const listening = prices.on(there, ({ id }) => heard.push(`there ${id}`));
    prices.send(here, { id: 1 });
    prices.send(there, { id: 2, price: 5 });
    listening.dispose();
    prices.send(here, { id: 3 });
    assert.deepEqual(heard, ['there 1', 'here 2']);
  });

  it('delivers nothing that does not fit as a whole, and logs that', async () => {
    const storageDir = await mkdtemp(join(tmpdir(), 'gpu-rental-channel-'));
    const warned: string[] = [];
    const log = { ...silentLog, warn: (words: string) => void warned.push(words) };
    const windows = [1, 2].map(() => createWindowHub({ storageDir, clock: systemClock, log }));
    try {
      await until('they know each other', () => windows.some(({ peers }) => peers.size === 1));
      const heard: unknown[] = [];
      for (const window of windows) {
        prices.on(window, (message) => heard.push(message));
      }
      windows[0]?.broadcast('prices', { id: 1, price: 'dear' });
      windows[0]?.broadcast('prices', { id: 2, price: 7, unknownField: true });
      await until('the second message', () => heard.length > 0, { everyMs: 5 });
      assert.deepEqual(heard, [{ id: 2, price: 7 }]);
      assert.deepEqual(warned, [
        'A message on prices was not understood: price: Invalid input: expected number, received string',
      ]);
    } finally {
      for (const window of windows) {
        window.dispose();
      }
      await rm(storageDir, { recursive: true, force: true, maxRetries: 5 });
    }
  });
});
