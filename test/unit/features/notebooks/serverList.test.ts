import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rename, rm, rmdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ServerList } from '../../../../src/features/notebooks/serverList';
import { silentLog } from '../../../../src/util/log';
import { settle } from '../../../support/fakeClock';

describe('the list of servers for notebooks', () => {
  let folder = '';
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'gr-notebooks-'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  const account = '0123456789abcdef';
  const candidate = (instanceId: number) => ({
    accountKey: account,
    alias: `gpu-${instanceId}`,
    instanceId,
    label: `#${instanceId}`,
    canConnect: true,
  });
  const open = async () => {
    const list = new ServerList(folder, silentLog);
    await list.loaded;
    return list;
  };

  it('keeps a server that was used though the disk refused the list at the start', async () => {
    const first = await open();
    first.update(account, [candidate(1)], () => false);
    first.noteUsed('gpu-1');
    await settle();
    const path = join(folder, 'notebooks.json');
    await rename(path, `${path}.away`);
    await mkdir(path);
    const second = await open();
    second.update(account, [candidate(2)], () => false);
    await settle();
    await rmdir(path);
    await rename(`${path}.away`, path);
    second.noteUsed('gpu-2');
    await settle();
    const kept = [second, await open()].map(({ rows }) =>
      rows
        .filter(({ isUsed }) => isUsed)
        .map(({ alias }) => alias)
        .sort(),
    );
    assert.deepEqual(kept, [
      ['gpu-1', 'gpu-2'],
      ['gpu-1', 'gpu-2'],
    ]);
  });
});
