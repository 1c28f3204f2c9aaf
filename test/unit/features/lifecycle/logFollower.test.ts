import assert from 'node:assert/strict';
import type * as product from '../../../../src/features/lifecycle/logFollower';
import { anInstance } from '../../../support/builders';
import { FakeClock, settle } from '../../../support/fakeClock';
import { FakeEventEmitter } from '../../../support/fakeEditor/events';
import { loadSource } from '../../../support/fakeEditor/product';
import { FakePosition, FakeRange } from '../../../support/fakeEditor/values';
import { only } from '../../../support/only';

describe('The log of an instance in a document', () => {
  const uri = { toString: () => 'log' };
  let revealed = 0;
  const revealRange = () => {
    revealed += 1;
  };
  const editor = {
    document: { uri, lineCount: 1, getText: () => 'of a' },
    ...{ visibleRanges: [], revealRange },
  };
  const visible: (typeof editor)[] = [];
  const event = new FakeEventEmitter<undefined>().event;
  const shownChanged = new FakeEventEmitter<undefined>();
  const closed = new FakeEventEmitter<{ uri: typeof uri }>();
  const { LogFollower } = loadSource('src/features/lifecycle/logFollower.ts', {
    vscode: {
      EventEmitter: FakeEventEmitter,
      l10n: { t: (words: string) => words },
      ProgressLocation: { Notification: 15 },
      Position: FakePosition,
      Range: FakeRange,
      window: {
        visibleTextEditors: visible,
        onDidChangeVisibleTextEditors: shownChanged.event,
        withProgress: (_: object, run: (progress: object, token: object) => unknown) =>
          run({ report: () => undefined }, { onCancellationRequested: event }),
      },
      workspace: { onDidCloseTextDocument: closed.event, onDidChangeTextDocument: event },
    },
  }) as typeof product;

  /** A window that shows the log of instance 7, which says what `answer` gives. */
  async function scene(first = 'of a') {
    revealed = 0;
    visible.splice(0, visible.length, editor);
    const clock = new FakeClock();
    const focusChanged = new FakeEventEmitter<boolean>();
    const reads: string[] = [];
    const texts: string[] = [];
    const warnings: string[] = [];
    const service = { answer: () => Promise.resolve(first) };
    const accountOf = (key: string) => {
      const logs = () => {
        reads.push(key);
        return service.answer();
      };
      return { key, client: { instances: { logs } } };
    };
    const accounts = { active: accountOf('a') };
    const windowInUse = { isFocused: true, onDidChange: focusChanged.event };
    const deps = {
      ...{ accounts, clock, windowInUse },
      log: { warn: (words: string) => warnings.push(words) },
      fleet: { find: () => anInstance({ id: 7 }) },
    };
    const documents = {
      uri: () => uri,
      show: (_: unknown, words: string) => {
        texts.push(words);
        return Promise.resolve(editor);
      },
      grow: (_: unknown, words: string) => texts.push(words),
    };
    const follower = new LogFollower(only(deps), only(documents));
    await follower.show(anInstance({ id: 7 }));
    const focus = (isFocused: boolean) => {
      windowInUse.isFocused = isFocused;
      focusChanged.fire(isFocused);
    };
    return { follower, clock, accounts, accountOf, reads, texts, warnings, service, focus };
  }

  it('is read on for the account that it belongs to, and for no other with such an instance', async () => {
    const { follower, clock, accounts, accountOf, reads } = await scene();
    await clock.advance(16_000);
    assert.deepEqual(reads, ['a', 'a']);
    accounts.active = accountOf('b');
    await clock.advance(60_000);
    assert.deepEqual(reads, ['a', 'a']);
    accounts.active = accountOf('a');
    await clock.advance(16_000);
    assert.deepEqual(reads, ['a', 'a', 'a']);
    follower.dispose();
    assert.equal(clock.pending, 0);
  });

  it('opens at its end, and grows', async () => {
    const { follower, clock, texts, service } = await scene('one');
    assert.equal(revealed, 1);
    service.answer = () => Promise.resolve('one two');
    await clock.advance(15_000);
    assert.deepEqual(texts, ['one', 'one two']);
    follower.dispose();
  });

  it('shows that it is empty, and keeps its text if it is empty later', async () => {
    const { follower, clock, texts, service } = await scene('');
    service.answer = () => Promise.resolve('one');
    await clock.advance(15_000);
    service.answer = () => Promise.resolve('');
    await clock.advance(15_000);
    assert.deepEqual(texts, ['The log is empty.', 'one']);
    follower.dispose();
  });

  it('is read on after a read that failed, which the log of the product names', async () => {
    const { follower, clock, texts, warnings, service } = await scene('one');
    service.answer = () => Promise.reject(new Error('No network'));
    await clock.advance(15_000);
    assert.match(warnings.join(), /The log of 7 could not be read again: .*No network/);
    service.answer = () => Promise.resolve('one two');
    await clock.advance(15_000);
    assert.deepEqual(texts, ['one', 'one two']);
    follower.dispose();
  });

  it('is read only while it is visible', async () => {
    const { follower, clock, reads } = await scene();
    visible.splice(0);
    shownChanged.fire(undefined);
    assert.equal(clock.pending, 0);
    visible.push(editor);
    shownChanged.fire(undefined);
    await clock.advance(15_000);
    assert.equal(reads.length, 2);
    follower.dispose();
  });

  it('is read only while the window is used', async () => {
    const { follower, clock, reads, focus } = await scene();
    focus(false);
    assert.equal(clock.pending, 0);
    focus(true);
    await clock.advance(15_000);
    assert.equal(reads.length, 2);
    follower.dispose();
  });

  it('is read no more once it was closed, though its address may be shown again', async () => {
    const { follower, clock } = await scene();
    closed.fire({ uri });
    shownChanged.fire(undefined);
    assert.equal(clock.pending, 0);
    follower.dispose();
  });

  it('is not read a second time while the service answers slowly', async () => {
    const { follower, clock, reads, service, focus } = await scene();
    let answer: ((words: string) => void) | undefined;
    service.answer = () =>
      new Promise((resolve) => {
        answer = resolve;
      });
    await clock.advance(15_000);
    focus(true);
    await clock.advance(60_000);
    assert.equal(reads.length, 2);
    answer?.('late');
    await settle();
    await clock.advance(15_000);
    assert.equal(reads.length, 3);
    follower.dispose();
  });

  it('is read for no window that has closed', async () => {
    const { follower, clock } = await scene();
    follower.dispose();
    shownChanged.fire(undefined);
    assert.equal(clock.pending, 0);
  });
});
