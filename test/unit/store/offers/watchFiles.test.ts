import assert from 'node:assert/strict';
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fromDollars } from '../../../../src/model/money';
import { defaultQuery } from '../../../../src/model/offers/savedSearches';
import type { SearchWatch } from '../../../../src/model/offers/searchWatch';
import { WatchFiles } from '../../../../src/store/offers/watchFiles';
import { silentLog } from '../../../../src/util/log';
import { text } from '../../../../src/util/text';
import { useFolder } from '../../../support/useFolder';

const watch = (id: string, createdAt: number, query = defaultQuery): SearchWatch => ({
  id,
  name: `watch ${id}`,
  query,
  maxPerHour: fromDollars(0.5),
  createdAt,
});
const none = { matches: [] };

describe('The files of watched searches', () => {
  let folder = '';
  useFolder((made) => void (folder = made));
  const open = () => new WatchFiles(folder, silentLog);

  it('give the watches back, the oldest first, those of the same moment by their ids', async () => {
    const watches = [watch('0000000c', 1), watch('0000000a', 2), watch('0000000b', 2)];
    for (const one of [...watches].reverse()) {
      await open().put(one);
    }
    assert.deepEqual(
      await open().list(),
      watches.map((one) => ({ watch: one, state: none })),
    );
  });

  it('keep the filters that a template added to the search', async () => {
    const added = { ...defaultQuery, extraFilters: { gpu_ram: { gte: 24_000 } } };
    await open().put(watch('0000000a', 1, added));
    assert.deepEqual((await open().read('0000000a'))?.watch.query, added);
  });

  it('keep what the last check found, and why the next one failed, beside the watch', async () => {
    const found = {
      checkedAt: 5,
      maxPerHour: 500_000,
      matches: [{ key: 'machine 7 1', offerId: 1, firstSeenAt: 3, lastSeenAt: 5 }],
    };
    await open().put(watch('0000000a', 1));
    await open().putState('0000000a', found);
    assert.deepEqual((await open().read('0000000a'))?.state, { ...found, error: undefined });
    const error = { at: 6, text: text('The service answered {0} in {1} s.', text('nothing'), 3) };
    await open().putState('0000000a', { ...found, error });
    const [kept] = await open().list();
    assert.deepEqual(kept?.state, { ...found, error });
  });

  it('go together when the watch is removed', async () => {
    await open().put(watch('0000000a', 1));
    await open().putState('0000000a', none);
    await open().remove('0000000a');
    assert.deepEqual([await readdir(folder), await open().read('0000000a')], [[], undefined]);
  });

  it('name those that are damaged, and lose only the results where only these are', async () => {
    for (const id of ['0000000a', '0000000b', '0000000c']) {
      await open().put(watch(id, 1));
    }
    await writeFile(join(folder, '0000000a.json'), '{ torn');
    await writeFile(join(folder, '0000000b.state.json'), '{ torn');
    const files = open();
    const rows = await files.list();
    assert.deepEqual(
      rows.map((row) => [row.watch.id, row.state]),
      [
        ['0000000b', none],
        ['0000000c', none],
      ],
    );
    assert.deepEqual(
      files.damaged.map((path) => path.replace(/\d+$/, '')),
      [join(folder, '0000000a.json.broken-')],
    );
    assert.equal(files.refused, undefined);
  });

  it('hold no watch without a search, or without a limit in whole millionths above zero', async () => {
    const kept = { version: 1, name: 'a', query: defaultQuery, maxPerHour: 1, createdAt: 1 };
    for (const [index, change] of [{}, { query: 7 }, { maxPerHour: 0 }, { maxPerHour: 0.5 }].entries()) {
      await writeFile(join(folder, `0000000${index}.json`), JSON.stringify({ ...kept, ...change }));
    }
    assert.deepEqual(
      (await open().list()).map((row) => row.watch.id),
      ['00000000'],
    );
  });
});
