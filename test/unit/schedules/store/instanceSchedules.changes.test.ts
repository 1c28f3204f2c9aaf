import assert from 'node:assert/strict';
import { NotReachableError, RateLimitedError } from '../../../../src/api/errors';
import { anInstance } from '../../../support/builders';
import { noticeKinds, scheduleScene, type ScheduleScene } from '../../../support/scheduleWindows';

const minute = 60_000;
const hour = 60 * minute;
const id = 5001;

describe('Schedules of instances', () => {
  let { service, computer, disk, open, pass, at } = {} as ScheduleScene;
  beforeEach(async () => {
    ({ service, computer, disk, open, pass, at } = await scheduleScene());
  });
  afterEach(() => computer.dispose());

  it('stop in time after a warning, and read back that it stopped', async () => {
    const window = await open();
    await window.schedules.set(id, 'stop', at(hour));
    await pass(54 * minute);
    assert.deepEqual(noticeKinds(window), []);
    await pass(2 * minute);
    assert.deepEqual(noticeKinds(window), ['soon']);
    assert.equal(service.count('instances.stop'), 0);
    await pass(5 * minute);
    assert.deepEqual(noticeKinds(window), ['soon', 'stopped']);
    assert.equal(service.count('instances.stop'), 1);
    assert.deepEqual(window.schedules.rows, []);
    const order = service.calls.filter((call) => /stop|get/.test(call));
    assert.deepEqual(order, ['instances.get', 'instances.stop', 'instances.get']);
  });

  it('destroy in time and read back that it is gone', async () => {
    const window = await open();
    await window.schedules.set(id, 'destroy', at(hour));
    await pass(62 * minute);
    assert.deepEqual(noticeKinds(window), ['soon', 'destroyed']);
    assert.deepEqual(service.instances, []);
    assert.deepEqual(window.schedules.rows, []);
  });

  it('have no timer where there is none', async () => {
    const window = await open();
    service.instances = [];
    await window.fleet.refresh();
    await computer.clock.advance(hour);
    const pending = computer.clock.pending;
    service.instances = [anInstance({ id })];
    await window.fleet.refresh();
    await window.schedules.set(id, 'stop', at(hour));
    await computer.clock.advance(0);
    await window.schedules.cancel(id);
    service.instances = [];
    await window.fleet.refresh();
    await computer.clock.advance(hour);
    assert.equal(computer.clock.pending, pending);
  });

  it('lose no newer decision to the end of the one before, which was being written', async () => {
    const { schedules, accounts } = await open();
    const key = accounts.active?.key ?? '';
    const { schedule } = await schedules.set(id, 'stop', at(hour));
    const changes = [schedules.finish(schedule), schedules.setFirst(key, id, 'destroy', at(2 * hour))];
    await Promise.all(changes);
    assert.equal(disk.schedules.get(id)?.action, 'destroy');
    const second = disk.schedules.get(id) ?? schedule;
    await Promise.all([schedules.set(id, 'stop', at(3 * hour)), schedules.finish(second)]);
    assert.equal(disk.schedules.get(id)?.action, 'stop');
  });

  it('do nothing once cancelled, from another window too, even at the last moment', async () => {
    const window = await open();
    const other = await open();
    await window.schedules.set(id, 'destroy', at(hour));
    await pass(58 * minute);
    await other.schedules.cancel(id);
    await pass(hour);
    assert.deepEqual(noticeKinds(window), ['soon']);
    assert.equal(service.count('instances.destroy'), 0);
    assert.deepEqual(window.schedules.rows, []);
  });

  it('are carried out by the one window that is open, though it received no message of them', async () => {
    const window = await open();
    const schedule = { id: '0a0b0c0d', instanceId: id, action: 'stop', setAt: computer.clock.now() } as const;
    disk.schedules.set(id, { ...schedule, term: at(hour) });
    await pass(6 * minute);
    assert.ok(window.schedules.find(id));
    await pass(hour);
    assert.equal(service.count('instances.stop'), 1);
  });

  it('ask the service nothing more once the window is closed on the way', async () => {
    const window = await open();
    // The service takes the request, and nothing happens.
    service.after = (call) => {
      if (call === 'instances.stop') {
        service.instances = [anInstance({ id })];
      }
    };
    await window.schedules.set(id, 'stop', at(10 * minute));
    while (service.count('instances.stop') === 0) {
      await computer.clock.advance(1000);
    }
    window.close();
    await computer.clock.advance(0);
    const { length } = service.calls;
    await pass(5 * minute);
    assert.equal(service.calls.length, length);
  });

  it('are carried out, though the window that set one was killed before it announced it', async () => {
    const window = await open();
    const other = await open();
    disk.schedules.set(id, {
      id: '0a0b0c0d',
      instanceId: id,
      action: 'stop',
      term: at(hour),
      setAt: computer.clock.now(),
    });
    await pass(6 * minute);
    assert.ok(window.schedules.find(id));
    assert.ok(other.schedules.find(id));
    await pass(hour);
    assert.equal(service.count('instances.stop'), 1);
  });

  it('are carried out later once extended', async () => {
    const window = await open();
    await window.schedules.set(id, 'stop', at(hour));
    await pass(57 * minute);
    await window.schedules.extend(id, hour);
    await pass(30 * minute);
    assert.equal(service.count('instances.stop'), 0);
    await pass(34 * minute);
    assert.equal(service.count('instances.stop'), 1);
    assert.deepEqual(noticeKinds(window), ['soon', 'soon', 'stopped']);
  });

  it('are carried out by one of three windows, also when the one that leads closes', async () => {
    const [first, second, third] = [await open(), await open(), await open()];
    await third.schedules.set(id, 'destroy', at(hour));
    await pass(57 * minute);
    first.close();
    await pass(5 * minute);
    assert.equal(service.count('instances.destroy'), 1);
    assert.deepEqual(noticeKinds(second), ['soon', 'destroyed']);
    assert.deepEqual(noticeKinds(third), ['soon', 'destroyed']);
    assert.deepEqual(third.schedules.rows, []);
  });

  it('act once where two windows believe that they lead', async () => {
    const [first, second] = [await open(), await open()];
    second.hub.leads(true);
    await first.schedules.set(id, 'destroy', at(10 * minute));
    await pass(12 * minute);
    assert.equal(service.count('instances.destroy'), 1);
  });

  it('are left for three minutes to another window that claimed to carry them out', async () => {
    const window = await open();
    await window.schedules.set(id, 'stop', at(10 * minute));
    const key = window.accounts.active?.key ?? '';
    computer.hubs.claimed.add(`${key}:schedule:${disk.schedules.get(id)?.id ?? ''}:1`);
    await pass(12 * minute);
    assert.equal(service.count('instances.stop'), 0);
    await pass(2 * minute);
    assert.equal(service.count('instances.stop'), 1);
  });

  it('that fail are reported once and tried again until they succeed', async () => {
    const window = await open();
    await window.schedules.set(id, 'stop', at(10 * minute));
    let refusals = 3;
    service.before = (call) => {
      if (call === 'instances.stop' && refusals > 0) {
        refusals -= 1;
        throw new RateLimitedError();
      }
    };
    await pass(12 * minute);
    assert.deepEqual(noticeKinds(window), ['soon', 'failed']);
    assert.match(window.postedNotices()[1]?.problem?.template ?? '', /refuses more requests/);
    assert.equal(window.schedules.find(id)?.state.attempts, 2);
    await pass(10 * minute);
    assert.deepEqual(noticeKinds(window), ['soon', 'failed', 'stopped']);
    assert.equal(service.count('instances.stop'), 4);
    assert.equal(computer.log.count('warn The schedule of 5001 could not be carried out'), 3);
  });

  it('that stop read back where the answer was lost, and do not send it again then', async () => {
    const window = await open();
    await window.schedules.set(id, 'stop', at(10 * minute));
    service.failsAfter('instances.stop', () => new NotReachableError());
    await pass(12 * minute);
    assert.deepEqual(noticeKinds(window), ['soon', 'stopped']);
    assert.equal(service.count('instances.stop'), 1);
    assert.equal(window.fleet.facts(id).lastRequest?.kind, 'stop');
  });

  it('that destroy read back where the answer was lost, and do not send it again then', async () => {
    const window = await open();
    await window.schedules.set(id, 'destroy', at(10 * minute));
    service.failsAfter('instances.destroy', () => new NotReachableError());
    await pass(13 * minute);
    assert.deepEqual(noticeKinds(window), ['soon', 'destroyed']);
    assert.equal(service.count('instances.destroy'), 1);
  });

  it('that destroy report if it is not confirmed, check again and report when it is', async () => {
    const window = await open();
    await window.schedules.set(id, 'destroy', at(10 * minute));
    const [instance] = service.instances;
    let isStuck = true;
    service.after = (call) => {
      if (call === 'instances.destroy' && isStuck && instance) {
        service.instances = [instance];
      }
    };
    await pass(12 * minute);
    assert.deepEqual(noticeKinds(window), ['soon', 'failed']);
    isStuck = false;
    await pass(10 * minute);
    assert.deepEqual(noticeKinds(window), ['soon', 'failed', 'destroyed']);
  });

  it('end with an instance that is gone, and with one that was stopped already', async () => {
    const window = await open();
    await window.schedules.set(id, 'stop', at(hour));
    await service.client.instances.stop(id);
    await window.fleet.refresh();
    await pass(minute);
    assert.deepEqual(window.schedules.rows, []);
    await window.schedules.set(id, 'destroy', at(hour));
    await pass(minute);
    assert.equal(window.schedules.rows.length, 1);
    service.instances = [];
    await window.fleet.refresh();
    await pass(2 * hour);
    assert.equal(window.schedules.rows.length, 1, 'kept for a day, in case the service was wrong');
    computer.clock.jump(25 * hour);
    await pass(minute);
    assert.deepEqual(window.schedules.rows, []);
    assert.deepEqual(noticeKinds(window), []);
  });

  it('stay where the list could not be read', async () => {
    const window = await open();
    await window.schedules.set(id, 'destroy', at(hour));
    service.instances = [];
    service.failsBefore('instances.list', () => new NotReachableError());
    await window.fleet.refresh().catch(() => undefined);
    await pass(minute);
    assert.equal(window.schedules.rows.length, 1);
  });

  it('stay where the instance was just rented and is in no list yet', async () => {
    const window = await open();
    await window.schedules.set(6001, 'destroy', at(hour));
    await window.fleet.refresh();
    await pass(minute);
    await window.fleet.refresh();
    assert.deepEqual(
      window.schedules.rows.map(({ schedule, state }) => [schedule.instanceId, state.endedAt]),
      [[6001, undefined]],
    );
  });
});
