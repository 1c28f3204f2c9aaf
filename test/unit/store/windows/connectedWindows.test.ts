import assert from 'node:assert/strict';
import { ConnectedWindows, type WindowEvent } from '../../../../src/store/windows/connectedWindows';
import { Emitter } from '../../../../src/util/emitter';
import { FakeHubs } from '../../../support/fakeWindows';

const alias = 'gpu-7';

describe('windows that are connected to instances', () => {
  let hubs: FakeHubs;
  beforeEach(() => {
    hubs = new FakeHubs();
  });

  function open(on?: string) {
    const hub = hubs.open();
    const windows = new ConnectedWindows(hub);
    // The real one joins a moment later.
    hub.leads(!hub.isLeader);
    hub.leads(!hub.isLeader);
    const asked: WindowEvent[] = [];
    windows.onMayAsk((what) => asked.push(what));
    if (on !== undefined) {
      windows.set(on);
    }
    return {
      hub,
      windows,
      asked,
      close: () => {
        windows.dispose();
        hub.dispose();
      },
    };
  }
  const all = (...windows: readonly { readonly asked: readonly WindowEvent[] }[]) =>
    windows.flatMap(({ asked }) => asked);

  it('are known to all windows, until they close or their leader is gone', () => {
    const leader = open();
    const connected = open(alias);
    const third = open();
    for (const one of [leader, connected, third]) {
      assert.equal(one.windows.isOpen(alias), true);
      assert.equal(one.windows.isOpen('gpu-8'), false);
    }
    leader.close();
    assert.equal(third.windows.isOpen(alias), true);
    connected.close();
    assert.equal(third.windows.isOpen(alias), false);
  });

  it('are known as soon as they are connected', () => {
    const [leader, other] = [open(), open()];
    other.windows.set(alias);
    assert.equal(leader.windows.isOpen(alias), true);
  });

  it('are forgotten by one that leads from now on, but for those that answer', () => {
    const hub = hubs.open();
    // Where the window leads alone, it is told of no change of the others.
    const windows = new ConnectedWindows(
      Object.assign(hub, { onDidChangePeers: new Emitter<never>().event }),
    );
    open(alias);
    hubs.open().broadcast('connected.here', { windowId: 'closed since', alias: 'gpu-8' });
    assert.deepEqual([windows.isOpen(alias), windows.isOpen('gpu-8')], [true, true]);
    hub.leads(false);
    hub.leads(true);
    assert.deepEqual([windows.isOpen(alias), windows.isOpen('gpu-8')], [true, false]);
  });

  it('report again what was lost, to a new leader or to one that asks', () => {
    const leader = open();
    const connected = open(alias);
    const third = hubs.open();
    leader.windows.dispose();
    const next = new ConnectedWindows(third);
    assert.equal(next.isOpen(alias), false);
    connected.hub.isLeader = true;
    connected.hub.leads(false);
    assert.equal(next.isOpen(alias), true);
    hubs.hold();
    connected.windows.want({ alias, event: 'stopped' });
    assert.ok(hubs.lose());
    const [first] = hubs.hubs;
    assert.ok(first);
    const leading = new ConnectedWindows(first);
    assert.deepEqual(connected.asked, []);
    third.broadcast('connected.who', {});
    assert.deepEqual(connected.asked, [{ alias, event: 'stopped' }]);
    leading.dispose();
    next.dispose();
  });

  it('ask about an event in one of them, however many want to and however often', () => {
    const windows = [open(), open(alias), open(alias), open(alias)];
    const connected = windows.slice(1);
    for (let check = 0; check < 3; check += 1) {
      connected.forEach((one) => {
        one.windows.want({ alias, event: 'stopped' });
      });
    }
    assert.deepEqual(all(...windows), [{ alias, event: 'stopped' }]);
  });

  it('do not ask again in a window that opens later, nor after the leader is gone', () => {
    const leader = open(alias);
    const other = open(alias);
    leader.windows.want({ alias, event: 'offline' });
    assert.equal(leader.asked.length, 1);
    leader.close();
    const later = open(alias);
    later.windows.want({ alias, event: 'offline' });
    other.windows.want({ alias, event: 'offline' });
    assert.deepEqual(all(other, later), []);
  });

  it('ask again in a window that opens after all others have closed, because the user is back', () => {
    const before = open(alias);
    before.windows.want({ alias, event: 'stopped' });
    before.close();
    const later = open(alias);
    later.windows.want({ alias, event: 'stopped' });
    assert.equal(all(before, later).length, 2);
  });

  it('do not ask in a window that learned in time that it was asked, once that leads', () => {
    const leader = open(alias);
    leader.windows.want({ alias, event: 'offline' });
    const later = open(alias);
    later.windows.want({ alias, event: 'offline' });
    leader.close();
    assert.deepEqual(later.asked, []);
  });

  it('ask about another event, and about the same one once the machine ran in between', () => {
    const leader = open(alias);
    const other = open(alias);
    other.windows.want({ alias, event: 'stopped' });
    other.windows.want({ alias, event: 'destroyed' });
    assert.deepEqual(
      other.asked.map(({ event }) => event),
      ['stopped', 'destroyed'],
    );
    leader.windows.settle(alias);
    leader.windows.want({ alias, event: 'stopped' });
    other.windows.want({ alias, event: 'stopped' });
    assert.deepEqual(
      all(leader, other).map(({ event }) => event),
      ['stopped', 'stopped', 'destroyed'],
    );
  });

  it('do not ask again about what a running machine does not end, where another window sees it late', () => {
    const quick = open(alias);
    const slow = open(alias);
    const event = 'moved 192.0.2.1:22';
    const isOver = (asked: string) => !asked.startsWith('moved');
    quick.windows.want({ alias, event });
    quick.windows.settle(alias, isOver);
    slow.windows.want({ alias, event });
    assert.deepEqual(all(quick, slow), [{ alias, event }]);
    slow.windows.want({ alias, event: 'stopped' });
    slow.windows.settle(alias, isOver);
    quick.windows.want({ alias, event: 'stopped' });
    assert.equal(all(quick, slow).length, 3);
  });

  it('ask also if the wish arrived before any window led', () => {
    const hub = hubs.open();
    hub.isLeader = false;
    const windows = new ConnectedWindows(hub);
    const asked: WindowEvent[] = [];
    windows.onMayAsk((what) => asked.push(what));
    windows.set(alias);
    windows.want({ alias, event: 'stopped' });
    assert.deepEqual(asked, []);
    hub.leads(true);
    assert.deepEqual(asked, [{ alias, event: 'stopped' }]);
  });

  it('ignore messages that are malformed', () => {
    const one = open(alias);
    const hub = hubs.open();
    for (const topic of ['here', 'gone', 'want', 'may', 'settled', 'who']) {
      for (const data of [null, 7, {}, { windowId: 1 }, []]) {
        hub.broadcast(`connected.${topic}`, data);
      }
    }
    assert.deepEqual(one.asked, []);
    assert.equal(one.windows.isOpen(alias), true);
  });
});
