import assert from 'node:assert/strict';
import { followAccount } from '../../../src/shared/followAccount';
import { toDisposable } from '../../../src/util/disposable';
import { Emitter } from '../../../src/util/emitter';
import { CountedListeners } from '../../support/countedListeners';

describe('following the active account', () => {
  interface Some {
    readonly key: string;
    readonly credit?: number;
  }
  let active: Some | undefined;
  let changed: Emitter<void>;
  let events: string[];
  const listeners = new CountedListeners();

  const accounts = listeners.of({
    get active() {
      return active;
    },
    onDidChange: (listener: () => void) => changed.event(listener),
  });
  const become = (next: Some | undefined) => {
    active = next;
    changed.fire();
  };
  const follow = () =>
    followAccount(accounts, (account) => {
      const name = account?.key ?? 'none';
      events.push(`${name} begins`);
      return toDisposable(() => events.push(`${name} ends`));
    });

  beforeEach(() => {
    active = undefined;
    changed = new Emitter();
    events = [];
  });

  it('begins at once if an account is signed in, otherwise at the sign-in', () => {
    follow();
    assert.deepEqual(events, []);
    become({ key: 'a' });
    assert.deepEqual(events, ['a begins']);
    follow();
    assert.deepEqual(events, ['a begins', 'a begins']);
  });

  it('ends what it began before another account begins, and when the user signs out', () => {
    active = { key: 'a' };
    follow();
    become({ key: 'b' });
    become(undefined);
    assert.deepEqual(events, ['a begins', 'a ends', 'b begins', 'b ends', 'none begins']);
  });

  it('does not treat a changed credit as another account', () => {
    active = { key: 'a', credit: 5 };
    follow();
    become({ key: 'a', credit: 4 });
    assert.deepEqual(events, ['a begins']);
  });

  it('ends with its listener', () => {
    active = { key: 'a' };
    const before = listeners.count;
    const following = follow();
    assert.equal(listeners.count, before + 1);
    following.dispose();
    become({ key: 'b' });
    assert.deepEqual(events, ['a begins', 'a ends']);
    assert.equal(listeners.count, before);
  });
});
