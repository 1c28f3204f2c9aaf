import assert from 'node:assert/strict';
import { mkdir, rename, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { ServerList } from '../../../../src/notebooks/ui/serverList';
import { silentLog } from '../../../../src/util/log';
import { useFolder } from '../../../support/useFolder';

describe('the list of servers for notebooks', () => {
  let folder = '';
  useFolder((made) => void (folder = made));

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
    await first.update(account, [candidate(1)], () => false);
    await first.noteUsed('gpu-1');
    const path = join(folder, 'notebooks.json');
    await rename(path, `${path}.away`);
    await mkdir(path);
    const second = await open();
    await second.update(account, [candidate(2)], () => false);
    await rmdir(path);
    await rename(`${path}.away`, path);
    await second.noteUsed('gpu-2');
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

  it('keeps a server that another window used, though it stops before this window knows of that', async () => {
    const [used, other] = [await open(), await open()];
    await used.update(account, [candidate(1)], () => false);
    await other.update(account, [candidate(1)], () => false);
    await used.noteUsed('gpu-1');
    const reported: string[][] = [];
    other.onDidChange(() => reported.push(other.rows.map(({ alias }) => alias)));
    const stopped = { ...candidate(1), canConnect: false, label: '#1 (Stopped)' };
    await other.update(account, [stopped], () => false);
    assert.deepEqual(reported, [['gpu-1']]);
    assert.deepEqual(other.rows, [
      { accountKey: account, alias: 'gpu-1', instanceId: 1, label: '#1 (Stopped)', isUsed: true },
    ]);
    assert.deepEqual((await open()).rows, other.rows);
  });

  it('notes the message about a server for all windows, until it is used again', async () => {
    const first = await open();
    await first.update(account, [candidate(1)], () => false);
    await first.noteUsed('gpu-1');
    const second = await open();
    const said: string[] = [];
    second.onDidChange(() => said.push('changed'));
    assert.equal(await first.noteReported('gpu-1', 'stopped'), true);
    assert.deepEqual(
      [await second.noteReported('gpu-1', 'stopped'), await second.noteReported('gpu-1', 'other account')],
      [false, true],
    );
    const stopped = { ...candidate(1), canConnect: false, label: '#1 (Stopped)' };
    await first.update(account, [stopped], () => false);
    assert.equal(await (await open()).noteReported('gpu-1', 'stopped'), false);
    assert.deepEqual(said, [], 'Jupyter shows nothing of it');
    // The window that connects does not know yet what the other one said.
    await second.noteUsed('gpu-1');
    assert.equal(await first.noteReported('gpu-1', 'stopped'), true);
  });

  it('drops a server that another window used once its instance has ended', async () => {
    const [used, other] = [await open(), await open()];
    await used.update(account, [candidate(1)], () => false);
    await used.noteUsed('gpu-1');
    await other.update(account, [candidate(2)], () => false);
    await other.update(account, [], (id) => id === 1);
    assert.deepEqual(other.rows, []);
  });
});
