import assert from 'node:assert/strict';
import type { Account } from '../../../../src/store/accounts/accounts';
import { captureLog } from '../../../../src/store/rentals/captureLog';
import { CancelledError } from '../../../../src/util/errors';
import { FakeClock } from '../../../support/fakeClock';
import { MemoryLog } from '../../../support/fakeTransport';

describe('The log of a machine that is about to be replaced', () => {
  const clock = new FakeClock();
  let log: MemoryLog;
  beforeEach(() => {
    log = new MemoryLog();
  });

  function capture(
    logs: (id: number, query: object, options: { signal: AbortSignal }) => Promise<string>,
    signal?: AbortSignal,
  ) {
    // What is used of an account.
    const account = { client: { instances: { logs } } } as unknown as Account;
    return captureLog({ clock, log }, account, 7, signal);
  }
  const untilAborted = (_id: number, _query: object, { signal }: { signal: AbortSignal }) =>
    new Promise<string>((_resolve, reject) => {
      signal.addEventListener('abort', () => reject(new CancelledError()));
    });

  it('is its last thousand lines', async () => {
    const asked: unknown[] = [];
    const words = await capture((id, query) => {
      asked.push(id, query);
      return Promise.resolve('words');
    });
    assert.deepEqual([words, asked], ['words', [7, { tail: 1000 }]]);
    assert.equal(clock.pending, 0);
  });

  it('is waited for ten seconds, or until the user cancels', async () => {
    let isOver = false;
    const saved = capture(untilAborted).finally(() => (isOver = true));
    await clock.advance(9999);
    assert.equal(isOver, false);
    await clock.advance(1);
    assert.equal(await saved, undefined);
    const abort = new AbortController();
    const cancelled = capture(untilAborted, abort.signal);
    abort.abort();
    assert.equal(await cancelled, undefined);
    assert.deepEqual([log.lines, clock.pending], [[], 0]);
  });

  it('is mentioned in the log if it can’t be read', async () => {
    assert.equal(await capture(() => Promise.reject(new Error('down'))), undefined);
    assert.deepEqual(log.lines, ['warn The log of 7 could not be saved: Error: down']);
    assert.equal(clock.pending, 0);
  });
});
