import assert from 'node:assert/strict';
import type * as product from '../../../../src/features/lifecycle/logFollower';
import { silentLog } from '../../../../src/util/log';
import { anInstance } from '../../../support/builders';
import { FakeClock } from '../../../support/fakeClock';
import { FakeEventEmitter } from '../../../support/fakeEditor/events';
import { FakePosition, FakeRange } from '../../../support/fakeEditor/values';
import { loadSource } from '../../../support/fakeEditor/product';

describe('The log of an instance in a document', () => {
  const uri = { scheme: 'gpurental-output', toString: () => 'log' };
  const document = { uri, lineCount: 1, getText: () => 'of a' };
  const editor = { document, visibleRanges: [], revealRange: () => undefined };
  const event = new FakeEventEmitter<undefined>().event;
  const { LogFollower } = loadSource('src/features/lifecycle/logFollower.ts', {
    vscode: {
      EventEmitter: FakeEventEmitter,
      l10n: { t: (words: string) => words },
      ProgressLocation: { Notification: 15 },
      Position: FakePosition,
      Range: FakeRange,
      window: {
        visibleTextEditors: [editor],
        onDidChangeVisibleTextEditors: event,
        withProgress: (_: object, run: (progress: object, token: object) => unknown) =>
          run({ report: () => undefined }, { onCancellationRequested: event }),
      },
      workspace: { onDidCloseTextDocument: event, onDidChangeTextDocument: event },
    },
  }) as typeof product;

  it('is read on for the account that it belongs to, and for no other with such an instance', async () => {
    const clock = new FakeClock();
    const reads: string[] = [];
    const accountOf = (key: string) => ({
      key,
      client: {
        instances: {
          logs: () => {
            reads.push(key);
            return Promise.resolve('of a');
          },
        },
      },
    });
    const accounts = { active: accountOf('a') };
    const deps = {
      accounts,
      clock,
      log: silentLog,
      fleet: { find: () => anInstance({ id: 7 }) },
      windowInUse: { isFocused: true, onDidChange: event },
    };
    const documents = { uri: () => uri, show: () => Promise.resolve(editor), grow: () => undefined };
    const follower = new LogFollower(deps as never, documents as never);
    await follower.show(anInstance({ id: 7 }));
    await clock.advance(16_000);
    assert.deepEqual(reads, ['a', 'a']);
    accounts.active = accountOf('b');
    await clock.advance(60_000);
    assert.deepEqual(reads, ['a', 'a']);
    accounts.active = accountOf('a');
    await clock.advance(16_000);
    assert.deepEqual(reads, ['a', 'a', 'a']);
    follower.dispose();
  });
});
