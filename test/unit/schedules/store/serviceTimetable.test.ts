import assert from 'node:assert/strict';
import path from 'node:path';
import {
  ForbiddenError,
  NotReachableError,
  TimedOutError,
  UnauthorizedError,
} from '../../../../src/api/errors';
import { stopOrder } from '../../../../src/schedules/model/timetable';
import { ServiceTimetable } from '../../../../src/schedules/store/serviceTimetable';
import { TimetableFiles, type TimetableRecord } from '../../../../src/schedules/store/timetableFiles';
import { timetableNotice, timetableNoticeKind } from '../../../../src/schedules/store/timetableNotice';
import { silentLog } from '../../../../src/util/log';
import { formatText } from '../../../../src/util/text';
import { anInstance } from '../../../support/builders';
import { passUntil } from '../../../support/computerScene';
import { openScheduleWindow, scheduleScene, type ScheduleScene } from '../../../support/scheduleWindows';
import { useFolder } from '../../../support/useFolder';

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;
const id = 5001;

describe('The timetable of the service as a keeper of an end', () => {
  let { service, computer, disk, at } = {} as ScheduleScene;
  let folder = '';
  let isOn = true;
  useFolder((made) => {
    folder = made;
  });
  beforeEach(async () => {
    ({ service, computer, disk, at } = await scheduleScene({
      instances: [anInstance(), anInstance({ id: 5002, label: 'other' })],
    }));
    isOn = true;
  });
  afterEach(() => computer.dispose());

  async function open() {
    const window = await openScheduleWindow(computer, disk);
    const { accounts, fleet, hub, schedules, notices } = window;
    const timetable = window.owned.add(
      new ServiceTimetable({
        ...{ accounts, fleet, hub, schedules, notices },
        clock: computer.clock,
        log: silentLog,
        isOn: () => isOn,
        files: (key) => new TimetableFiles(path.join(folder, key), silentLog),
      }),
    );
    const posted = () =>
      window.posted
        .filter(({ kind }) => kind === timetableNoticeKind)
        .map(({ data }) => timetableNotice.parse(data));
    return { ...window, timetable, posted };
  }
  const calls = () =>
    service.calls.flatMap((call) => (call.startsWith('timetable.') ? [call.slice(10)] : []));
  const settled = (what: string, holds: () => boolean) => passUntil(computer, what, holds, 500);
  /** Time in which the lists are read, and the files. */
  const wait = async (ms = 5 * minute, stepMs = minute) => {
    const end = computer.clock.now() + ms;
    await passUntil(computer, 'time', () => computer.clock.now() >= end, stepMs);
  };
  const problem = (record: TimetableRecord | undefined) =>
    record?.problem ? formatText(record.problem) : '';
  const ceil = (ms: number) => (Math.ceil(ms / hour) * hour) / 1000;
  /** A window in which the instance stops in two hours, also by the service. */
  async function openSet() {
    const window = await open();
    await settled('the first read', () => calls().length === 1);
    const term = at(2 * hour);
    await window.schedules.set(id, 'stop', term);
    await settled('the stop', () => window.timetable.find(id)?.checkedAt !== undefined);
    return { ...window, term };
  }

  it('is read once and left alone where nothing ends at a time', async () => {
    const { schedules } = await open();
    await schedules.set(id, 'stop', { kind: 'idle', minutes: 30 });
    await wait(hour);
    assert.deepEqual(calls(), ['list']);
    assert.deepEqual(service.timetable, []);
  });

  it('sends nothing where the setting is off', async () => {
    isOn = false;
    const { schedules } = await open();
    await schedules.set(id, 'stop', at(2 * hour));
    await wait();
    assert.deepEqual(calls(), []);
  });

  it('holds a stop at the next full hour, which is read back once', async () => {
    const { term, timetable } = await openSet();
    const [entry] = service.timetable;
    const startTime = ceil(term.at);
    assert.ok(entry);
    assert.deepEqual(entry, {
      ...stopOrder(id, startTime),
      id: entry.id,
      minute: 0,
      status: 'PENDING',
    });
    assert.ok(startTime * 1000 >= term.at && startTime * 1000 < term.at + hour);
    assert.deepEqual(calls(), ['list', 'create', 'list']);
    await wait(30 * minute);
    assert.deepEqual(calls(), ['list', 'create', 'list']);
    assert.equal(timetable.find(id)?.problem, undefined);
  });

  it('holds a stop for a destroy at a time, and never a destroy', async () => {
    const { schedules, timetable } = await open();
    await schedules.set(id, 'destroy', at(2 * hour));
    await settled('the stop', () => timetable.find(id)?.checkedAt !== undefined);
    assert.deepEqual(
      service.timetable.map(({ method, body }) => ({ method, body })),
      [{ method: 'PUT', body: { state: 'stopped' } }],
    );
  });

  it('holds nothing for an agreed destroy, about which the user is asked', async () => {
    const window = await open();
    const key = window.accounts.active?.key ?? '';
    await window.schedules.setAgreed(key, id, { action: 'destroy', term: at(2 * hour) });
    await wait();
    assert.deepEqual(service.timetable, []);
  });

  it('moves the stop with the schedule and deletes it with its cancellation', async () => {
    const { schedules, timetable, term } = await openSet();
    await schedules.extend(id, 5 * hour);
    await settled('the later stop', () => service.timetable[0]?.startTime === ceil(term.at + 5 * hour));
    await settled('its proof', () => timetable.find(id)?.checkedAt !== undefined);
    assert.equal(service.timetable.length, 1);
    assert.deepEqual(calls().slice(3), ['change', 'list']);
    await schedules.cancel(id);
    await settled('nothing', () => timetable.find(id) === undefined);
    assert.deepEqual(service.timetable, []);
    assert.deepEqual(calls().slice(5), ['remove', 'list']);
  });

  it('deletes the stop once the editor stopped the instance, and once the instance is gone', async () => {
    const { schedules, timetable } = await openSet();
    await schedules.set(5002, 'stop', at(2 * hour));
    await settled('both', () => service.timetable.length === 2);
    service.instances = service.instances
      .filter((one) => one.id === id)
      .map((one) => ({ ...one, actualStatus: 'exited', intendedStatus: 'stopped' }));
    await settled('nothing', () => service.timetable.length === 0);
    await settled('no record', () => !timetable.find(id) && !timetable.find(5002));
    assert.equal(service.count('instances.stop'), 0);
  });

  it('gets a stop that is further than a week ahead once it is near enough', async () => {
    const { schedules, timetable } = await open();
    const term = at(9 * day);
    await schedules.set(id, 'stop', term);
    await wait(day, hour);
    assert.equal(service.timetable.length, 0);
    const wish = timetable.wish(id);
    assert.equal(wish?.kind, 'later');
    await wait(day + 3 * hour, hour);
    await settled('the stop', () => timetable.find(id)?.checkedAt !== undefined);
    const [entry] = service.timetable;
    assert.equal(entry?.startTime, ceil(term.at));
    assert.ok((entry.startTime ?? 0) * 1000 - computer.clock.now() < 7 * day);
  });

  it('leaves a stop for five minutes after its hour, so that it can run', async () => {
    const { schedules, timetable } = await open();
    const term = at(2 * hour);
    await schedules.set(id, 'destroy', term);
    await settled('the stop', () => timetable.find(id)?.checkedAt !== undefined);
    // As after sleep: the destroy was missed, and the user is asked.
    computer.clock.jump(ceil(term.at) * 1000 + 2 * minute - computer.clock.now());
    await wait(minute);
    assert.equal(service.timetable.length, 1);
    assert.ok(schedules.find(id)?.state.missedAt !== undefined);
    await wait(6 * minute);
    await settled('nothing', () => timetable.find(id) === undefined);
    assert.deepEqual(service.timetable, []);
  });

  for (const [name, lost] of [
    ['a lost answer', () => new TimedOutError({ isWrite: true })],
    ['a lost connection', () => new NotReachableError({ isWrite: true, wasSent: true })],
  ] as const) {
    it(`sends nothing twice after ${name}: it reads what happened`, async () => {
      const { schedules, timetable } = await open();
      await settled('the first read', () => calls().length === 1);
      service.failsAfter('timetable.create', lost);
      await schedules.set(id, 'stop', at(2 * hour));
      await settled('the stop', () => timetable.find(id)?.checkedAt !== undefined);
      assert.deepEqual(calls(), ['list', 'create', 'list']);
      service.failsAfter('timetable.remove', lost);
      await schedules.cancel(id);
      await settled('nothing', () => timetable.find(id) === undefined);
      assert.deepEqual(calls().slice(3), ['remove', 'list']);
    });
  }

  it('reads before it sends a request again that did not arrive', async () => {
    const { schedules, timetable } = await open();
    await settled('the first read', () => calls().length === 1);
    service.failsBefore('timetable.create', () => new TimedOutError({ isWrite: true }));
    await schedules.set(id, 'stop', at(5 * hour));
    await settled('the problem', () => timetable.find(id)?.problem !== undefined);
    assert.equal(timetable.find(id)?.checkedAt, undefined);
    service.before = () => undefined;
    await wait();
    await settled('the stop', () => timetable.find(id)?.checkedAt !== undefined);
    assert.deepEqual(calls().slice(1), ['create', 'list', 'list', 'create', 'list']);
  });

  it('names the permission that a key lacks, and does not ask again', async () => {
    const { schedules, timetable } = await open();
    await settled('the first read', () => calls().length === 1);
    const route = 'POST /api/v0/commands/schedule_job/';
    for (const error of [
      new UnauthorizedError({ route }),
      new ForbiddenError({ route, lacking: 'instance_write' }),
    ]) {
      service.failsBefore('timetable.create', () => error);
      const before = service.count('timetable.create');
      await schedules.set(id, 'stop', at(before === 0 ? 2 * hour : 4 * hour));
      await settled('the answer', () => service.count('timetable.create') > before);
      await settled('the problem', () => timetable.find(id)?.problem !== undefined);
      assert.match(problem(timetable.find(id)), /needs instance_write/);
      await wait(hour);
      assert.equal(service.count('timetable.create'), before + 1);
    }
  });

  it('adopts an entry of ours that it does not know, and leaves one of the user alone', async () => {
    const { schedules, timetable } = await open();
    await settled('the first read', () => calls().length === 1);
    const weekly = { ...stopOrder(id, 0), id: 1, endTime: 4_000_000_000, startTime: 1 };
    service.timetable = [weekly, { ...stopOrder(5002, 1_700_000_000), id: 2 }];
    await schedules.set(id, 'stop', at(2 * hour));
    await schedules.set(5002, 'stop', at(2 * hour));
    await settled('the stop', () => timetable.find(5002)?.checkedAt !== undefined);
    await settled('the problem', () => timetable.find(id)?.problem !== undefined);
    assert.match(problem(timetable.find(id)), /another entry/);
    assert.deepEqual(service.timetable[0], weekly);
    assert.equal(timetable.find(5002)?.entryId, 2);
    await schedules.cancel(id);
    await wait();
    assert.deepEqual(service.timetable[0], weekly);
  });

  it('does not report as set what differs in one field, what ran and what failed', async () => {
    for (const change of [{ hour: 1 }, { endTime: 1 }, { lastRun: 5 }, { status: 'FAILED' }, { minute: 7 }]) {
      const window = await open();
      service.after = (call) => {
        if (call === 'timetable.create') {
          service.timetable = service.timetable.map((one) => ({ ...one, ...change }));
        }
      };
      await window.schedules.set(id, 'stop', at(2 * hour));
      await settled('the problem', () => window.timetable.find(id)?.problem !== undefined);
      assert.equal(window.timetable.find(id)?.checkedAt, undefined, JSON.stringify(change));
      await window.schedules.cancel(id);
      service.after = () => undefined;
      await settled('nothing', () => window.timetable.find(id) === undefined);
      assert.deepEqual(service.timetable, [], JSON.stringify(change));
      window.close();
    }
  });

  it('warns once if a stop could not be deleted, and deletes it later', async () => {
    const { schedules, timetable, posted, term } = await openSet();
    service.before = (call) => {
      if (call.startsWith('timetable.')) {
        throw new NotReachableError({ wasSent: false });
      }
    };
    await schedules.cancel(id);
    await settled('the warning', () => posted().length > 0);
    assert.deepEqual(posted(), [{ kind: 'notRemoved', instanceId: id, startTime: ceil(term.at) }]);
    assert.equal(timetable.find(id)?.isUnwanted, true);
    service.before = () => undefined;
    await settled('nothing', () => timetable.find(id) === undefined);
    assert.deepEqual(service.timetable, []);
  });

  it('warns once if a stop could not be moved and is too early now, and moves it later', async () => {
    const { schedules, timetable, posted, term } = await openSet();
    const early = ceil(term.at);
    service.before = (call) => {
      if (call.startsWith('timetable.')) {
        throw new NotReachableError({ wasSent: false });
      }
    };
    await schedules.extend(id, 5 * hour);
    await settled('the warning', () => posted().length > 0);
    assert.deepEqual(posted(), [{ kind: 'notRemoved', instanceId: id, startTime: early }]);
    assert.equal(timetable.find(id)?.heldTime, early);
    // The request is refused, and the list shows what is there.
    service.failsBefore('timetable.change', () => new ForbiddenError({ lacking: 'instance_write' }));
    await settled('the refusal', () => /instance_write/.test(problem(timetable.find(id))));
    assert.equal(timetable.find(id)?.heldTime, early);
    service.before = () => undefined;
    await schedules.extend(id, hour);
    await settled('the stop', () => timetable.find(id)?.checkedAt !== undefined);
    assert.equal(timetable.find(id)?.heldTime, undefined);
    assert.equal(service.timetable[0]?.startTime, ceil(term.at + 6 * hour));
    assert.equal(new Set(posted().map((notice) => JSON.stringify(notice))).size, 1);
  });

  it('is gone for a user who cancels only once the service holds nothing', async () => {
    const { schedules, timetable } = await openSet();
    service.failsBefore('timetable.remove', () => new ForbiddenError({ lacking: 'instance_write' }));
    const left = timetable.removal(id);
    await schedules.cancel(id);
    await settled('the problem', () => timetable.find(id)?.problem !== undefined);
    assert.equal(await left, 'refused');
    await schedules.set(id, 'stop', at(2 * hour));
    await settled('the stop', () => timetable.find(id)?.checkedAt !== undefined);
    service.before = () => undefined;
    const gone = timetable.removal(id);
    await schedules.cancel(id);
    await settled('nothing', () => timetable.find(id) === undefined);
    assert.equal(await gone, 'gone');
    assert.equal(await timetable.removal(id), 'gone');
  });

  it('is at another time for a user who keeps the instance only once the service holds that', async () => {
    const { schedules, timetable } = await openSet();
    const early = timetable.find(id)?.startTime ?? 0;
    let isMoved = false;
    const moved = timetable.removal(id, early).then((removal) => {
      isMoved = true;
      return removal;
    });
    await schedules.extend(id, 5 * hour);
    await settled('the stop', () => (timetable.find(id)?.startTime ?? early) !== early || isMoved);
    await settled('the read', () => timetable.find(id)?.checkedAt !== undefined && isMoved);
    assert.equal(await moved, 'gone');
    assert.ok((service.timetable[0]?.startTime ?? 0) > early);
  });

  it('deletes its entries once the setting is turned off', async () => {
    const { timetable } = await openSet();
    isOn = false;
    timetable.look();
    await settled('nothing', () => timetable.find(id) === undefined);
    assert.deepEqual(service.timetable, []);
  });

  it('offers entries of ours that no schedule explains for removal, once', async () => {
    const left = { ...stopOrder(77, 1_700_000_000), id: 3 };
    const mine = { ...stopOrder(78, 1_700_000_000), id: 4, frequency: 'DAILY' };
    service.timetable = [left, mine];
    const { posted } = await open();
    await settled('the offer', () => posted().length > 0);
    assert.deepEqual(posted(), [
      { kind: 'left', entries: [{ id: 3, instanceId: 77, action: 'stop', startTime: 1_700_000_000 }] },
    ]);
    assert.deepEqual(service.timetable, [left, mine]);
  });

  it('is followed by the next window after one was killed between the record and the answer', async () => {
    const first = await open();
    await settled('the first read', () => calls().length === 1);
    service.after = (call) => {
      if (call === 'timetable.create') {
        service.after = () => undefined;
        first.close();
      }
    };
    await first.schedules.set(id, 'stop', at(2 * hour));
    await settled('the entry', () => service.timetable.length === 1);
    const next = await open();
    await settled('the stop', () => next.timetable.find(id)?.checkedAt !== undefined);
    assert.equal(service.count('timetable.create'), 1);
    assert.deepEqual(next.posted(), []);
  });

  it('follows the clock of the service where this computer is an hour wrong', async () => {
    service.here = () => computer.clock.now();
    service.date = () => computer.clock.now() + 3 * hour;
    const { schedules, timetable } = await open();
    await settled('the first read', () => calls().length === 1);
    const term = at(2 * hour);
    await schedules.set(id, 'stop', term);
    await settled('the stop', () => timetable.find(id)?.checkedAt !== undefined);
    assert.equal(service.timetable[0]?.startTime, ceil(term.at + 3 * hour));
  });
});
