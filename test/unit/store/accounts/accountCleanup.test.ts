import assert from 'node:assert/strict';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { AccountCleanup } from '../../../../src/store/accounts/accountCleanup';
import { silentLog } from '../../../../src/util/log';
import { settle } from '../../../support/fakeClock';
import { FakeHubs, FakeSecrets } from '../../../support/fakeWindows';
import { until } from '../../../support/until';
import { useFolder } from '../../../support/useFolder';

const key = '0123456789abcdef';
const other = 'fedcba9876543210';

describe('What an account leaves on this computer', () => {
  let storageDir = '';
  useFolder((made) => void (storageDir = made));
  let hubs: FakeHubs;
  let secrets: FakeSecrets;
  let warnings: string[];
  beforeEach(() => {
    hubs = new FakeHubs();
    secrets = new FakeSecrets();
    warnings = [];
    for (const one of [key, other]) {
      mkdirSync(path.join(storageDir, 'accounts', one, 'rentals'), { recursive: true });
      writeFileSync(path.join(storageDir, 'accounts', one, 'rentals', 'abcd1234.json'), '{}');
    }
  });

  const open = () => {
    const note = (line: string) => void warnings.push(line);
    const log = { ...silentLog, warn: note, error: note };
    const cleanup = new AccountCleanup({
      ...{ hub: hubs.open(), secrets, storageDir, log },
      secretKeys: [(accountKey) => `gpuRental.${accountKey}`],
    });
    const removed: string[] = [];
    cleanup.onDidRemove((one) => removed.push(one));
    return { cleanup, removed };
  };
  const left = () => [key, other].map((one) => existsSync(path.join(storageDir, 'accounts', one, 'rentals')));

  it('is removed after the sign-out, and all windows are notified', async () => {
    const [first, second] = [open(), open()];
    await first.cleanup.remove(key);
    await settle();
    assert.deepEqual([left(), first.removed, second.removed], [[false, true], [key], [key]]);
    second.cleanup.dispose();
    await first.cleanup.remove(other);
    first.cleanup.dispose();
    await settle();
    assert.deepEqual([left(), second.removed], [[false, false], [key]]);
  });

  it('is removed though another window writes into the folder at the same time', async () => {
    const file = (name: number) => path.join(storageDir, 'accounts', key, 'rentals', `${name}.json`);
    for (let name = 0; name < 300; name += 1) {
      writeFileSync(file(name), '{}');
    }
    const { cleanup } = open();
    const removed = cleanup.remove(key);
    await until('the first of its files to be gone', () => !existsSync(file(0)), { everyMs: 0 });
    // On a slow computer the folder may be gone by now as well, and then the window can't write.
    if (existsSync(path.dirname(file(300)))) {
      writeFileSync(file(300), '{}');
    }
    await removed;
    assert.deepEqual(left(), [false, true]);
    cleanup.dispose();
  });

  it('is nothing outside of its folder, for any name that another window sends', async () => {
    const { cleanup, removed } = open();
    await cleanup.remove(`../accounts/${key}`);
    assert.deepEqual([left(), removed], [[true, true], []]);
    cleanup.dispose();
  });

  it('is removed even if the secret store refuses, and that is logged', async () => {
    const { cleanup } = open();
    secrets.delete = () => Promise.reject(new Error('locked'));
    await cleanup.remove(key);
    assert.deepEqual(left(), [false, true]);
    assert.match(warnings.join(), /stays in the secret store/);
    cleanup.dispose();
  });

  it('stays if it can’t be removed, which throws here and is logged in other windows', async () => {
    const [first, second] = [open(), open()];
    secrets.delete = () => {
      throw new Error('no key ring');
    };
    await assert.rejects(first.cleanup.remove(key), /no key ring/);
    await settle();
    assert.deepEqual(left(), [true, true]);
    assert.deepEqual(warnings, ['What a signed-out account left could not be removed']);
    for (const { cleanup } of [first, second]) {
      cleanup.dispose();
    }
  });
});
