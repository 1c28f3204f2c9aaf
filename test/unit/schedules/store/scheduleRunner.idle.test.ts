import assert from 'node:assert/strict';
import { ForbiddenError, TimedOutError } from '../../../../src/api/errors';
import { presenceGraceMs } from '../../../../src/store/windows/presence';
import { anInstance } from '../../../support/builders';
import { aliasOf, noticeKinds, scheduleScene, type ScheduleScene } from '../../../support/scheduleWindows';

const minute = 60_000;
const hour = 60 * minute;
const id = 5001;

describe('Schedules of idle instances', () => {
  let { service, computer, disk, open, pass } = {} as ScheduleScene;
  beforeEach(async () => {
    ({ service, computer, disk, open, pass } = await scheduleScene({ instances: [] }));
  });
  afterEach(() => computer.dispose());

  const use = (gpuUtilPercent: number | undefined) => {
    const running = anInstance({ id, intendedStatus: 'running' });
    service.instances = [gpuUtilPercent === undefined ? running : { ...running, gpuUtilPercent }];
  };
  const idle = { kind: 'idle', minutes: 30 } as const;

  it('stop once the GPU was idle for so long, after a warning', async () => {
    use(2);
    const window = await open();
    await window.schedules.set(id, 'stop', idle);
    await pass(24 * minute);
    assert.deepEqual(noticeKinds(window), []);
    await pass(13 * minute);
    assert.deepEqual(noticeKinds(window), ['soon', 'stopped']);
    assert.equal(service.count('instances.stop'), 1);
  });

  it('wait while the GPU works, and restart their count after that', async () => {
    use(80);
    const window = await open();
    await window.schedules.set(id, 'stop', idle);
    await pass(hour);
    assert.deepEqual(noticeKinds(window), []);
    use(0);
    await pass(20 * minute);
    use(50);
    await pass(10 * minute);
    use(0);
    await pass(20 * minute);
    assert.equal(service.count('instances.stop'), 0);
    await pass(25 * minute);
    assert.equal(service.count('instances.stop'), 1);
  });

  it('check the GPU again before they act', async () => {
    use(0);
    const window = await open();
    await window.schedules.set(id, 'stop', idle);
    await pass(29 * minute);
    assert.deepEqual(noticeKinds(window), ['soon']);
    use(90);
    await pass(10 * minute);
    assert.equal(service.count('instances.stop'), 0);
  });

  it('wait while any window has a remote window, a terminal or a forward on it', async () => {
    use(undefined);
    const window = await open();
    const other = await open();
    other.presence.set('terminal', [aliasOf(id)]);
    await window.schedules.set(id, 'destroy', idle);
    await pass(hour);
    assert.deepEqual(noticeKinds(window), []);
    other.presence.set('terminal', []);
    await pass(24 * minute);
    assert.equal(service.count('instances.destroy'), 0);
    await pass(15 * minute);
    assert.equal(service.count('instances.destroy'), 1);
  });

  it('restart their count when a window with a terminal replaces the one that led', async () => {
    use(0);
    const window = await open();
    const other = await open();
    other.presence.set('window', [aliasOf(id)]);
    await window.schedules.set(id, 'stop', idle);
    window.close();
    await pass(hour);
    assert.equal(service.count('instances.stop'), 0);
    other.presence.set('window', []);
    await pass(40 * minute);
    assert.equal(service.count('instances.stop'), 1);
  });

  it('wait while a cell runs, which the machine is asked before the warning', async () => {
    use(0);
    const window = await open();
    window.kernels.use = 'busy';
    await window.schedules.set(id, 'destroy', idle);
    await pass(3 * hour);
    assert.deepEqual([noticeKinds(window), service.count('instances.destroy')], [[], 0]);
    assert.ok(window.kernels.asked >= 5 && window.kernels.asked < 12, String(window.kernels.asked));
    window.kernels.use = 'idle';
    await pass(24 * minute);
    assert.equal(service.count('instances.destroy'), 0);
    await pass(16 * minute);
    assert.deepEqual(noticeKinds(window), ['soon', 'destroyed']);
  });

  it('ask again after the warning', async () => {
    use(0);
    const window = await open();
    await window.schedules.set(id, 'stop', idle);
    await pass(29 * minute);
    assert.deepEqual(noticeKinds(window), ['soon']);
    window.kernels.use = 'busy';
    await pass(10 * minute);
    assert.equal(service.count('instances.stop'), 0);
  });

  it('treat a silent server as use, and report that with the price, once a day', async () => {
    use(0);
    const window = await open();
    window.kernels.use = 'silent';
    await window.schedules.set(id, 'stop', idle);
    await pass(2 * hour);
    assert.deepEqual([noticeKinds(window), service.count('instances.stop')], [['silent'], 0]);
    const [notice] = window.postedNotices();
    assert.ok((notice?.runningPerHour ?? 0) > 0);
    await pass(24 * hour);
    assert.deepEqual([noticeKinds(window), service.count('instances.stop')], [['silent', 'silent'], 0]);
  });

  for (const [what, error] of [
    ['refused', new ForbiddenError()],
    ['not confirmed', new TimedOutError()],
  ] as const) {
    it(`are due again only after a new warning where the instance is in use once a try was ${what}`, async () => {
      use(0);
      const window = await open();
      await window.schedules.set(id, 'destroy', idle);
      const failing = (call: string) => {
        if (call === 'instances.destroy') {
          throw error;
        }
      };
      service.before = failing;
      await pass(36 * minute);
      assert.deepEqual(noticeKinds(window), ['soon', 'failed']);
      use(90);
      service.before = () => undefined;
      await pass(hour);
      assert.deepEqual([service.instances.length, noticeKinds(window)], [1, ['soon', 'failed']]);
      assert.equal(window.schedules.find(id)?.state.nextTryAt, undefined);
      use(0);
      service.before = failing;
      await pass(42 * minute);
      assert.deepEqual(noticeKinds(window), ['soon', 'failed', 'soon', 'failed']);
      service.before = () => undefined;
      await pass(15 * minute);
      assert.deepEqual(noticeKinds(window), ['soon', 'failed', 'soon', 'failed', 'destroyed']);
    });
  }

  it('ask the kernels before another try, too', async () => {
    use(0);
    const window = await open();
    await window.schedules.set(id, 'stop', idle);
    service.failsBefore('instances.stop', () => new ForbiddenError());
    await pass(36 * minute);
    assert.deepEqual(noticeKinds(window), ['soon', 'failed']);
    window.kernels.use = 'busy';
    const tries = service.count('instances.stop');
    await pass(20 * minute);
    assert.equal(service.count('instances.stop'), tries);
    window.kernels.use = 'idle';
    service.before = () => undefined;
    await pass(hour);
    assert.deepEqual(noticeKinds(window), ['soon', 'failed', 'soon', 'stopped']);
  });

  it('are due again only after a new warning where a window was killed on its way and the instance is used', async () => {
    use(0);
    const window = await open();
    await window.schedules.set(id, 'destroy', idle);
    await pass(29 * minute);
    const { state } = window.schedules.find(id) ?? assert.fail();
    const now = computer.clock.now();
    disk.states.set(id, { ...state, attempts: 1, actingSince: now, nextTryAt: now + 3 * minute });
    use(90);
    await pass(20 * minute);
    assert.deepEqual([service.instances.length, noticeKinds(window)], [1, ['soon']]);
    use(0);
    await pass(42 * minute);
    assert.deepEqual(noticeKinds(window), ['soon', 'soon', 'destroyed']);
  });

  it('are tried again where the list could not be read before a try', async () => {
    use(0);
    const window = await open();
    await window.schedules.set(id, 'destroy', idle);
    await pass(29 * minute);
    service.failsBefore('instances.list', () => new TimedOutError());
    await pass(7 * minute);
    assert.deepEqual([service.count('instances.destroy'), noticeKinds(window)], [0, ['soon', 'failed']]);
    service.before = () => undefined;
    await pass(10 * minute);
    assert.deepEqual(noticeKinds(window), ['soon', 'failed', 'destroyed']);
  });

  it('act where the machine can’t be asked', async () => {
    use(0);
    const window = await open();
    window.kernels.use = 'unknown';
    await window.schedules.set(id, 'stop', idle);
    await pass(37 * minute);
    assert.deepEqual(noticeKinds(window), ['soon', 'stopped']);
  });

  it('ask no machine for a schedule of a time of day', async () => {
    use(0);
    const window = await open();
    window.kernels.use = 'busy';
    await window.schedules.set(id, 'stop', { kind: 'at', at: computer.clock.now() + 30 * minute });
    await pass(37 * minute);
    assert.deepEqual([noticeKinds(window), window.kernels.asked], [['soon', 'stopped'], 0]);
  });

  it('do not count the time in which no editor was open', async () => {
    use(0);
    const window = await open();
    await window.schedules.set(id, 'stop', idle);
    await pass(10 * minute);
    window.close();
    computer.clock.jump(9 * hour);
    const next = await open();
    await pass(20 * minute);
    assert.deepEqual(noticeKinds(next), []);
    await pass(20 * minute);
    assert.deepEqual(noticeKinds(next), ['soon', 'stopped']);
  });

  it('know nothing until the other windows had time to answer', async () => {
    use(0);
    const window = await open();
    await window.fleet.refresh();
    assert.equal(window.idle.idleSince(id), undefined);
    await computer.clock.advance(presenceGraceMs);
    await window.fleet.refresh();
    assert.notEqual(window.idle.idleSince(id), undefined);
  });
});
