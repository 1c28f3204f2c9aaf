import assert from 'node:assert/strict';
import type { Client } from '../../../../src/api/client';
import { ForbiddenError } from '../../../../src/api/errors';
import { AccountParts } from '../../../../src/features/accountView/accountParts';
import type { Account, AccountsState } from '../../../../src/store/accounts/accounts';
import { Emitter } from '../../../../src/util/emitter';
import { silentLog } from '../../../../src/util/log';
import { FakeClock, settle } from '../../../support/fakeClock';
import { FakeHubs, FakeSecrets } from '../../../support/fakeWindows';
import { keptSecrets } from '../../../support/keptSecrets';
import { only } from '../../../support/only';

/** A client with the one group that these tests read. */
function clientOf(list: () => Promise<readonly { name: string; value?: string }[]>): Client {
  // Only `secrets.list` is called here.
  return { secrets: { list } } as unknown as Client;
}

function accountsWith(first: Account) {
  const changed = new Emitter<AccountsState>();
  const state = { active: first as Account | undefined };
  // `AccountParts` needs who is active and when that changes, nothing else.
  const accounts = {
    get active() {
      return state.active;
    },
    onDidChange: changed.event,
  };
  return {
    accounts: only<PartsDeps['accounts']>(accounts),
    become: (account: Account | undefined) => {
      state.active = account;
      changed.fire({ kind: 'signedOut' });
    },
  };
}

type PartsDeps = ConstructorParameters<typeof AccountParts>[0];
const account = (key: string, client: Client) => ({ key, client }) as unknown as Account;

const partsOf = (
  accounts: PartsDeps['accounts'],
  hub = new FakeHubs().open(),
  kept = keptSecrets(new FakeSecrets()),
) =>
  new AccountParts({
    ...{ accounts, hub, clock: new FakeClock(), log: silentLog },
    keptSecrets: kept,
  });

describe('the parts of the account view', () => {
  it('read the secrets of this computer again after a change of this account, without their values', async () => {
    const ring = new FakeSecrets();
    const kept = keptSecrets(ring);
    const { accounts } = accountsWith(
      account(
        'one',
        clientOf(() => Promise.reject(new ForbiddenError())),
      ),
    );
    const parts = partsOf(accounts, new FakeHubs().open(), kept);
    await kept.add('one', 'FIRST', 'value 1', 'list');
    await settle();
    assert.equal(parts.state('keptSecrets').kind, 'idle', 'nobody looked');
    parts.open('secrets');
    parts.open('keptSecrets');
    await settle();
    const first = { name: 'FIRST', uses: ['list'], changedAt: 7 };
    assert.deepEqual(parts.value('keptSecrets'), [first]);
    assert.equal(parts.state('secrets').kind, 'failed', 'the service may refuse its own');
    await keptSecrets(ring).add('one', 'SECOND', 'value 2', 'template:1');
    await kept.add('two', 'OTHER', 'value 3', 'list');
    await settle();
    const second = { name: 'SECOND', uses: ['template:1'], changedAt: 7 };
    assert.deepEqual(parts.value('keptSecrets'), [first, second]);
    ring.isLocked = true;
    await parts.refresh();
    const state = parts.state('keptSecrets');
    assert.ok(state.kind === 'ready' && state.error !== undefined, 'the last good list stays');
    parts.dispose();
  });

  it('are read when they are opened, once, and again on refresh', async () => {
    let reads = 0;
    const client = clientOf(() => {
      reads += 1;
      return Promise.resolve([{ name: `TOKEN_${reads}` }]);
    });
    const { accounts } = accountsWith(account('one', client));
    const parts = partsOf(accounts);
    await parts.refresh();
    assert.equal(reads, 0, 'nobody looked');
    parts.open('secrets');
    parts.open('secrets');
    await settle();
    assert.deepEqual(parts.value('secrets'), [{ name: 'TOKEN_1' }]);
    await parts.refresh();
    assert.deepEqual(parts.value('secrets'), [{ name: 'TOKEN_2' }]);
    parts.dispose();
  });

  it('show what was asked for last, also where an earlier answer is still on its way', async () => {
    const answers: ((names: readonly { name: string }[]) => void)[] = [];
    const client = clientOf(
      () =>
        new Promise((resolve) => {
          answers.push(resolve);
        }),
    );
    const { accounts } = accountsWith(account('one', client));
    const parts = partsOf(accounts);
    parts.open('secrets');
    await settle();
    const refreshed = parts.refresh();
    await settle();
    answers[0]?.([{ name: 'BEFORE' }]);
    await settle();
    answers[1]?.([{ name: 'BEFORE' }, { name: 'ADDED' }]);
    await refreshed;
    assert.deepEqual(parts.value('secrets'), [{ name: 'BEFORE' }, { name: 'ADDED' }]);
    parts.dispose();
  });

  it('keep the last good data beside an error, and never show a failure as an empty list', async () => {
    let fails = true;
    const client = clientOf(() =>
      fails ? Promise.reject(new ForbiddenError()) : Promise.resolve([{ name: 'TOKEN' }]),
    );
    const { accounts } = accountsWith(account('one', client));
    const parts = partsOf(accounts);
    parts.open('secrets');
    await settle();
    assert.equal(parts.state('secrets').kind, 'failed');
    fails = false;
    await parts.refresh();
    fails = true;
    await parts.refresh();
    const state = parts.state('secrets');
    assert.ok(state.kind === 'ready' && state.error instanceof ForbiddenError);
    assert.deepEqual(state.value, [{ name: 'TOKEN' }]);
    parts.dispose();
  });

  it('are read again where another window read them again, for the same account', async () => {
    const hubs = new FakeHubs();
    const windows = ['one', 'one', 'two'].map((key) => {
      const reads: string[] = [];
      const client = clientOf(() => {
        reads.push(key);
        return Promise.resolve([]);
      });
      const { accounts } = accountsWith(account(key, client));
      const parts = partsOf(accounts, hubs.open());
      parts.open('secrets');
      return { parts, reads };
    });
    await settle();
    await windows[0]?.parts.refresh();
    await settle();
    assert.deepEqual(
      windows.map(({ reads }) => reads.length),
      [2, 2, 1],
    );
    windows.forEach(({ parts }) => parts.dispose());
  });

  it('are removed with their account, also when an answer is late', async () => {
    let answer: ((secrets: { name: string; value: string }[]) => void) | undefined;
    const slow = clientOf(
      () =>
        new Promise((resolve) => {
          answer = resolve;
        }),
    );
    const { accounts, become } = accountsWith(account('one', slow));
    const parts = partsOf(accounts);
    parts.open('secrets');
    await settle();
    become(
      account(
        'two',
        clientOf(() => Promise.resolve([])),
      ),
    );
    answer?.([{ name: 'OF_ONE', value: 'secret' }]);
    await settle();
    assert.equal(parts.state('secrets').kind, 'idle');
    parts.open('secrets');
    await settle();
    assert.deepEqual(parts.value('secrets'), []);
    become(undefined);
    assert.equal(parts.value('secrets'), undefined);
    parts.dispose();
  });
});
