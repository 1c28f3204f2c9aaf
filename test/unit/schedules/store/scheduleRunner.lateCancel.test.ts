import assert from 'node:assert/strict';
import { RateLimitedError } from '../../../../src/api/errors';
import {
  noticeKinds,
  openScheduleWindow,
  passInMinutes,
  scheduleScene,
  type ScheduleScene,
} from '../../../support/scheduleWindows';

const minute = 60_000;
const id = 5001;

describe('A schedule that is changed while it is carried out', function () {
  // Hours pass in steps that each wait for storage.
  this.timeout(60_000);
  let { service, computer, disk } = {} as ScheduleScene;
  let answer: () => void;
  beforeEach(async () => {
    ({ service, computer, disk } = await scheduleScene());
  });
  afterEach(() => computer.dispose());

  /** A window in which something is due, up to the call that waits for `answer`. */
  async function untilCall(call: string, action: 'stop' | 'destroy' = 'destroy') {
    const window = await openScheduleWindow(computer, disk);
    const waiting = new Promise<void>((resolve) => {
      answer = resolve;
    });
    await window.schedules.set(id, action, { kind: 'at', at: computer.clock.now() + 10 * minute });
    await passInMinutes(computer, 9 * minute);
    service.before = (made) => (made === call ? waiting : undefined);
    await passInMinutes(computer, 2 * minute);
    return window;
  }

  it('is not carried out where it is canceled while the instance is read', async () => {
    const window = await untilCall('instances.get');
    assert.equal(await window.schedules.cancel(id), undefined);
    answer();
    await passInMinutes(computer, 5 * minute);
    assert.equal(service.count('instances.destroy'), 0);
    assert.deepEqual(noticeKinds(window), ['soon']);
    assert.equal(window.fleet.facts(id).lastRequest, undefined);
  });

  it('states when its request was sent if it is canceled after that', async () => {
    const window = await untilCall('instances.destroy');
    const sentAt = await window.schedules.cancel(id);
    assert.ok(sentAt !== undefined && sentAt <= computer.clock.now());
    answer();
    await passInMinutes(computer, 5 * minute);
    assert.deepEqual(noticeKinds(window), ['soon', 'destroyed']);
  });

  it('states it after an extension, too', async () => {
    const window = await untilCall('instances.stop', 'stop');
    assert.notEqual((await window.schedules.extend(id, 60 * minute))?.sentAt, undefined);
    assert.equal(await window.schedules.cancel(id), undefined, 'nothing left for the new one');
  });

  it('is left to the window that leads by then', async () => {
    const window = await untilCall('instances.get');
    window.hub.leads(false);
    answer();
    await passInMinutes(computer, minute);
    assert.equal(service.count('instances.destroy'), 0);
    assert.equal(window.schedules.rows.length, 1);
  });

  it('leaves what was set instead', async () => {
    const window = await untilCall('instances.stop', 'stop');
    const later = { kind: 'at', at: computer.clock.now() + 300 * minute } as const;
    await window.schedules.set(id, 'destroy', later);
    answer();
    await passInMinutes(computer, 5 * minute);
    assert.deepEqual(noticeKinds(window), ['soon', 'stopped']);
    assert.equal(window.schedules.find(id)?.schedule.action, 'destroy');
  });

  it('is being carried out while it is, and has failed only then', async () => {
    const window = await untilCall('instances.destroy');
    assert.notEqual(window.schedules.find(id)?.state.actingSince, undefined);
    service.failsAfter('instances.destroy', () => new RateLimitedError());
    answer();
    await computer.clock.advance(0);
    assert.equal(window.schedules.find(id)?.state.actingSince, undefined);
    assert.ok((window.schedules.find(id)?.state.nextTryAt ?? 0) > computer.clock.now());
  });
});
