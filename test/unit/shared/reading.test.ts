import assert from 'node:assert/strict';
import { AccountReading, isSameList } from '../../../src/shared/reading';
import { Emitter } from '../../../src/util/emitter';
import { CancelledError } from '../../../src/util/errors';
import { settle } from '../../support/fakeClock';
import { FakeService } from '../../support/fakeService';
import { FakeComputer, type FakeWindow } from '../../support/fakeWindows';

describe('A reading of an account', () => {
  let computer: FakeComputer;
  /** What the service has, and how many of its records nobody can read. */
  let listing = { items: ['one'], skipped: 0 };
  let reads = 0;
  /** Awaited before each answer. */
  let answering = Promise.resolve();

  beforeEach(async () => {
    computer = await FakeComputer.make(new FakeService().client);
    listing = { items: ['one'], skipped: 0 };
    reads = 0;
    answering = Promise.resolve();
  });
  afterEach(() => computer.dispose());

  const open = ({ accounts, hub, owned }: FakeWindow) =>
    owned.add(
      new AccountReading({
        accounts,
        talk: { hub, topic: 'list.things', isSame: isSameList },
        clock: computer.clock,
        read: async () => {
          reads += 1;
          await answering;
          return listing;
        },
      }),
    );
  const skippedOf = ({ state }: ReturnType<typeof open>) =>
    state.kind === 'ready' ? state.skipped : 'not ready';

  it('shows how many records could not be read, as long as that is the case', async () => {
    const list = open(await computer.openSignedIn());
    await list.refresh();
    assert.equal(skippedOf(list), undefined);
    listing = { items: ['one'], skipped: 2 };
    await list.refresh();
    assert.equal(skippedOf(list), 2);
    assert.deepEqual(list.state.kind === 'ready' && list.state.value, ['one']);
    listing = { items: ['one'], skipped: 0 };
    await list.refresh();
    assert.equal(skippedOf(list), undefined);
  });

  for (const before of ['nothing', 'a list']) {
    for (const last of ['works', 'fails']) {
      it(`is read once where its own read, which ${last}, shows that the service works again after it had ${before}`, async () => {
        const { accounts, owned } = await computer.openSignedIn();
        const recovered = owned.add(new Emitter<string>());
        let outcome = before === 'nothing' ? 'fails' : 'works';
        let recovers = false;
        const list = owned.add(
          new AccountReading({
            accounts: {
              get active() {
                return accounts.active;
              },
              onDidChange: (listener) => accounts.onDidChange(listener),
              onDidRecover: recovered.event,
            },
            clock: computer.clock,
            read: async ({ key }) => {
              reads += 1;
              await settle();
              // As the client does, right before it gives the answer.
              if (recovers) {
                recovered.fire(key);
              }
              if (outcome === 'fails') {
                throw new Error('refused');
              }
              return listing;
            },
          }),
        );
        await list.refresh().catch(() => undefined);
        outcome = 'fails';
        await list.refresh().catch(() => undefined);
        reads = 0;
        recovers = true;
        outcome = last;
        await list.refresh().catch(() => undefined);
        await settle();
        assert.equal(reads, 1);
        recovers = false;
        outcome = 'fails';
        await list.refresh().catch(() => undefined);
        recovered.fire(accounts.active?.key ?? '');
        await settle();
        assert.equal(reads, 3, 'another read shows it');
      });
    }
  }

  it('shows that it is being read the first time and after a failure, and keeps what it had otherwise', async () => {
    const list = open(await computer.openSignedIn());
    const kinds: string[] = [];
    list.onDidChange((state) => kinds.push(state.kind));
    answering = Promise.reject(new Error('no answer'));
    await assert.rejects(list.refresh(), /no answer/);
    answering = Promise.resolve();
    await list.refresh();
    await list.refresh();
    assert.deepEqual(kinds, ['loading', 'failed', 'loading', 'ready', 'ready']);
  });

  it('is read for the user at once, replacing a read in the background', async () => {
    const { accounts, owned } = await computer.openSignedIn();
    const asked: boolean[] = [];
    const list = owned.add(
      new AccountReading({
        accounts,
        clock: computer.clock,
        read: (_account, { signal, isUnasked }) => {
          asked.push(isUnasked !== true);
          // The pace keeps back reads in the background.
          return isUnasked === true
            ? new Promise((_resolve, reject) => {
                signal.addEventListener('abort', () => {
                  reject(new CancelledError());
                });
              })
            : Promise.resolve(listing);
        },
      }),
    );
    const unasked = list.refresh({ isUnasked: true });
    await settle();
    const shared = list.refresh({ isUnasked: true });
    await list.refresh();
    await Promise.all([unasked, shared]);
    assert.deepEqual(list.value, ['one']);
    assert.deepEqual(asked, [false, true]);
    await Promise.all([list.refresh({ isUnasked: true }), list.refresh()]);
    assert.deepEqual(asked, [false, true, true]);
  });

  it('is read again by the other windows when that number changes', async () => {
    const first = open(await computer.openSignedIn());
    const second = open(await computer.openSignedIn());
    await first.refresh();
    await second.refresh();
    listing = { items: ['one'], skipped: 1 };
    await first.refresh();
    await computer.clock.advance(0);
    assert.equal(skippedOf(second), 1);
    assert.equal(reads, 4);
  });

  it('is read one more time for all requests made while it is being read, after their changes', async () => {
    const window = await computer.openSignedIn();
    const list = open(window);
    let answer = () => {};
    answering = new Promise((resolve) => {
      answer = resolve;
    });
    const first = list.refresh();
    await computer.clock.advance(0);
    const later = [list.refresh(), list.refresh(), list.refresh()];
    await computer.clock.advance(0);
    assert.equal(reads, 1);
    listing = { items: ['two'], skipped: 0 };
    answer();
    await Promise.all([first, ...later]);
    assert.equal(reads, 2);
    assert.deepEqual(list.state.kind === 'ready' && list.state.value, ['two']);
    await list.refresh();
    assert.equal(reads, 3);
  });

  it('is read by the other windows after a shared read that one request was for', async () => {
    const windows = [await computer.openSignedIn(), await computer.openSignedIn()] as const;
    const [first, second] = windows.map(open);
    assert.ok(first && second);
    await Promise.all([first.refresh(), second.refresh()]);
    const under = first.refresh();
    // The other window says that its own read differed, so this one is read again without a message.
    windows[1].hub.broadcast('list.things', windows[0].accounts.active?.key);
    const shared = first.refresh();
    await under;
    listing = { items: ['two'], skipped: 0 };
    await shared;
    await settle();
    assert.deepEqual(second.value, ['two']);
  });

  it('is read to its end for the user, though the user asks again', async () => {
    const { accounts, owned } = await computer.openSignedIn();
    const signals: AbortSignal[] = [];
    const read = async (_: unknown, { signal }: { readonly signal: AbortSignal }) => {
      signals.push(signal);
      await settle();
      return listing;
    };
    const list = owned.add(new AccountReading({ accounts, clock: computer.clock, read }));
    const first = list.refresh();
    await Promise.resolve();
    await Promise.all([first, list.refresh()]);
    assert.deepEqual(
      signals.map(({ aborted }) => aborted),
      [false, false],
    );
  });
});
