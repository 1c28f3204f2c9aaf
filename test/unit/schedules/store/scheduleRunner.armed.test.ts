import assert from 'node:assert/strict';
import { anInstance } from '../../../support/builders';
import { noticeKinds, scheduleScene, type ScheduleScene } from '../../../support/scheduleWindows';

const minute = 60_000;
const hour = 60 * minute;
const id = 5001;

describe('Schedules with a timer on the machine', () => {
  let { service, computer, open, pass, at } = {} as ScheduleScene;
  beforeEach(async () => {
    ({ service, computer, open, pass, at } = await scheduleScene());
  });
  afterEach(() => computer.dispose());

  it('are no longer armed once the machine does not run', async () => {
    const window = await open();
    const { schedule } = await window.schedules.set(id, 'destroy', at(hour));
    const armed = { token: 'ab', at: computer.clock.now() + hour, provedAt: computer.clock.now() };
    await window.schedules.setArmed(schedule, armed);
    assert.deepEqual(window.schedules.find(id)?.schedule.armed, armed);
    await service.client.instances.stop(id);
    await window.fleet.refresh();
    await pass(minute);
    assert.equal(window.schedules.find(id)?.schedule.armed, undefined);
    assert.equal(window.schedules.find(id)?.schedule.id, schedule.id);
    assert.deepEqual(noticeKinds(window), ['timerGone']);
  });

  it('report that the machine stopped itself when idle while no editor was open', async () => {
    const window = await open();
    const { schedule } = await window.schedules.set(id, 'stop', { kind: 'idle', minutes: 30 });
    await window.schedules.setArmed(schedule, { token: 'ab', provedAt: computer.clock.now() });
    await pass(minute);
    window.close();
    await service.client.instances.stop(id);
    computer.clock.jump(9 * hour);
    const next = await open();
    await pass(5 * minute);
    assert.deepEqual([noticeKinds(next), next.schedules.rows], [['stoppedItself'], []]);
  });

  it('report nothing of a stop that the user requested', async () => {
    const window = await open();
    const { schedule } = await window.schedules.set(id, 'stop', at(hour));
    await window.schedules.setArmed(schedule, {
      token: 'ab',
      at: at(hour).at,
      provedAt: computer.clock.now(),
    });
    window.fleet.note(id, { kind: 'stop' });
    await service.client.instances.stop(id);
    await window.fleet.refresh();
    await pass(minute);
    assert.deepEqual([noticeKinds(window), window.schedules.rows], [[], []]);
  });

  it('stay armed while the machine does not answer', async () => {
    const window = await open();
    const { schedule } = await window.schedules.set(id, 'destroy', at(9 * hour));
    const armed = { token: 'ab', at: computer.clock.now() + hour, provedAt: computer.clock.now() };
    await window.schedules.setArmed(schedule, armed);
    for (const actualStatus of ['offline', 'unknown', 'loading', null]) {
      service.instances = [anInstance({ id, actualStatus, intendedStatus: 'running' })];
      await window.fleet.refresh();
      await pass(minute);
      assert.deepEqual(window.schedules.find(id)?.schedule.armed, armed, String(actualStatus));
    }
  });

  it('stay armed after sleep and at the start of an editor, when the last list is hours old', async () => {
    const up = anInstance({ id, actualStatus: 'running', intendedStatus: 'running', uptimeMinutes: 10 });
    service.instances = [up];
    const window = await open();
    const { schedule } = await window.schedules.set(id, 'destroy', at(90 * hour));
    await window.schedules.setArmed(schedule, { token: 'ab', provedAt: computer.clock.now() });
    await pass(minute);
    await window.fleet.refresh();
    service.instances = [{ ...up, uptimeMinutes: 10 + 9 * 60 }];
    computer.clock.jump(9 * hour);
    await computer.clock.advance(15_000);
    assert.ok(window.schedules.find(id)?.schedule.armed, 'after sleep');
    window.close();
    computer.clock.jump(9 * hour);
    service.instances = [{ ...up, uptimeMinutes: 10 + 18 * 60 }];
    const next = await open();
    assert.ok(next.schedules.find(id)?.schedule.armed, 'at the start');
    assert.deepEqual([noticeKinds(window), noticeKinds(next)], [[], []]);
  });

  it('stay in sight where the timer on the machine could not be ended, until that is gone', async () => {
    const window = await open();
    const { schedule } = await window.schedules.set(id, 'destroy', at(hour));
    await window.schedules.setArmed(schedule, {
      token: 'ab',
      at: at(hour).at,
      provedAt: computer.clock.now(),
    });
    await window.schedules.keepOnInstance(id);
    await pass(70 * minute);
    assert.equal(service.count('instances.destroy'), 0, 'no editor carries it out');
    assert.equal(window.schedules.find(id)?.schedule.isOnlyOnInstance, true);
    await service.client.instances.stop(id);
    await window.fleet.refresh();
    await pass(minute);
    assert.deepEqual(window.schedules.rows, []);
  });

  it('stay armed as they were where another schedule is set and the timer was not ended', async () => {
    const window = await open();
    const { schedule } = await window.schedules.set(id, 'destroy', at(hour));
    const armed = { token: 'ab', at: at(hour).at, provedAt: computer.clock.now() };
    await window.schedules.setArmed(schedule, armed);
    await window.schedules.set(id, 'stop', at(3 * hour));
    assert.deepEqual(window.schedules.find(id)?.schedule.armed, { ...armed, action: 'destroy' });
    await window.schedules.set(id, 'stop', at(4 * hour));
    assert.deepEqual(window.schedules.find(id)?.schedule.armed, { ...armed, action: 'destroy' });
  });

  it('are no longer armed once the machine was restarted', async () => {
    const window = await open();
    const arm = async () => {
      const { schedule } = await window.schedules.set(id, 'destroy', at(9 * hour));
      const armed = { token: 'ab', at: computer.clock.now() + hour, provedAt: computer.clock.now() };
      assert.equal(await window.schedules.setArmed(schedule, armed), true);
    };
    const isArmed = () => window.schedules.find(id)?.schedule.armed !== undefined;
    await arm();
    await pass(10 * minute);
    assert.equal(isArmed(), true);
    window.fleet.note(id, { kind: 'reboot' });
    await pass(minute);
    assert.equal(isArmed(), false);
    await pass(minute);
    await arm();
    // By another user, as the figure of the service shows.
    await pass(20 * minute);
    service.instances = [anInstance({ id, intendedStatus: 'running', uptimeMinutes: 3 })];
    await window.fleet.refresh();
    await pass(minute);
    assert.equal(isArmed(), false);
  });

  it('are no longer armed once the machine was restarted after the clock was set back', async () => {
    const window = await open();
    const { schedule } = await window.schedules.set(id, 'destroy', at(9 * hour));
    await pass(2 * hour);
    const armed = { token: 'ab', at: schedule.setAt + 9 * hour, provedAt: computer.clock.now() };
    await window.schedules.setArmed(schedule, armed);
    window.close();
    // After the schedule was set, and before the timer was proved.
    computer.clock.jump(-hour);
    const next = await open();
    const proved = () => next.schedules.find(id)?.schedule.armed?.provedAt;
    assert.ok((proved() ?? Infinity) <= computer.clock.now());
    await pass(20 * minute);
    assert.ok(proved());
    service.instances = [anInstance({ id, intendedStatus: 'running', uptimeMinutes: 3 })];
    await next.fleet.refresh();
    await pass(minute);
    assert.equal(proved(), undefined);
  });

  it('are not armed for what was cancelled or changed since', async () => {
    const window = await open();
    const { schedule } = await window.schedules.set(id, 'destroy', at(hour));
    await window.schedules.extend(id, hour);
    const armed = { token: 'ab', at: computer.clock.now() + hour, provedAt: computer.clock.now() };
    assert.equal(await window.schedules.setArmed(schedule, armed), false);
    assert.equal(window.schedules.find(id)?.schedule.armed, undefined);
  });
});
