import assert from 'node:assert/strict';
import { commandUseMs, WindowInUse } from '../../../../src/store/accounts/windowInUse';
import { Emitter } from '../../../../src/util/emitter';
import { FakeClock } from '../../../support/fakeClock';
import { FakeHubs } from '../../../support/fakeWindows';

describe('the window in use', () => {
  let clock: FakeClock;
  let focus: Emitter<boolean>;
  let isFocused: boolean;
  let window: WindowInUse;
  let events: boolean[];

  let hubs: FakeHubs;

  beforeEach(() => {
    clock = new FakeClock();
    hubs = new FakeHubs();
    focus = new Emitter<boolean>();
    isFocused = false;
    window = new WindowInUse(
      {
        get isFocused() {
          return isFocused;
        },
        onDidChange: focus.event,
      },
      hubs.open(),
      clock,
    );
    events = [];
    window.onDidChange((value) => events.push(value));
  });
  const become = (value: boolean) => {
    isFocused = value;
    focus.fire(value);
  };

  it('is the one that the editor reports', () => {
    become(true);
    become(false);
    assert.deepEqual(events, [true, false]);
    assert.equal(clock.pending, 0);
  });

  it('is also the one in which a command was chosen, where the editor missed its focus, for a minute', async () => {
    assert.equal(window.isFocused, false);
    window.noteCommand();
    assert.deepEqual([window.isFocused, events], [true, [true]]);
    await clock.advance(commandUseMs - 1);
    window.noteCommand();
    await clock.advance(commandUseMs - 1);
    assert.equal(window.isFocused, true);
    await clock.advance(1);
    assert.deepEqual([window.isFocused, events.at(-1)], [false, false]);
  });

  it('is not that any more once it loses the focus, even after a command', () => {
    become(true);
    window.noteCommand();
    become(false);
    assert.deepEqual([window.isFocused, events.at(-1), clock.pending], [false, false, 0]);
    window.noteCommand();
    window.dispose();
    assert.equal(clock.pending, 0);
  });

  it('is not that any more once another one is used, unless the editor reports it', () => {
    const otherFocus = new Emitter<boolean>();
    const other = new WindowInUse({ isFocused: false, onDidChange: otherFocus.event }, hubs.open(), clock);
    window.noteCommand();
    other.noteCommand();
    assert.deepEqual([window.isFocused, other.isFocused, events.at(-1)], [false, true, false]);
    window.noteCommand();
    otherFocus.fire(true);
    assert.deepEqual([window.isFocused, other.isFocused], [false, false]);
    become(true);
    other.noteCommand();
    assert.equal(window.isFocused, true);
  });
});
