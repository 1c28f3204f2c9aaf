import assert from 'node:assert/strict';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { UnauthorizedError } from '../../../../src/api/errors';
import { AccountCleanup } from '../../../../src/store/accounts/accountCleanup';
import { secretKeysOf } from '../../../../src/store/accounts/keptSecrets';
import { rentalSecretKeys } from '../../../../src/store/rentals/rentalJournal';
import { silentLog } from '../../../../src/util/log';
import { aUser } from '../../../support/builders';
import { FakeService } from '../../../support/fakeService';
import { FakeComputer } from '../../../support/fakeWindows';
import { until } from '../../../support/until';

const main = { serviceUrl: 'https://console.example.com', apiKey: 'key-one-secret' };

describe('another key for an account', () => {
  let service: FakeService;
  let computer: FakeComputer;
  beforeEach(async () => {
    service = new FakeService();
    computer = await FakeComputer.make(service.client);
  });
  afterEach(() => computer.dispose());

  it('is used in all windows, and the account stays the same', async () => {
    const one = computer.openWindow();
    const two = computer.openWindow();
    await Promise.all([one.accounts.load(), two.accounts.load()]);
    const { key } = await one.accounts.signIn(main);
    await until('the other window', () => two.accounts.active !== undefined, { everyMs: 5 });
    const clients = [one.accounts.active?.client, two.accounts.active?.client];
    const outcome = await one.accounts.replaceKey(key, 'key-two-secret');
    assert.equal(outcome.kind, 'replaced');
    assert.deepEqual([one.accounts.active?.client, two.accounts.active?.client], clients);
    // Each window has its client for the account; those with a key that was only checked keep that one.
    await until(
      'the key in the other window',
      async () =>
        (await Promise.all(computer.clients.map(({ bearer }) => bearer()))).filter(
          (value) => value === 'key-two-secret',
        ).length >= 3,
      { everyMs: 5 },
    );
    assert.equal((await one.accounts.known()).length, 1);
    assert.equal(computer.secrets.values.size, 1);
    assert.match([...computer.secrets.values.values()][0] ?? '', /key-two-secret/);
  });

  it('of another user changes nothing', async () => {
    const { accounts } = computer.openWindow();
    const { key } = await accounts.signIn(main);
    service.user = aUser({ id: 8, email: 'other@example.com' });
    assert.deepEqual(await accounts.replaceKey(key, 'key-other'), {
      kind: 'otherUser',
      name: 'other@example.com',
    });
    assert.equal(accounts.active?.userId, 7);
    assert.match([...computer.secrets.values.values()][0] ?? '', /key-one-secret/);
  });

  it('that is refused changes nothing', async () => {
    const { accounts } = computer.openWindow();
    const { key } = await accounts.signIn(main);
    service.before = () => {
      throw new UnauthorizedError();
    };
    await assert.rejects(accounts.replaceKey(key, 'key-wrong'), UnauthorizedError);
    assert.match([...computer.secrets.values.values()][0] ?? '', /key-one-secret/);
  });

  it('helps an account whose key was lost', async () => {
    const first = computer.openWindow();
    const { key } = await first.accounts.signIn(main);
    first.close();
    computer.secrets.values.clear();
    const { accounts } = computer.openWindow();
    await accounts.load();
    assert.equal(accounts.state.kind, 'unreadable');
    await accounts.replaceKey(key, 'key-two-secret');
    assert.equal(accounts.state.kind, 'signedIn');
    assert.equal(accounts.active?.key, key);
    assert.equal(accounts.active.client, service.client);
  });

  it('does not bring back an account that was signed out before the answer', async () => {
    const { accounts } = computer.openWindow();
    const { key } = await accounts.signIn(main);
    service.before = async () => {
      service.before = () => undefined;
      await accounts.signOut(key);
    };
    await assert.rejects(accounts.replaceKey(key, 'key-two-secret'));
    assert.equal(accounts.state.kind, 'signedOut');
    assert.equal(computer.secrets.values.size, 0);
  });
});

describe('the name of an account', () => {
  let computer: FakeComputer;
  const service = new FakeService();
  beforeEach(async () => {
    computer = await FakeComputer.make(service.client);
  });
  afterEach(() => computer.dispose());

  it('is the same in all windows, and stays when one signs in again', async () => {
    const one = computer.openWindow();
    const two = computer.openWindow();
    await Promise.all([one.accounts.load(), two.accounts.load()]);
    const { key } = await one.accounts.signIn(main);
    await one.accounts.rename(key, ' Lab ');
    assert.equal(one.accounts.active?.name, 'Lab');
    await until('the other window', () => two.accounts.active?.name === 'Lab', { everyMs: 5 });
    await one.accounts.signIn({ ...main, apiKey: 'key-two-secret' });
    assert.equal(one.accounts.active.name, 'Lab');
  });

  it('is that of the service again when it is emptied', async () => {
    const { accounts } = computer.openWindow();
    const { key } = await accounts.signIn(main);
    await accounts.rename(key, 'Lab');
    await accounts.rename(key, '');
    assert.equal(accounts.active?.name, 'user@example.com');
  });
});

describe('the user’s own SSH key', () => {
  it('is known after a restart and in other windows', async () => {
    const service = new FakeService();
    service.user = aUser({ sshKey: 'ssh-ed25519 AAAA me' });
    const computer = await FakeComputer.make(service.client);
    const first = computer.openWindow();
    await first.accounts.signIn(main);
    first.close();
    const { accounts } = computer.openWindow();
    await accounts.load();
    assert.equal(accounts.active?.user.sshKey, 'ssh-ed25519 AAAA me');
    await computer.dispose();
  });
});

describe('what a signed-out account leaves', () => {
  const key = '0123456789abcdef';
  const other = 'fedcba9876543210';
  let computer: FakeComputer;

  /** A file of each kind for two accounts. */
  async function fill(): Promise<void> {
    for (const account of [key, other]) {
      for (const file of [
        'fleet.json',
        'readiness.json',
        'keyAccess.json',
        'rentals/0a0b0c0d.json',
        'watches/01020304.json',
        'failedMachines/5.json',
        'history/5001.json',
        'history/5001.log',
        'agents/requests.json',
        'laterFeature/inner/file.json',
      ]) {
        const path = join(computer.storageDir, 'accounts', account, file);
        await mkdir(dirname(path), { recursive: true });
        await writeFile(path, '{}');
      }
    }
    await computer.secrets.store('gpuRental.rental.0a0b0c0d', '{"env":{"TOKEN":"value"}}');
    for (const account of [key, other]) {
      await computer.secrets.store(`gpuRental.registryLogin.${account}`, '-u me -p token ghcr.io');
      await computer.secrets.store(`gpuRental.ofWing.${account}`, 'value');
    }
  }
  const left = async () =>
    (await readdir(computer.storageDir, { recursive: true, encoding: 'utf8' })).filter((name) =>
      name.includes(key),
    );
  const makeCleanup = () =>
    new AccountCleanup({
      storageDir: computer.storageDir,
      secrets: computer.secrets,
      hub: computer.openWindow().hub,
      log: silentLog,
      secretKeys: [
        (accountKey) => secretKeysOf(computer.secrets, accountKey),
        (accountKey) => rentalSecretKeys(computer.storageDir, accountKey),
        (accountKey) => `gpuRental.ofWing.${accountKey}`,
      ],
    });

  beforeEach(async () => {
    computer = await FakeComputer.make(new FakeService().client);
    await fill();
  });
  afterEach(() => computer.dispose());

  it('is removed, with the secrets that were handed over, and nothing of other accounts', async () => {
    await makeCleanup().remove(key);
    assert.deepEqual(await left(), []);
    assert.deepEqual(
      [...computer.secrets.values.keys()],
      [`gpuRental.registryLogin.${other}`, `gpuRental.ofWing.${other}`],
    );
    assert.equal(await readFile(join(computer.storageDir, 'accounts', other, 'fleet.json'), 'utf8'), '{}');
    assert.deepEqual(await readdir(join(computer.storageDir, 'accounts', other, 'watches')), [
      '01020304.json',
    ]);
  });

  it('is removed by every window, so that nothing stays that one of them was writing', async () => {
    const mine = makeCleanup();
    makeCleanup();
    await mine.remove(key);
    await fill();
    await mine.remove(key);
    await until('the removal', async () => (await left()).length === 0, { everyMs: 5 });
  });

  it('is not looked for outside of the storage', async () => {
    await mkdir(join(computer.storageDir, 'accounts', 'inner'), { recursive: true });
    await makeCleanup().remove('inner');
    await makeCleanup().remove('../accounts');
    await makeCleanup().remove('');
    const folders = await readdir(join(computer.storageDir, 'accounts'));
    assert.deepEqual(folders.sort(), [key, other, 'inner']);
  });
});
