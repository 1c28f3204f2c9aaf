import assert from 'node:assert/strict';
import { DiskList } from '../../../src/shared/diskList';
import { Emitter } from '../../../src/util/emitter';
import { silentLog } from '../../../src/util/log';
import { toDisposable } from '../../../src/util/disposable';
import { settle } from '../../support/fakeClock';

describe('A list on disk', () => {
  it('is read again when its window meets the others anew, because what was told before did not reach it', async () => {
    const leader = new Emitter<boolean>();
    const disk = ['first'];
    const list = new DiskList({
      topic: 'rows.changed',
      accounts: { active: { key: 'one' }, onDidChange: new Emitter<never>().event },
      hub: {
        on: () => toDisposable(() => undefined),
        broadcast: () => undefined,
        onDidChangeLeader: leader.event,
      },
      log: silentLog,
      open: () => ({ list: () => Promise.resolve([...disk]) }),
      unreadable: 'The rows could not be read',
    });
    await list.ready;
    disk.push('second');
    leader.fire(false);
    await settle();
    assert.deepEqual(list.rows, ['first', 'second']);
    list.dispose();
  });
});
