import assert from 'node:assert/strict';
import { OneWindow } from '../../../src/shared/oneWindow';
import { Emitter } from '../../../src/util/emitter';
import { silentLog } from '../../../src/util/log';
import { FakeClock } from '../../support/fakeClock';
import { FakeHubs } from '../../support/fakeWindows';

describe('what happens in one window', () => {
  let clock: FakeClock;
  let hubs: FakeHubs;
  let ran: string[];
  let failed: unknown[];

  function open(name: string, isFocused = false) {
    const hub = hubs.open();
    const focused = new Emitter<boolean>();
    const focus = { isFocused, onDidChange: focused.event };
    const one = new OneWindow({ hub, focus, clock, log: silentLog, onError: (error) => failed.push(error) });
    return {
      hub,
      one,
      offer: (key: string, options = {}) => one.offer(key, () => ran.push(`${key} in ${name}`), options),
      check: () => {
        focus.isFocused = true;
        focused.fire(true);
      },
    };
  }
  const offerInAll = (windows: readonly ReturnType<typeof open>[], key: string, options = {}) => {
    for (const window of windows) {
      window.offer(key, options);
    }
  };

  beforeEach(() => {
    clock = new FakeClock();
    hubs = new FakeHubs();
    ran = [];
    failed = [];
  });

  it('happens at once in the window in use', async () => {
    const windows = [open('leader'), open('front', true), open('other')];
    offerInAll(windows, 'a');
    offerInAll(windows, 'a');
    await clock.advance(60_000);
    assert.deepEqual(ran, ['a in front']);
  });

  it('happens in the leading window after five seconds where none is in use', async () => {
    const windows = [open('leader'), open('other')];
    offerInAll(windows, 'a');
    await clock.advance(3000);
    // Something else does not make it wait longer.
    offerInAll(windows, 'b');
    await clock.advance(1999);
    assert.deepEqual(ran, []);
    await clock.advance(1);
    assert.deepEqual(ran, ['a in leader']);
    await clock.advance(3000);
    assert.deepEqual(ran, ['a in leader', 'b in leader']);
    assert.equal(clock.pending, 0);
  });

  it('happens in a window that becomes used before the deadline', async () => {
    const [leader, other] = [open('leader'), open('other')];
    offerInAll([leader, other], 'a');
    await clock.advance(1000);
    other.check();
    await clock.advance(60_000);
    assert.deepEqual(ran, ['a in other']);
  });

  it('waits for a window in use where it belongs to what the user does', async () => {
    const [leader, other] = [open('leader'), open('other')];
    offerInAll([leader, other], 'a', { onlyInUse: true });
    await clock.advance(60_000);
    assert.deepEqual(ran, []);
    other.check();
    await clock.advance(0);
    assert.deepEqual(ran, ['a in other']);
  });

  it('does not happen again after a restart', async () => {
    const first = open('first', true);
    first.offer('a');
    await clock.advance(0);
    first.one.dispose();
    open('second', true).offer('a');
    await clock.advance(60_000);
    assert.deepEqual(ran, ['a in first']);
  });

  it('leaves out what is not so any more, until it is so again', async () => {
    const window = open('leader');
    let isSo = false;
    window.offer('a', { isStillSo: () => isSo });
    await clock.advance(5000);
    assert.deepEqual(ran, []);
    isSo = true;
    window.offer('a', { isStillSo: () => isSo });
    await clock.advance(5000);
    assert.deepEqual(ran, ['a in leader']);
  });

  it('happens once also where the disk refuses, and hands on what fails', async () => {
    const window = open('front', true);
    window.hub.claim = () => Promise.reject(new Error('no space left'));
    window.offer('a');
    window.offer('a');
    window.one.offer('b', () => Promise.reject(new Error('no')));
    await clock.advance(0);
    assert.deepEqual(ran, ['a in front']);
    assert.match(String(failed), /Error: no$/);
  });

  it('happens in no window that has closed', async () => {
    const window = open('leader');
    window.offer('a');
    window.one.dispose();
    await clock.advance(60_000);
    assert.deepEqual([ran, clock.pending], [[], 0]);
  });

  it('is left to the next window by one that closes while it finds out', async () => {
    const closing = open('leader', true);
    closing.one.dispose();
    closing.offer('a');
    closing.hub.dispose();
    const next = open('next', true);
    next.offer('a');
    await clock.advance(60_000);
    assert.deepEqual([ran, clock.pending], [['a in next'], 0]);
  });
});
