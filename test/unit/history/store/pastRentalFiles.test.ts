import assert from 'node:assert/strict';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { mostPastRentals, type PastRental } from '../../../../src/model/rentals/pastRental';
import { PastRentalFiles } from '../../../../src/history/store/pastRentalFiles';
import { silentLog } from '../../../../src/util/log';
import { anInstance } from '../../../support/builders';
import { useFolder } from '../../../support/useFolder';

const past = (id: number, endedAt: number): PastRental => ({
  ...{ version: 1, instance: anInstance({ id }), endedAt, end: 'gone' },
});

describe('The files of past rentals', () => {
  let folder = '';
  useFolder((made) => void (folder = made));
  const open = () => new PastRentalFiles(folder, silentLog);
  const ids = async (files: PastRentalFiles) => (await files.list()).map(({ instance }) => instance.id);

  it('give back what was written, the latest first', async () => {
    for (const [id, endedAt] of [
      [1, 20],
      [2, 30],
      [3, 10],
    ] as const) {
      await open().put(past(id, endedAt));
    }
    assert.deepEqual(await ids(open()), [2, 1, 3]);
    assert.deepEqual([await open().read(1), await open().read(4)], [past(1, 20), undefined]);
    await open().remove(1);
    assert.deepEqual(await ids(open()), [2, 3]);
  });

  it('are as many as are shown, without the oldest', async () => {
    const all = Array.from({ length: mostPastRentals + 2 }, (_, index) => index + 1);
    await Promise.all(all.map((id) => open().put(past(id, id))));
    const files = open();
    assert.deepEqual(await ids(files), [...all].reverse().slice(0, mostPastRentals));
    assert.deepEqual(await files.removeOldest(), [2, 1]);
    assert.equal((await readdir(folder)).length, mostPastRentals);
    assert.deepEqual(await files.removeOldest(), []);
  });

  it('name those that are damaged or refused, and give the others', async () => {
    await open().put(past(1, 1));
    await open().put(past(2, 2));
    await writeFile(join(folder, '2.json'), '{ torn');
    const files = open();
    assert.deepEqual(await ids(files), [1]);
    const kept = files.damaged.map((path) => path.replace(/\d+$/, ''));
    assert.deepEqual([kept, files.refused], [[join(folder, '2.json.broken-')], undefined]);
    await mkdir(join(folder, '3.json'));
    assert.deepEqual(await ids(files), [1]);
    assert.match(String(files.refused), /3\.json could not be read/);
  });
});
