import assert from 'node:assert/strict';
import { mkdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { FailedMachines } from '../../../../src/store/rentals/failedMachines';
import { silentLog } from '../../../../src/util/log';
import { useFolder } from '../../../support/useFolder';

describe('machines that did not get ready', () => {
  let storageDir = '';
  useFolder((made) => void (storageDir = made));

  it('are those of one account: at another service, or in the demo, the number is another machine', async () => {
    let account: string | undefined = '0123456789abcdef';
    const machines = new FailedMachines(storageDir, () => account, silentLog);
    await machines.remember({ machineId: 5, at: 1, reason: 'no disk' });
    account = 'fedcba9876543210';
    assert.deepEqual(await machines.list(), []);
    account = undefined;
    assert.deepEqual(await machines.list(), []);
    account = '0123456789abcdef';
    assert.deepEqual(await machines.list(), [{ machineId: 5, at: 1, reason: 'no disk' }]);
  });

  describe('where the disk refuses to read one', () => {
    const account = '0123456789abcdef';
    const path = (id: number) => join(storageDir, 'accounts', account, 'failedMachines', `${id}.json`);
    /** A folder in place of the file is refused for every user, root included. */
    const refuse = async (id: number) => {
      await rename(path(id), join(storageDir, 'away'));
      await mkdir(path(id));
    };
    const allow = async (id: number) => {
      await rm(path(id), { recursive: true });
      await rename(join(storageDir, 'away'), path(id));
    };
    let warnings: string[];
    const open = () =>
      new FailedMachines(storageDir, () => account, {
        ...silentLog,
        warn: (line) => void warnings.push(line),
      });
    beforeEach(async () => {
      warnings = [];
      await open().remember({ machineId: 5, at: 1, reason: 'no disk' });
      await open().remember({ machineId: 6, at: 2, reason: 'no port' });
    });

    it('stay as they were last read, and are logged once', async () => {
      const machines = open();
      const before = await machines.list();
      await refuse(5);
      assert.deepEqual(await machines.list(), before);
      assert.deepEqual(await machines.list(), before);
      assert.equal(warnings.length, 1);
      assert.match(String(warnings[0]), /5\.json/);
      await allow(5);
      assert.deepEqual(await machines.list(), before);
      await refuse(5);
      await machines.list();
      assert.equal(warnings.length, 2);
    });

    it('are avoided before they were ever read, because the name of the file shows which machine failed', async () => {
      const machines = open();
      await refuse(5);
      const [first, second] = await machines.list();
      assert.deepEqual([first?.machineId, first?.reason], [5, '']);
      assert.ok(first && first.at > 2, 'about when the file was last changed');
      assert.deepEqual(second, { machineId: 6, at: 2, reason: 'no port' });
      await allow(5);
      assert.deepEqual(await machines.list(), [
        { machineId: 6, at: 2, reason: 'no port' },
        { machineId: 5, at: 1, reason: 'no disk' },
      ]);
    });
  });
});
