import assert from 'node:assert/strict';
import { whileAsking, withCancellableProgress } from '../../../src/editor/progress';
import { setWindowParts } from '../../../src/editor/windowParts';
import { CancelledError } from '../../../src/util/errors';
import { FakeClock, settle } from '../../support/fakeClock';
import type { Screen } from '../../support/fakeEditor/screen';
import { openScreen } from '../../support/onScreen';

describe('a progress notification', () => {
  let screen: Screen;
  let clock: FakeClock;
  let finish: (value: string) => void;
  let work: Promise<string>;
  const shown = () => screen.messages.shown.map(({ text }) => text);

  beforeEach(() => {
    screen = openScreen();
    clock = new FakeClock();
    setWindowParts({ clock });
    work = new Promise((resolve) => {
      finish = resolve;
    });
  });

  it('is not shown for what is done at once', async () => {
    const result = withCancellableProgress('Reading', () => work);
    finish('done');
    assert.equal(await result, 'done');
    await clock.advance(10_000);
    assert.deepEqual(screen.messages.history, []);
  });

  it('appears with the earlier text, and ends with the work', async () => {
    const result = withCancellableProgress('Reading', (_signal, say) => {
      say('page 1');
      say('page 2');
      return work;
    });
    await clock.advance(1000);
    assert.deepEqual(shown(), ['Reading: page 2']);
    finish('done');
    assert.equal(await result, 'done');
    await settle();
    assert.deepEqual(shown(), []);
  });

  it('cancels the work', async () => {
    const result = withCancellableProgress('Reading', async (signal) => {
      await new Promise((resolve) => {
        signal.addEventListener('abort', resolve);
      });
      throw new Error('cancelled');
    });
    await clock.advance(1000);
    screen.messages.shown[0]?.press('Cancel');
    await assert.rejects(result, /cancelled/);
  });

  it('appears as late as is asked for, and its Cancel ends the waiting', async () => {
    const result = whileAsking(work, 10_000);
    await clock.advance(9_900);
    assert.deepEqual(shown(), []);
    await clock.advance(200);
    assert.deepEqual(shown(), ['Waiting for the service…']);
    screen.messages.shown[0]?.press('Cancel');
    await assert.rejects(result, CancelledError);
  });

  it('hands on what fails before anything is waited for', async () => {
    const failing = () => {
      throw new Error('no folder');
    };
    await assert.rejects(withCancellableProgress('Reading', failing), /no folder/);
  });
});
