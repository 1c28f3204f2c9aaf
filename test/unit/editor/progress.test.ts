import assert from 'node:assert/strict';
import type * as product from '../../../src/editor/progress';
import type * as clocks from '../../../src/editor/windowClock';
import { FakeClock, settle } from '../../support/fakeClock';
import { loadSource } from '../../support/fakeEditor/product';

interface Shown {
  readonly title: string;
  readonly said: string[];
  readonly cancel: () => void;
  isOpen: boolean;
}

describe('a progress notification', () => {
  const shown: Shown[] = [];
  const sources = loadSources();
  const { withCancellableProgress } = sources.progress;
  let clock: FakeClock;
  let finish: (value: string) => void;
  let work: Promise<string>;

  /** Both from one bundle, so that they share the clock of the window. */
  function loadSources(): { progress: typeof product; windowClock: typeof clocks } {
    const loaded = loadSource('test/support/progressSources.ts', {
      vscode: {
        ProgressLocation: { Notification: 15 },
        l10n: { t: (words: string) => words },
        window: {
          withProgress: (
            { title }: { title: string },
            task: (
              progress: { report: (step: { message: string }) => void },
              token: { onCancellationRequested: (listener: () => void) => { dispose: () => void } },
            ) => Promise<unknown>,
          ) => {
            let cancel = () => {};
            const one: Shown = { title, said: [], cancel: () => cancel(), isOpen: true };
            shown.push(one);
            const token = {
              onCancellationRequested: (listener: () => void) => {
                cancel = listener;
                return { dispose: () => {} };
              },
            };
            return task({ report: ({ message }) => one.said.push(message) }, token).finally(() => {
              one.isOpen = false;
            });
          },
        },
      },
    });
    return loaded as ReturnType<typeof loadSources>;
  }

  beforeEach(() => {
    shown.length = 0;
    clock = new FakeClock();
    sources.windowClock.setWindowClock(clock);
    work = new Promise((resolve) => {
      finish = resolve;
    });
  });

  it('is not shown for what is done at once', async () => {
    const result = withCancellableProgress('Reading', () => work);
    finish('done');
    assert.equal(await result, 'done');
    await clock.advance(10_000);
    assert.deepEqual(shown, []);
  });

  it('comes with what was said before, and ends with the work', async () => {
    const result = withCancellableProgress('Reading', (_signal, say) => {
      say('page 1');
      say('page 2');
      return work;
    });
    await clock.advance(1000);
    assert.deepEqual(
      shown.map(({ title, said }) => ({ title, said })),
      [{ title: 'Reading', said: ['page 2'] }],
    );
    finish('done');
    assert.equal(await result, 'done');
    await settle();
    assert.equal(shown[0]?.isOpen, false);
  });

  it('cancels the work', async () => {
    const result = withCancellableProgress('Reading', async (signal) => {
      await new Promise((resolve) => {
        signal.addEventListener('abort', resolve);
      });
      throw new Error('cancelled');
    });
    await clock.advance(1000);
    shown[0]?.cancel();
    await assert.rejects(result, /cancelled/);
  });

  it('hands on what fails before anything is waited for', async () => {
    const failing = () => {
      throw new Error('no folder');
    };
    await assert.rejects(withCancellableProgress('Reading', failing), /no folder/);
  });
});
