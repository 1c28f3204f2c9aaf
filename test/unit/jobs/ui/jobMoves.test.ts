import assert from 'node:assert/strict';
import { setImmediate } from 'node:timers/promises';
import { setWindowParts } from '../../../../src/editor/windowParts';
import type { JobMove } from '../../../../src/jobs/model/job';
import type { JobDeps } from '../../../../src/jobs/ui/deps';
import { showMoves } from '../../../../src/jobs/ui/jobMoves';
import { Emitter } from '../../../../src/util/emitter';
import { CountedListeners } from '../../../support/countedListeners';
import { FakeClock } from '../../../support/fakeClock';
import { aJobRow } from '../../../support/jobRow';
import { textsOn, useScreen } from '../../../support/onScreen';

describe('The progress of the files of a job', () => {
  const screen = useScreen();
  let clock: FakeClock;
  let changed: Emitter<string>;
  const listeners = new CountedListeners();
  let move: JobMove | undefined;
  let isFocused: boolean;
  let done: string[];
  let end: { dispose(): void };
  let refusal: Error | undefined;

  const say = (way: JobMove['way'], bytes: number) => {
    move = { way, bytes, totalBytes: 300_000_000 };
    changed.fire('one');
  };
  const shown = () => screen.messages.shown.map(({ text, buttons }) => `${text} [${buttons.join(', ')}]`);
  const pass = (ms: number) => clock.advance(ms);

  beforeEach(() => {
    clock = new FakeClock();
    setWindowParts({ clock });
    changed = new Emitter<string>();
    [move, isFocused, done, refusal] = [undefined, true, [], undefined];
    const note = (what: string) => async (id: string) => {
      done.push(`${what} ${id}`);
      await setImmediate();
      if (refusal) {
        throw refusal;
      }
      return true;
    };
    end = showMoves({
      clock,
      jobs: {
        moves: listeners.of({
          onDidChange: changed.event,
          find: (id: string) => (id === 'one' ? move : undefined),
        }),
        find: () => aJobRow({}, { job: { id: 'one' } }),
        stop: note('stop'),
        pauseFetch: note('pause'),
      },
      report: { error: (error: unknown) => done.push(String(error)) },
      windowInUse: {
        get isFocused() {
          return isFocused;
        },
      },
    } as unknown as JobDeps);
  });
  afterEach(async () => {
    move = undefined;
    changed.fire('one');
    await setImmediate();
    end.dispose();
    textsOn(screen);
    assert.equal(listeners.count, 0);
  });

  it('is shown while they are sent, once that lasts longer, and ends with them', async () => {
    say('sending', 12_000_000);
    await pass(999);
    say('sending', 24_000_000);
    assert.deepEqual(shown(), []);
    await pass(1);
    await pass(700);
    assert.deepEqual(shown(), ['Sending the files of train to trainer: 24 MB of 300 MB [Cancel]']);
    say('sending', 36_000_000);
    changed.fire('another');
    assert.deepEqual(shown(), ['Sending the files of train to trainer: 36 MB of 300 MB [Cancel]']);
    move = undefined;
    changed.fire('one');
    await pass(0);
    assert.deepEqual(shown(), []);
    assert.deepEqual(done, []);
  });

  it('is not shown of files that are sent in a moment, nor of the next ones too soon', async () => {
    say('sending', 12_000_000);
    await pass(500);
    move = undefined;
    changed.fire('one');
    await pass(100);
    say('fetching', 0);
    await pass(900);
    assert.deepEqual(shown(), []);
    await pass(100);
    await pass(700);
    assert.deepEqual(shown(), ['Fetching the outputs of train from trainer: 0 B of 300 MB [Cancel]']);
  });

  it('ends if the files move the other way', async () => {
    say('sending', 12_000_000);
    await pass(1000);
    await pass(700);
    say('fetching', 0);
    await pass(0);
    assert.deepEqual(shown(), []);
  });

  it('is left to the window in use', async () => {
    isFocused = false;
    say('sending', 12_000_000);
    await pass(5000);
    assert.deepEqual(shown(), []);
  });

  for (const [way, what] of [
    ['sending', 'stop one'],
    ['fetching', 'pause one'],
  ] as const) {
    it(`can be canceled: ${what}`, async () => {
      say(way, 12_000_000);
      await pass(1000);
      await pass(700);
      screen.messages.shown[0]?.press('Cancel');
      await pass(0);
      assert.deepEqual(done, [what]);
      assert.deepEqual(shown(), []);
    });
  }

  it('shows that it could not be canceled', async () => {
    refusal = new Error('The disk is full.');
    say('sending', 12_000_000);
    await pass(1000);
    await pass(700);
    screen.messages.shown[0]?.press('Cancel');
    await pass(0);
    assert.deepEqual(done, ['stop one', 'Error: The disk is full.']);
  });

  it('does not appear once the window closes', async () => {
    say('sending', 12_000_000);
    end.dispose();
    assert.equal(clock.pending, 0);
    await pass(5000);
    assert.deepEqual(shown(), []);
  });
});
