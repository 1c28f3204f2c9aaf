import assert from 'node:assert/strict';
import { readFleet } from '../../../../src/store/instances/fleetList';
import { silentLog } from '../../../../src/util/log';
import { anInstance } from '../../../support/builders';
import { only } from '../../../support/only';

describe('Reading the list of instances', () => {
  it('asks for the record of each recent rental that it lacks, unless that has ended', async () => {
    const asked: number[] = [];
    const instances = {
      list: () => Promise.resolve({ items: [anInstance({ id: 1 })], skipped: 0 }),
      get: (id: number) => {
        asked.push(id);
        return Promise.resolve(anInstance({ id }));
      },
    };
    const known = { find: () => undefined, hasEnded: (id: number) => id === 3 };
    const { signal } = new AbortController();
    const read = await readFleet(only({ instances }), known, () => [1, 2, 3], { signal }, silentLog);
    assert.deepEqual([asked, read?.instances.map(({ id }) => id)], [[2], [1, 2]]);
  });
});
