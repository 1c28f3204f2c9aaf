import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FailedMachines } from '../../../../src/store/rentals/failedMachines';

describe('machines that did not get ready', () => {
  let storageDir: string;
  beforeEach(async () => {
    storageDir = await mkdtemp(join(tmpdir(), 'failed-machines-'));
  });
  afterEach(() => rm(storageDir, { recursive: true, force: true }));

  it('are those of one account: at another service, or in the demo, the number is another machine', async () => {
    let account: string | undefined = '0123456789abcdef';
    const machines = new FailedMachines(storageDir, () => account);
    await machines.remember({ machineId: 5, at: 1, reason: 'no disk' });
    account = 'fedcba9876543210';
    assert.deepEqual(await machines.list(), []);
    account = undefined;
    assert.deepEqual(await machines.list(), []);
    account = '0123456789abcdef';
    assert.deepEqual(await machines.list(), [{ machineId: 5, at: 1, reason: 'no disk' }]);
  });
});
