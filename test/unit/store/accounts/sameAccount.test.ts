import assert from 'node:assert/strict';
import { NotSignedInError } from '../../../../src/shared/notSignedIn';
import type { Account } from '../../../../src/store/accounts/accounts';
import { AccountChangedError, clientFor } from '../../../../src/store/accounts/sameAccount';
import { FakeService } from '../../../support/fakeService';
import { FakeComputer } from '../../../support/fakeWindows';

describe('the account of a question and of its answer', () => {
  let computer: FakeComputer;
  let first: Account;

  beforeEach(async () => {
    computer = await FakeComputer.make(new FakeService().client);
    const { accounts } = await computer.openSignedIn();
    assert.ok(accounts.active);
    first = accounts.active;
  });
  afterEach(() => computer.dispose());

  it('is the same, or nothing is done', () => {
    const accounts: { active: Account | undefined } = { active: first };
    const client = clientFor(accounts);
    assert.equal(client(), first.client);
    accounts.active = { ...first, user: { ...first.user, id: 7 } };
    assert.equal(client(), first.client);
    accounts.active = { ...first, key: 'another' };
    assert.throws(client, AccountChangedError);
    accounts.active = undefined;
    assert.throws(client, NotSignedInError);
  });
});
