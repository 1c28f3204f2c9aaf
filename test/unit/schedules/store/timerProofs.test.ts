import assert from 'node:assert/strict';
import type { ArmedTimer } from '../../../../src/schedules/model/schedule';
import {
  TimerProofs,
  type ArmResult,
  type ArmTimer,
  type TimerProof,
} from '../../../../src/schedules/store/timerProofs';
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
  let arm: ArmTimer;
  let ended: number;
  beforeEach(async () => {
    ({ service, computer, disk, pass } = await scheduleScene());
    verdict = 'armed';
    checks = 0;
    ended = 0;
    arm = () => Promise.resolve('notAsked');
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
        arm: (...asked) => arm(...asked),
        end: () => {
          ended += 1;
          return Promise.resolve(true);
        },
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

  describe('of an agreed end', () => {
    const idle = { action: 'stop', term: { kind: 'idle', minutes: 30 } } as const;
    let starts: number;
    const agreed = async (result: ArmResult) => {
      starts = 0;
      arm = async (_account, _instance, _schedule, _token, mayStart) => {
        if (result === 'notAsked') {
          return result;
        }
        assert.equal(await mayStart(), true);
        starts += 1;
        return result;
      };
      const window = await open();
      await window.schedules.setAgreed(window.accounts.active?.key ?? '', id, idle);
      await pass(2 * minute);
      return window;
    };

    it('follows from a timer that is started without a question, and again once that is gone', async () => {
      const window = await agreed('armed');
      assert.equal(starts, 1);
      assert.equal(armedIn(window)?.isDoubtful, undefined);
      const { token } = armedIn(window) ?? {};
      service.instances = service.instances.map((one) => ({ ...one, actualStatus: 'exited' }));
      await pass(10 * minute);
      assert.equal(armedIn(window), undefined);
      service.instances = service.instances.map((one) => ({ ...one, actualStatus: 'running' }));
      await pass(20 * minute);
      assert.equal(starts, 2);
      assert.notEqual(armedIn(window)?.token, token);
      assert.deepEqual(noticeKinds(window), []);
    });

    it('is none where the machine can’t be armed, which is tried again in a while', async () => {
      const window = await agreed('notArmed');
      assert.equal(armedIn(window), undefined);
      await pass(40 * minute);
      assert.equal(starts, 3);
    });

    it('is doubtful where the machine did not answer', async () => {
      verdict = 'nothing';
      const window = await agreed('notKnown');
      assert.equal(armedIn(window)?.isDoubtful, true);
    });

    for (const [how, cancel] of [
      ['is forgotten', 'cancel'],
      ['stays in sight', 'keepOnInstance'],
    ] as const) {
      it(`is none where its timer starts while the end is canceled and ${how}`, async () => {
        let started = () => {};
        arm = async (_account, _instance, _schedule, _token, mayStart) => {
          assert.equal(await mayStart(), true);
          await new Promise<void>((resolve) => (started = resolve));
          return 'armed';
        };
        const window = await open();
        await window.schedules.setAgreed(window.accounts.active?.key ?? '', id, idle);
        await pass(minute);
        await window.schedules[cancel](id);
        started();
        await pass(minute);
        assert.equal(ended, 1);
        assert.equal(window.schedules.find(id), undefined);
      });
    }

    it('is not checked while it is started, when its process is not there yet', async () => {
      let started = () => {};
      arm = async (_account, _instance, _schedule, _token, mayStart) => {
        assert.equal(await mayStart(), true);
        await new Promise<void>((resolve) => (started = resolve));
        return 'armed';
      };
      verdict = 'gone';
      const window = await open();
      await window.schedules.setAgreed(window.accounts.active?.key ?? '', id, idle);
      await pass(minute);
      assert.equal(checks, 0);
      started();
      await pass(minute);
      assert.deepEqual([armedIn(window)?.isDoubtful, ended], [undefined, 0]);
      assert.ok(armedIn(window));
    });

    it('is none before the first login, which no proof makes', async () => {
      const window = await agreed('notAsked');
      assert.equal(armedIn(window), undefined);
    });
  });
});
