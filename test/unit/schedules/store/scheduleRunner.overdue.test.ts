import assert from 'node:assert/strict';
import { NotReachableError } from '../../../../src/api/errors';
import { UserError } from '../../../../src/util/errors';
import { text } from '../../../../src/util/text';
import { anInstance } from '../../../support/builders';
import {
  noticeKinds,
  openScheduleWindow,
  passInMinutes,
  scheduleScene,
  type ScheduleScene,
} from '../../../support/scheduleWindows';

const minute = 60_000;
const hour = 60 * minute;
const id = 5001;

describe('Schedules whose time passed unseen', () => {
  let { service, computer, disk, open, pass, at } = {} as ScheduleScene;
  beforeEach(async () => {
    ({ service, computer, disk, open, pass, at } = await scheduleScene());
  });
  afterEach(() => computer.dispose());

  it('that destroy and were due while no editor was open ask first', async () => {
    const window = await open();
    await window.schedules.set(id, 'destroy', at(hour));
    await pass(10 * minute);
    window.close();
    computer.clock.jump(9 * hour);
    const next = await open();
    await pass(30 * minute);
    assert.deepEqual(noticeKinds(next), ['missed']);
    assert.equal(service.count('instances.destroy'), 0);
    await next.schedules.extend(id, hour);
    await pass(62 * minute);
    assert.equal(service.count('instances.destroy'), 1);
  });

  it('end no instance while its files are being saved', async () => {
    const window = await open();
    window.work.isBeingSaved = true;
    await window.schedules.set(id, 'stop', at(hour));
    await pass(2 * hour);
    assert.deepEqual([service.count('instances.stop'), noticeKinds(window)], [0, []]);
    window.work.isBeingSaved = false;
    await pass(10 * minute);
    assert.equal(service.instances[0]?.intendedStatus, 'stopped');
    window.work.isBeingSaved = true;
    await window.schedules.set(id, 'destroy', at(hour));
    await pass(3 * hour);
    assert.equal(service.count('instances.destroy'), 0);
    assert.ok(noticeKinds(window).includes('missed'), 'the user is asked');
  });

  it('end no instance whose files begin to be saved while the request waits', async () => {
    const window = await open();
    service.wait = () => {
      window.work.isBeingSaved = true;
    };
    await window.schedules.set(id, 'stop', at(hour));
    await pass(2 * hour);
    assert.equal(service.count('instances.stop'), 0);
    service.wait = () => undefined;
    window.work.isBeingSaved = false;
    await pass(20 * minute);
    assert.equal(service.instances[0]?.intendedStatus, 'stopped');
  });

  it('are not asked about where the instance destroyed itself while no editor was open', async () => {
    const window = await open();
    const { schedule } = await window.schedules.set(id, 'destroy', at(hour));
    const now = computer.clock.now();
    await window.schedules.setArmed(schedule, { token: 'ab', at: now + hour, provedAt: now });
    await pass(minute);
    window.close();
    service.instances = [];
    computer.clock.jump(9 * hour);
    const next = await open();
    await pass(30 * minute);
    assert.deepEqual(noticeKinds(next), ['destroyed']);
    assert.equal(
      next.schedules.find(id)?.schedule.id,
      schedule.id,
      'the history has to know that it was scheduled',
    );
    await passInMinutes(computer, 25 * hour);
    assert.deepEqual([noticeKinds(next), next.schedules.rows], [['destroyed'], []]);
    assert.equal(service.count('instances.destroy'), 0);
  });

  it('are asked about only once the service lists the instance', async () => {
    const window = await open();
    await window.schedules.set(id, 'destroy', at(hour));
    await pass(minute);
    window.close();
    computer.clock.jump(9 * hour);
    service.failsBefore('instances.get', () => new NotReachableError());
    const next = await open();
    await pass(5 * minute);
    assert.deepEqual(noticeKinds(next), []);
    service.before = () => undefined;
    await pass(5 * minute);
    assert.deepEqual(noticeKinds(next), ['missed']);
  });

  it('that stop and were due while no editor was open stop at once and report that', async () => {
    const window = await open();
    await window.schedules.set(id, 'stop', at(hour));
    window.close();
    computer.clock.jump(9 * hour);
    const next = await open();
    await pass(2 * minute);
    assert.deepEqual(
      next.postedNotices().map(({ kind, isLate }) => [kind, isLate]),
      [['stopped', true]],
    );
    assert.equal(service.count('instances.stop'), 1);
  });

  it('that destroy ask first after a computer slept over their time', async () => {
    const window = await open();
    await window.schedules.set(id, 'destroy', at(hour));
    await pass(57 * minute);
    computer.clock.jump(3 * hour);
    await pass(2 * minute);
    assert.deepEqual(noticeKinds(window), ['soon', 'missed']);
    assert.equal(service.count('instances.destroy'), 0);
  });

  it('that destroy ask first after a computer slept between two tries', async () => {
    const window = await open();
    await window.schedules.set(id, 'destroy', at(hour));
    service.failsBefore('instances.destroy', () => new UserError(text('Refused.')));
    await pass(61 * minute);
    service.before = () => undefined;
    const tries = service.count('instances.destroy');
    computer.clock.jump(3 * hour);
    await pass(10 * minute);
    assert.deepEqual(noticeKinds(window), ['soon', 'failed', 'missed']);
    assert.equal(service.count('instances.destroy'), tries);
  });

  it('keep what is left of them when the clock is set back, with the editor open or closed', async () => {
    const window = await open();
    await window.schedules.set(id, 'stop', at(hour));
    await pass(30 * minute);
    computer.clock.jump(-5 * hour);
    await pass(20 * minute);
    assert.equal(service.count('instances.stop'), 0);
    await pass(12 * minute);
    assert.equal(service.count('instances.stop'), 1);

    service.instances = [anInstance({ id, actualStatus: 'running', intendedStatus: 'running' })];
    await window.fleet.refresh();
    await window.schedules.set(id, 'stop', at(hour));
    window.close();
    computer.clock.jump(-24 * hour);
    await open();
    await pass(62 * minute);
    assert.equal(service.count('instances.stop'), 2);
  });

  it('are not taken for done by a list from before the clock was set back', async () => {
    const window = await open();
    await service.client.instances.stop(id);
    await window.fleet.refresh();
    // Until that list is on the disk.
    await computer.clock.advance(1000);
    service.instances = [anInstance({ id, actualStatus: 'running', intendedStatus: 'running' })];
    await window.schedules.set(id, 'stop', at(hour));
    window.close();
    computer.clock.jump(-24 * hour);
    let answer: () => void = () => undefined;
    const answered = new Promise<void>((resolve) => {
      answer = resolve;
    });
    service.before = (call) => (call === 'instances.list' ? answered : undefined);
    const opening = openScheduleWindow(computer, disk);
    // Time for a look at what the list on the disk says.
    await computer.clock.advance(1000);
    answer();
    const next = await opening;
    assert.equal(next.schedules.rows.length, 1);
  });
});
