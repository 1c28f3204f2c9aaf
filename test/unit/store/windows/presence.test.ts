import assert from 'node:assert/strict';
import { Presence, presenceGraceMs } from '../../../../src/store/windows/presence';
import { FakeClock } from '../../../support/fakeClock';
import { FakeHubs } from '../../../support/fakeWindows';

describe('The instances that windows are connected to', () => {
  let clock: FakeClock;
  let hubs: FakeHubs;
  let opened: (() => void)[];
  beforeEach(() => {
    clock = new FakeClock();
    hubs = new FakeHubs();
    opened = [];
  });
  afterEach(() => opened.forEach((close) => close()));

  const open = () => {
    const hub = hubs.open();
    const presence = new Presence({ hub, clock });
    const close = () => {
      hub.dispose();
      presence.dispose();
    };
    opened.push(close);
    const seen = () => [presence.isAnyUsed, presence.isUsed('gpu-1')];
    return { hub, presence, close, seen };
  };

  it('are known of the window itself and of the others, also where it is one alone', () => {
    const [leading, other] = [open(), open()];
    assert.deepEqual(
      [leading.seen(), other.seen()],
      [
        [false, false],
        [false, false],
      ],
    );
    other.presence.set('terminal', ['gpu-1']);
    assert.deepEqual(leading.seen(), [true, true]);
    assert.deepEqual(other.seen(), [true, true]);
    other.presence.set('terminal', []);
    assert.deepEqual(leading.seen(), [false, false]);
    assert.deepEqual(other.seen(), [false, false]);
    leading.presence.set('window', ['gpu-2']);
    assert.deepEqual(
      [leading.seen(), other.seen()],
      [
        [true, false],
        [true, false],
      ],
    );
  });

  it('are forgotten of a window that was closed, which is reported', () => {
    const [leading, other] = [open(), open()];
    other.presence.set('terminal', ['gpu-1']);
    let changes = 0;
    leading.presence.onDidChange(() => (changes += 1));
    other.close();
    assert.deepEqual([leading.seen(), changes > 0], [[false, false], true]);
  });

  it('are sent by the other windows to one that leads later, which knows all after ten seconds', async () => {
    const [first, second, third] = [open(), open(), open()];
    second.presence.set('terminal', ['gpu-1']);
    await clock.advance(presenceGraceMs);
    assert.deepEqual([first.presence.isComplete, third.presence.isComplete], [true, false]);
    hubs.hold();
    first.close();
    second.close();
    hubs.arrive();
    assert.deepEqual([third.seen(), third.presence.isComplete], [[false, false], false]);
    await clock.advance(presenceGraceMs - 1);
    assert.equal(third.presence.isComplete, false);
    await clock.advance(1);
    assert.equal(third.presence.isComplete, true);
  });

  it('are asked for by a window that leads already when it begins to count them', () => {
    const hub = hubs.open();
    open().presence.set('terminal', ['gpu-1']);
    const presence = new Presence({ hub, clock });
    opened.push(() => presence.dispose());
    assert.equal(presence.isUsed('gpu-1'), true);
  });

  it('are sent to a window that opens, and by one that does not lead any more', () => {
    const first = open();
    first.presence.set('terminal', ['gpu-1']);
    const second = open();
    first.hub.leads(false);
    assert.deepEqual(second.seen(), [true, true]);
  });

  it('are reported once in any order', () => {
    const { presence } = open();
    let changes = 0;
    presence.onDidChange(() => (changes += 1));
    presence.set('terminal', ['gpu-2', 'gpu-1']);
    presence.set('terminal', ['gpu-1', 'gpu-2']);
    assert.equal(changes, 1);
    presence.set('terminal', ['gpu-1']);
    assert.equal(changes, 2);
  });

  it('are in use until each work on them is over, also where it fails', async () => {
    const { presence, seen } = open();
    let end = () => {};
    const long = presence.during('gpu-1', () => new Promise<void>((resolve) => (end = resolve)));
    const failed = presence.during('gpu-1', () => Promise.reject(new Error('cut')));
    const other = presence.during('gpu-2', () => Promise.resolve());
    await assert.rejects(failed, /cut/);
    await other;
    assert.deepEqual([seen(), presence.isUsed('gpu-2')], [[true, true], false]);
    end();
    await long;
    assert.deepEqual(seen(), [false, false]);
  });
});
