import assert from 'node:assert/strict';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fromDollars } from '../../../../src/model/money';
import { KeyLostError, KeyUnreadableError } from '../../../../src/store/accounts/accountErrors';
import { computerScene, type ComputerScene } from '../../../support/computerScene';
import { settle } from '../../../support/fakeClock';
import { readLate } from '../../../support/lateRead';
import { until } from '../../../support/until';

describe('accounts', () => {
  let { service, computer } = {} as ComputerScene;
  const main = { serviceUrl: 'https://console.example.com/', apiKey: 'key-one-secret' };

  beforeEach(async () => {
    ({ service, computer } = await computerScene());
  });
  afterEach(() => computer.dispose());

  it('starts signed out where nothing is stored', async () => {
    const { accounts } = computer.openWindow();
    assert.equal(accounts.state.kind, 'loading');
    await accounts.load();
    assert.equal(accounts.state.kind, 'signedOut');
  });

  it('checks the key before it keeps anything', async () => {
    service.before = () => {
      throw new Error('refused');
    };
    const { accounts } = computer.openWindow();
    await assert.rejects(accounts.signIn(main));
    assert.equal(computer.secrets.values.size, 0);
    assert.deepEqual(await accounts.known(), []);
  });

  it('is signed in again after a restart, without asking the service', async () => {
    const first = computer.openWindow();
    await first.accounts.signIn(main);
    first.close();
    service.calls.length = 0;
    const { accounts } = computer.openWindow();
    await accounts.load();
    assert.equal(accounts.active?.name, 'user@example.com');
    assert.equal(accounts.active.serviceUrl, 'https://console.example.com');
    assert.equal(accounts.active.user.credit, fromDollars(12));
    assert.deepEqual(service.calls, []);
  });

  it('never has a link as its name, for any answer of the service', async () => {
    service.user = { ...service.user, email: '[Free credit](command:x)\u202e' };
    const { accounts } = computer.openWindow();
    await accounts.signIn(main);
    assert.equal(accounts.active?.name, '[Free credit] - (command:x)');
  });

  it('follows a sign-in and a sign-out in other windows at once', async () => {
    const one = computer.openWindow();
    const two = computer.openWindow();
    await Promise.all([one.accounts.load(), two.accounts.load()]);
    await one.accounts.signIn(main);
    await until('the other window is signed in', () => two.accounts.active !== undefined, { everyMs: 5 });
    await two.accounts.signOut(two.accounts.active?.key ?? '');
    await until('the first is signed out', () => one.accounts.state.kind === 'signedOut', { everyMs: 5 });
    assert.equal(computer.secrets.values.size, 0);
  });

  it('keeps for each account the address it signed in with, and gives its key to that one only', async () => {
    const { accounts } = computer.openWindow();
    const one = await accounts.signIn(main);
    await accounts.signIn({ serviceUrl: 'https://other.example.org', apiKey: 'key-two-secret' });
    await accounts.switchTo(one.key);
    for (const { serviceUrl, bearer } of computer.clients) {
      const expected = serviceUrl === 'https://console.example.com' ? 'key-one-secret' : 'key-two-secret';
      assert.equal(await bearer(), expected);
    }
    assert.equal((await accounts.known()).length, 2);
  });

  it('lets a write for an account leave only while it is active, and asks for no code without a gate', async () => {
    const { accounts } = computer.openWindow();
    const one = await accounts.signIn(main);
    await accounts.signIn({ serviceUrl: 'https://other.example.org', apiKey: 'key-two-secret' });
    const { hooks = {} } = computer.clients.find(({ accountKey }) => accountKey === one.key) ?? {};
    const beforeWrite = hooks.beforeWrite ?? assert.fail();
    assert.throws(beforeWrite, /account/);
    await accounts.switchTo(one.key);
    beforeWrite();
    assert.equal(hooks.recover, undefined);
  });

  it('speaks for an account through one client, however often it is chosen or read again', async () => {
    const { accounts } = computer.openWindow();
    const one = await accounts.signIn(main);
    const two = await accounts.signIn({ serviceUrl: 'https://other.example.org', apiKey: 'key-two-secret' });
    const made = computer.clients.length;
    for (const account of [one, two, one, two]) {
      await accounts.switchTo(account.key);
      await accounts.rename(account.key, 'mine');
      assert.equal(accounts.active?.client, account.client);
    }
    assert.equal(computer.clients.length, made);
  });

  it('reports that the key was lost instead of signing out', async () => {
    const first = computer.openWindow();
    await first.accounts.signIn(main);
    first.close();
    computer.secrets.values.clear();
    const { accounts } = computer.openWindow();
    await accounts.load();
    assert.equal(accounts.state.kind, 'unreadable');
    assert.ok(accounts.state.error instanceof KeyLostError);
  });

  it('reports that the key ring is locked, and continues once it is unlocked', async () => {
    const first = computer.openWindow();
    const account = await first.accounts.signIn(main);
    first.close();
    computer.secrets.isLocked = true;
    const { accounts } = computer.openWindow();
    await accounts.load();
    assert.equal(accounts.state.kind, 'unreadable');
    assert.ok(accounts.state.error instanceof KeyUnreadableError);
    await accounts.load();
    assert.equal(accounts.state.kind, 'unreadable');
    computer.secrets.isLocked = false;
    await accounts.load();
    assert.equal(accounts.active?.key, account.key);
  });

  it('does not sign out a working window when the key ring locks itself', async () => {
    const { accounts } = computer.openWindow();
    const account = await accounts.signIn(main);
    computer.secrets.isLocked = true;
    await accounts.switchTo(account.key);
    assert.equal(accounts.active?.key, account.key);
  });

  it('works until the window closes where the editor keeps no secrets', async () => {
    computer.secrets.forgets = true;
    const { accounts } = computer.openWindow();
    const account = await accounts.signIn(main);
    assert.equal(account.isKept, false);
    assert.equal(accounts.active?.key, account.key);
  });

  it('ends signed out when a sign-out follows a sign-in that is under way', async () => {
    const { accounts } = computer.openWindow();
    const account = await accounts.signIn(main);
    const again = accounts.signIn(main);
    await settle();
    const out = accounts.signOut(account.key);
    await Promise.all([again, out]);
    assert.equal(accounts.state.kind, 'signedOut');
    assert.equal(computer.secrets.values.size, 0);
  });

  it('has one account for the demo on any port', async () => {
    const { accounts } = computer.openWindow();
    const one = await accounts.signIn({
      serviceUrl: 'http://127.0.0.1:4001',
      apiKey: 'demo-key-1',
      isDemo: true,
    });
    const two = await accounts.signIn({
      serviceUrl: 'http://127.0.0.1:4002',
      apiKey: 'demo-key-2',
      isDemo: true,
    });
    assert.equal(one.key, two.key);
    assert.deepEqual(
      (await accounts.known()).map(({ serviceUrl }) => serviceUrl),
      ['http://127.0.0.1:4002'],
    );
  });

  it('notifies other windows of a changed credit', async () => {
    const one = computer.openWindow();
    const two = computer.openWindow();
    await two.accounts.load();
    await one.accounts.signIn(main);
    await until('both are signed in', () => two.accounts.active !== undefined, { everyMs: 5 });
    service.user = { ...service.user, credit: fromDollars(3) };
    await one.accounts.refreshUser();
    await until('the credit arrived', () => two.accounts.active?.user.credit === fromDollars(3), {
      everyMs: 5,
    });
  });

  it('shows the credit that was read last where the disk answers an earlier reading late', async () => {
    const { accounts } = computer.openWindow();
    const other = computer.openWindow();
    const { key } = await accounts.signIn(main);
    const path = join(computer.storageDir, 'accounts', `${key}.json`);
    const newer = JSON.parse(await readFile(path, 'utf8')) as { user: { credit: number } };
    newer.user.credit = fromDollars(3);
    await readLate(path, JSON.stringify(newer), () => {
      other.hub.broadcast('accounts.user', {});
    });
    assert.equal(accounts.active?.user.credit, fromDollars(3));
  });

  it('knows what was changed before it was asked to read the user, also while an older read is under way', async () => {
    const { accounts } = computer.openWindow();
    await accounts.signIn(main);
    let answer: (() => void) | undefined;
    service.after = () =>
      new Promise((resolve) => {
        answer = resolve;
        service.after = () => undefined;
      });
    const reads = service.count('users.current');
    const older = accounts.refreshUser();
    await settle();
    service.user = { ...service.user, tfaStatus: 'enabled' };
    const newer = [accounts.refreshUser(), accounts.refreshUser()];
    answer?.();
    assert.equal((await older).credit, fromDollars(12));
    assert.deepEqual(
      (await Promise.all(newer)).map(({ tfaStatus }) => tfaStatus),
      ['enabled', 'enabled'],
    );
    assert.equal(accounts.active?.user.tfaStatus, 'enabled');
    assert.equal(service.count('users.current'), reads + 2, 'who waits shares the next read');
  });

  it('writes the key into no file', async () => {
    const { accounts } = computer.openWindow();
    await accounts.signIn(main);
    for (const name of await readdir(computer.storageDir, { recursive: true })) {
      const content = await readFile(join(computer.storageDir, name), 'utf8').catch(() => '');
      assert.ok(!content.includes('key-one-secret'), name);
    }
  });

  for (const what of ['activeAccount.json', 'accounts']) {
    it(`is signed in once the disk gives what it refused at the start: ${what}`, async () => {
      const first = computer.openWindow();
      await first.accounts.signIn(main);
      first.close();
      const path = join(computer.storageDir, what);
      await rename(path, `${path}.away`);
      await (what === 'accounts' ? writeFile(path, '') : mkdir(path));
      const { accounts } = computer.openWindow();
      await accounts.load();
      assert.equal(accounts.state.kind, 'unreadable');
      assert.match(String(accounts.state.error), /could not be read. Check its permissions/);
      await rm(path, { recursive: true });
      await rename(`${path}.away`, path);
      await computer.clock.advance(20_000);
      assert.equal(accounts.active?.name, 'user@example.com');
      assert.equal(computer.clock.pending, 0);
    });
  }

  it('uses its only account if the file of the active one is damaged, and none of several', async () => {
    const path = join(computer.storageDir, 'activeAccount.json');
    const first = computer.openWindow();
    await first.accounts.signIn(main);
    first.close();
    await writeFile(path, '{');
    const second = computer.openWindow();
    await second.accounts.load();
    assert.equal(second.accounts.active?.name, 'user@example.com');
    assert.deepEqual(await second.accounts.damaged(), { accounts: new Map(), active: undefined });
    service.user = { ...service.user, id: 43, email: 'second@example.com' };
    await second.accounts.signIn({ ...main, apiKey: 'key-two-secret' });
    second.close();
    await writeFile(path, '{');
    const { accounts } = computer.openWindow();
    await accounts.load();
    assert.equal(accounts.state.kind, 'signedOut');
    assert.match((await accounts.damaged()).active ?? '', /activeAccount\.json\.broken-\d+$/);
    assert.equal((await accounts.known()).length, 2);
  });

  it('uses its only account in each of two windows that find that file damaged', async () => {
    const first = computer.openWindow();
    await first.accounts.signIn(main);
    first.close();
    const path = join(computer.storageDir, 'activeAccount.json');
    // Another window has set it aside and has not gone on yet.
    await rename(path, `${path}.broken-1`);
    const second = computer.openWindow();
    await second.accounts.load();
    assert.equal(second.accounts.active?.name, 'user@example.com');
  });

  it('uses no account if another one is damaged as well, which may have been the active one', async () => {
    const first = computer.openWindow();
    await first.accounts.signIn(main);
    service.user = { ...service.user, id: 43, email: 'second@example.com' };
    await first.accounts.signIn({ ...main, apiKey: 'key-two-secret' });
    const key = first.accounts.active?.key ?? '';
    first.close();
    await writeFile(join(computer.storageDir, 'accounts', `${key}.json`), '{');
    await writeFile(join(computer.storageDir, 'activeAccount.json'), '{');
    const { accounts } = computer.openWindow();
    await accounts.load();
    assert.equal(accounts.state.kind, 'signedOut');
    assert.equal((await accounts.damaged()).accounts.size, 1);
  });

  it('stays signed in where the disk refuses for a moment, and follows the other windows after it', async () => {
    const one = computer.openWindow();
    await one.accounts.signIn(main);
    const other = computer.openWindow();
    await other.accounts.load();
    const path = join(computer.storageDir, 'activeAccount.json');
    computer.hubs.hold();
    service.user = { ...service.user, id: 43, email: 'second@example.com' };
    await one.accounts.signIn({ ...main, apiKey: 'key-two-secret' });
    await rename(path, `${path}.away`);
    await mkdir(path);
    computer.hubs.arrive();
    await settle();
    assert.equal(other.accounts.active?.name, 'user@example.com');
    await rm(path, { recursive: true });
    await rename(`${path}.away`, path);
    await computer.clock.advance(20_000);
    assert.equal(other.accounts.active.name, 'second@example.com');
  });
});
