import assert from 'node:assert/strict';
import { onAccountEnd } from '../../../../src/store/accounts/accountEnds';
import type { AccountsState } from '../../../../src/store/ports';
import { Emitter } from '../../../../src/util/emitter';
import { silentLog } from '../../../../src/util/log';
import { settle } from '../../../support/fakeClock';

describe('The end of an account', () => {
  function scene() {
    const changed = new Emitter<AccountsState>();
    const removed = new Emitter<string>();
    const accounts = {
      active: { key: 'a' } as { readonly key: string } | undefined,
      isReadable: true,
      keys: ['a', 'b'],
      damagedKeys: [] as string[],
      damaged: () =>
        Promise.resolve({
          accounts: new Map(accounts.damagedKeys.map((key) => [key, `${key}.json.broken-1`])),
          active: undefined,
        }),
      known() {
        return accounts.isReadable
          ? Promise.resolve(accounts.keys.map((key) => ({ key })))
          : Promise.reject(new Error('EIO'));
      },
      onDidChange: changed.event,
    };
    const ends: string[] = [];
    const watch = onAccountEnd(
      { accounts, accountCleanup: { onDidRemove: removed.event }, log: silentLog } as never,
      (key) => ends.push(key),
    );
    const become = async (key: string | undefined, keys: readonly string[]) => {
      accounts.active = key === undefined ? undefined : { key };
      accounts.keys = [...keys];
      changed.fire({ kind: 'signedOut' });
      await settle();
    };
    return { accounts, become, ends, removed, watch };
  }

  it('is told where another window says so', () => {
    const { ends, removed, watch } = scene();
    removed.fire('b');
    assert.deepEqual(ends, ['b']);
    watch.dispose();
  });

  it('is noticed by a window that no other tells anything', async () => {
    const { become, ends, watch } = scene();
    await become('b', ['b']);
    assert.deepEqual(ends, ['a']);
    await become(undefined, []);
    assert.deepEqual(ends, ['a', 'b']);
    watch.dispose();
  });

  it('is no damaged file: the account is there again once the user has signed in to it', async () => {
    const { accounts, become, ends, watch } = scene();
    accounts.damagedKeys = ['a'];
    await become(undefined, ['b']);
    assert.deepEqual(ends, []);
    accounts.damagedKeys = [];
    await become(undefined, ['b']);
    assert.deepEqual(ends, ['a']);
    watch.dispose();
  });

  it('is no switch, no locked key ring and no disk that refuses', async () => {
    const { accounts, become, ends, watch } = scene();
    await become('b', ['a', 'b']);
    await become(undefined, ['a', 'b']);
    accounts.isReadable = false;
    await become(undefined, []);
    assert.deepEqual(ends, []);
    accounts.isReadable = true;
    await become(undefined, ['b']);
    assert.deepEqual(ends, ['a']);
    watch.dispose();
  });
});
