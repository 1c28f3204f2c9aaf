import assert from 'node:assert/strict';
import { onAccountEnd } from '../../../../src/store/accounts/accountEnds';
import type { AccountsState } from '../../../../src/store/accounts/accounts';
import { Emitter } from '../../../../src/util/emitter';
import { settle } from '../../../support/fakeClock';
import { MemoryLog } from '../../../support/fakeTransport';
import { only } from '../../../support/only';

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
    const log = new MemoryLog();
    const watch = onAccountEnd(
      only({ accounts, accountCleanup: { onDidRemove: removed.event }, log }),
      (key) => ends.push(key),
    );
    const become = async (key: string | undefined, keys: readonly string[]) => {
      accounts.active = key === undefined ? undefined : { key };
      accounts.keys = [...keys];
      changed.fire({ kind: 'signedOut' });
      await settle();
    };
    return { accounts, become, ends, log, removed, watch };
  }

  it('is reported when another window announces it', () => {
    const { ends, removed, watch } = scene();
    removed.fire('b');
    assert.deepEqual(ends, ['b']);
    watch.dispose();
  });

  it('is noticed by a window that receives no messages from others', async () => {
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
    const { accounts, become, ends, log, watch } = scene();
    await become('b', ['a', 'b']);
    await become(undefined, ['a', 'b']);
    accounts.isReadable = false;
    await become(undefined, []);
    assert.deepEqual(ends, []);
    assert.equal(log.count('warn Whether an account is signed out could not be read: Error: EIO'), 1);
    accounts.isReadable = true;
    await become(undefined, ['b']);
    assert.deepEqual(ends, ['a']);
    watch.dispose();
  });

  it('is noticed once, and by nothing that has closed before', async () => {
    const { accounts, become, ends, removed, watch } = scene();
    await become(undefined, ['b']);
    await become(undefined, ['b']);
    assert.deepEqual(ends, ['a']);
    await become('b', ['b']);
    const known = accounts.known.bind(accounts);
    accounts.known = () => {
      watch.dispose();
      return known();
    };
    await become(undefined, []);
    removed.fire('b');
    assert.deepEqual(ends, ['a']);
  });
});
