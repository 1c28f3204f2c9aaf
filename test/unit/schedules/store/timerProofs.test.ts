import assert from 'node:assert/strict';
import type { ArmedTimer } from '../../../../src/schedules/model/schedule';
import { TimerProofs, type TimerProof } from '../../../../src/schedules/store/timerProofs';
import { silentLog } from '../../../../src/util/log';
import { anInstance } from '../../../support/builders';
import {
  aliasOf,
  noticeKinds,
  openScheduleWindow,
  scheduleScene,
  type ScheduleScene,
} from '../../../support/scheduleWindows';

const minute = 60_000;
const hour = 60 * minute;
const id = 5001;

describe('The proof of a timer on an instance', () => {
  let { service, computer, disk, pass } = {} as ScheduleScene;
  let verdict: TimerProof | Error;
  let checks: number;
  beforeEach(async () => {
    ({ service, computer, disk, pass } = await scheduleScene());
    verdict = 'armed';
    checks = 0;
  });
  afterEach(() => computer.dispose());

  async function open() {
    const window = await openScheduleWindow(computer, disk);
    window.owned.add(
      new TimerProofs({
        ...window,
        clock: computer.clock,
        log: silentLog,
        aliasOf: (_, instanceId) => aliasOf(instanceId),
        check: () => {
          checks += 1;
          return verdict instanceof Error ? Promise.reject(verdict) : Promise.resolve(verdict);
        },
      }),
    );
    return window;
  }

  /** A window with an instance that destroys itself in a few days. */
  async function openArmed() {
    const window = await open();
    const now = computer.clock.now();
    const { schedule } = await window.schedules.set(id, 'destroy', { kind: 'at', at: now + 100 * hour });
    const armed: ArmedTimer = { token: 'ab', at: now + 100 * hour, provedAt: now };
    await window.schedules.setArmed(schedule, armed);
    await computer.clock.advance(0);
    return window;
  }
  const armedIn = ({ schedules }: Awaited<ReturnType<typeof open>>) => schedules.find(id)?.schedule.armed;

  it('is made again at each connection, and its time is kept', async () => {
    const window = await openArmed();
    await pass(10 * minute);
    assert.equal(checks, 0);
    window.presence.set('terminal', [aliasOf(id)]);
    await pass(minute);
    assert.equal(checks, 1);
    assert.ok(computer.clock.now() - (armedIn(window)?.provedAt ?? 0) <= minute);
    window.presence.set('window', [aliasOf(id)]);
    await pass(10 * minute);
    assert.equal(checks, 1, 'the same connection');
    window.presence.set('window', []);
    window.presence.set('terminal', []);
    window.presence.set('terminal', [aliasOf(id)]);
    await pass(minute);
    assert.equal(checks, 2);
  });

  it('is made again once a day, and hourly where that proved nothing', async () => {
    const window = await openArmed();
    await pass(23 * hour);
    assert.equal(checks, 0);
    verdict = 'nothing';
    await pass(2 * hour - 5 * minute);
    assert.equal(checks, 1);
    verdict = new Error('no route to host');
    await pass(hour);
    assert.equal(checks, 2);
    assert.ok(armedIn(window), 'nothing is proved');
    verdict = 'armed';
    await pass(hour);
    assert.equal(checks, 3);
    await pass(20 * hour);
    assert.equal(checks, 3);
    assert.deepEqual(noticeKinds(window), []);
  });

  it('reports at once that the timer is gone', async () => {
    const window = await openArmed();
    await pass(5 * minute);
    verdict = 'gone';
    window.presence.set('window', [aliasOf(id)]);
    await pass(minute);
    assert.equal(armedIn(window), undefined);
    assert.deepEqual(noticeKinds(window), ['timerGone']);
    await pass(30 * hour);
    assert.equal(checks, 1);
  });

  it('is not asked of an instance that does not run', async () => {
    const window = await openArmed();
    service.instances = [anInstance({ id, actualStatus: 'offline', intendedStatus: 'running' })];
    await window.fleet.refresh();
    await pass(30 * hour);
    assert.equal(checks, 0);
  });

  it('reports nothing if the user canceled the schedule and the timer ended later', async () => {
    const window = await openArmed();
    await window.schedules.keepOnInstance(id);
    await pass(5 * minute);
    verdict = 'gone';
    window.presence.set('window', [aliasOf(id)]);
    await pass(minute);
    assert.equal(window.schedules.find(id), undefined);
    assert.deepEqual(noticeKinds(window), []);
  });
});
