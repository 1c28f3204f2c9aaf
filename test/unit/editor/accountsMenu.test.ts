import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type * as vscode from 'vscode';
import { AccountsMenu } from '../../../src/editor/accountsMenu';
import { useScreen } from '../../support/onScreen';
import { useFolder } from '../../support/useFolder';

const key = '0123456789abcdef';
const ada = { key, name: 'ada@example.com', isDemo: false };

describe('the account in the accounts menu', () => {
  let storage = '';
  useFolder((made) => (storage = made));
  useScreen();
  const menus: AccountsMenu[] = [];
  afterEach(() => {
    menus.splice(0).forEach((menu) => {
      menu.dispose();
    });
  });

  function open(run: () => Promise<unknown> = () => Promise.resolve()) {
    const menu = new AccountsMenu(storage, run);
    menus.push(menu);
    const events: vscode.AuthenticationProviderAuthenticationSessionsChangeEvent[] = [];
    menu.onDidChangeSessions((event) => events.push(event));
    let changes = 0;
    menu.onDidChange(() => (changes += 1));
    const ids = () =>
      events
        .splice(0)
        .map(({ added, removed, changed }) =>
          [added, removed, changed].map((list) => list?.map(({ account: { label } }) => label).join() ?? ''),
        );
    return { menu, ids, changes: () => changes };
  }

  function keep(active: string, account: string, name = key): void {
    mkdirSync(path.join(storage, 'accounts'), { recursive: true });
    writeFileSync(path.join(storage, 'activeAccount.json'), active);
    writeFileSync(path.join(storage, 'accounts', `${name}.json`), account);
  }

  it('is read from two files, of which nothing damaged or foreign counts', async () => {
    const { menu } = open();
    assert.deepEqual(await menu.getSessions(), []);
    keep(JSON.stringify({ version: 1, key }), JSON.stringify({ name: ada.name, isDemo: true }));
    assert.deepEqual(await menu.current(), { ...ada, isDemo: true });
    for (const [active, account] of [
      ['{', '{}'],
      ['null', 'null'],
      [JSON.stringify({ key: '../accounts/x' }), JSON.stringify({ name: 'x' })],
      [JSON.stringify({ key: null }), JSON.stringify({ name: 'x' })],
      [JSON.stringify({ key }), JSON.stringify({ name: 7 })],
      [JSON.stringify({ key }), '[]'],
    ] as const) {
      keep(active, account);
      assert.equal(await menu.current(), undefined, `${active} ${account}`);
    }
  });

  it('is what the product shows from then on, with one event for each change', async () => {
    const { menu, ids, changes } = open();
    keep(JSON.stringify({ key }), JSON.stringify({ name: ada.name, isDemo: false }));
    await menu.getSessions();
    menu.show(ada);
    menu.show(ada);
    assert.deepEqual([ids(), changes()], [[], 0], 'the editor knows it from the files');
    menu.show({ ...ada, name: 'work' });
    menu.show({ key: 'f'.repeat(16), name: 'team', isDemo: false });
    menu.show(undefined);
    assert.deepEqual(ids(), [
      ['', '', 'work'],
      ['team', 'work', ''],
      ['', 'team', ''],
    ]);
    assert.equal(changes(), 3);
    assert.deepEqual(await menu.getSessions(), [], 'the files count no more');
  });

  it('is made and removed by the commands alone, and another one is left alone', async () => {
    const runs: unknown[] = [];
    const { menu } = open((...command) => Promise.resolve(runs.push(...command)));
    await assert.rejects(menu.createSession([]), /not signed in/);
    menu.show(ada);
    const [one] = await menu.getSessions(['scope']);
    assert.deepEqual(one?.scopes, ['scope']);
    await menu.removeSession('other');
    await menu.removeSession(key);
    assert.deepEqual(runs, ['gpuRental.signIn', 'gpuRental.signOut']);
  });
});
