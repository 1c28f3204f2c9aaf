import assert from 'node:assert/strict';
import { RefusedError, TimedOutError } from '../../../../src/api/errors';
import type { Instance } from '../../../../src/model/instances/instance';
import type { CarriedEnd } from '../../../../src/model/rentals/agreedEnd';
import { anOffer } from '../../../support/builders';
import { passUntil } from '../../../support/computerScene';
import { rentalRequest } from '../../../support/rentalRequest';
import {
  noticeKinds,
  scheduleScene,
  type ScheduleScene,
  type ScheduleWindow,
} from '../../../support/scheduleWindows';

const minute = 60_000;
const day = 24 * 60 * minute;
const end = { idleMinutes: 30, destroyAfterDays: 2 };

describe('The agreed end of a rental', () => {
  let { service, computer, disk, open, pass } = {} as ScheduleScene;
  beforeEach(async () => {
    ({ service, computer, disk, open, pass } = await scheduleScene({ instances: [], offers: [anOffer()] }));
  });
  afterEach(() => computer.dispose());

  const machines = (change: Partial<Instance>) => {
    service.instances = service.instances.map((one) => ({ ...one, ...change }));
  };
  const run = (gpuUtilPercent?: number) => {
    machines({
      actualStatus: 'running',
      intendedStatus: 'running',
      ...(gpuUtilPercent === undefined ? {} : { gpuUtilPercent }),
    });
  };
  const rent = async (window: ScheduleWindow, more: { readonly end?: CarriedEnd } = { end }) => {
    const renting = window.rentals.rent({ ...rentalRequest, ...more });
    const result = await computer.clock.through(renting);
    assert.equal(result.kind, 'rented');
  };
  const scheduled = () =>
    [...disk.schedules.values()].map(({ action, term, isAgreed }) => ({ action, term, isAgreed }));
  const idleStop = { action: 'stop', term: { kind: 'idle', minutes: 30 }, isAgreed: true };
  const isScheduled = (action: string) =>
    passUntil(computer, action, () => scheduled().some((one) => one.action === action));

  it('stops it once its GPU was idle for so long, and asks a day before and when it would be destroyed', async () => {
    const window = await open();
    await rent(window);
    await isScheduled('stop');
    assert.deepEqual(scheduled(), [idleStop]);
    run(80);
    await pass(60 * minute);
    assert.equal(service.count('instances.stop'), 0);
    run(1);
    await pass(45 * minute);
    assert.equal(service.count('instances.stop'), 1);
    await isScheduled('destroy');
    await computer.clock.advance(day - 60 * minute);
    assert.deepEqual(noticeKinds(window), ['soon', 'stopped']);
    await pass(2 * 60 * minute);
    assert.deepEqual(noticeKinds(window), ['soon', 'stopped', 'missed']);
    await computer.clock.advance(day);
    assert.deepEqual(noticeKinds(window), ['soon', 'stopped', 'missed', 'missed']);
    await computer.clock.advance(day);
    assert.equal(service.count('instances.destroy'), 0);
  });

  it('is at a time for the machine of an agent, also where the next window sets it, and only once', async () => {
    const time = computer.clock.now() + 3 * 60 * minute;
    const killed = await open();
    service.after = (call) => (call === 'offers.rent' ? killed.close() : undefined);
    const agreed = { ...end, idleMinutes: 0, at: { time, action: 'destroy' } } as const;
    void killed.rentals.rent({ ...rentalRequest, end: agreed }).catch(() => undefined);
    await passUntil(computer, 'the rental', () => service.instances.length > 0);
    assert.deepEqual(scheduled(), []);
    const next = await open();
    run();
    await isScheduled('destroy');
    const [set] = scheduled();
    assert.deepEqual(set, { action: 'destroy', term: { kind: 'at', at: time }, isAgreed: undefined });
    await next.schedules.cancel(service.instances[0]?.id ?? 0);
    await pass(30 * minute);
    assert.deepEqual(scheduled(), []);
  });

  /** A machine that an editor has stopped, and that was asked for unsaved work before. */
  const stopped = async ({ isSaved = true } = {}) => {
    const window = await open();
    window.work.isSaved = isSaved;
    await rent(window);
    await isScheduled('stop');
    run(1);
    await pass(60 * minute);
    assert.equal(service.count('instances.stop'), 1);
    assert.equal(window.work.asked, 1);
    await isScheduled('destroy');
    return window;
  };

  describe('that destroys it', () => {
    it('does so by itself where it proved its work saved, a day after a warning', async () => {
      const window = await stopped();
      await pass(day - 60 * minute);
      assert.deepEqual(noticeKinds(window), ['soon', 'stopped']);
      await pass(60 * minute);
      assert.deepEqual(noticeKinds(window), ['soon', 'stopped', 'soon']);
      await pass(day - 60 * minute);
      assert.equal(service.count('instances.destroy'), 0);
      await pass(60 * minute);
      assert.equal(service.count('instances.destroy'), 1);
      await pass(day);
      assert.equal(service.count('instances.destroy'), 1);
      assert.deepEqual(noticeKinds(window), ['soon', 'stopped', 'soon', 'destroyed']);
    });

    const asks = async (window: ScheduleWindow) => {
      await pass(3 * day);
      assert.equal(service.count('instances.destroy'), 0);
      assert.ok(noticeKinds(window).includes('missed'));
    };

    it('asks where the machine had unsaved work or did not answer', async () => {
      await asks(await stopped({ isSaved: false }));
    });

    it('asks where it was started elsewhere since, also after the warning', async () => {
      const window = await stopped();
      await pass(day + 60 * minute);
      assert.deepEqual(noticeKinds(window).at(-1), 'soon');
      run(80);
      await pass(30 * minute);
      machines({ actualStatus: 'exited', intendedStatus: 'stopped' });
      await asks(window);
    });

    it('asks where no list was read for a time in which it could have run', async () => {
      const window = await stopped();
      service.before = (call) => {
        if (call === 'instances.list') {
          throw new TimedOutError({});
        }
      };
      await pass(60 * minute);
      service.before = () => undefined;
      await asks(window);
    });

    it('asks where something else stopped it, however late the stop of the editor shows', async () => {
      const window = await open();
      window.work.isSaved = true;
      await rent(window);
      await isScheduled('stop');
      run(1);
      // The service accepts the stop and does nothing.
      service.after = (call) => {
        if (call === 'instances.stop') {
          run(80);
        }
      };
      await pass(60 * minute);
      assert.equal(service.count('instances.stop') > 0, true);
      machines({ actualStatus: 'exited', intendedStatus: 'stopped' });
      await isScheduled('destroy');
      await asks(window);
    });

    it('asks where the stop was refused and the machine worked on before it was stopped by hand', async () => {
      const window = await open();
      window.work.isSaved = true;
      await rent(window);
      await isScheduled('stop');
      run(1);
      service.after = (call) => {
        if (call === 'instances.stop') {
          run(80);
          throw new RefusedError({ status: 400 });
        }
      };
      await passUntil(computer, 'the refused stop', () => service.count('instances.stop') === 1);
      await pass(2 * minute);
      machines({ actualStatus: 'exited', intendedStatus: 'stopped' });
      await window.fleet.refresh();
      await isScheduled('destroy');
      await asks(window);
    });

    it('counts the day from the warning, where no editor was open at its time', async () => {
      const window = await stopped();
      window.close();
      await computer.clock.advance(1.9 * day);
      const next = await open();
      await pass(60 * minute);
      assert.deepEqual(noticeKinds(next), ['missed']);
      await pass(22 * 60 * minute);
      assert.deepEqual(noticeKinds(next), ['missed']);
      await pass(2 * 60 * minute);
      assert.equal(service.count('instances.destroy'), 0);
    });

    it('is moved by who keeps it, and does not warn again within the day', async () => {
      const window = await stopped();
      await pass(day);
      const [instance] = service.instances;
      await window.schedules.extend(instance?.id ?? 0, 2 * 60 * minute);
      await pass(day);
      assert.equal(service.count('instances.destroy'), 0);
      assert.equal(noticeKinds(window).filter((kind) => kind === 'soon').length, 2);
      await pass(2 * 60 * minute);
      assert.equal(service.count('instances.destroy'), 1);
    });
  });

  it('is kept for as long as the user chose, however idle it is', async () => {
    const window = await open();
    await rent(window);
    await isScheduled('stop');
    run(1);
    const [instance] = service.instances;
    await window.schedules.extend(instance?.id ?? 0, 120 * minute, { keeps: true });
    await pass(119 * minute);
    assert.equal(service.count('instances.stop'), 0);
    await pass(3 * minute);
    assert.equal(service.count('instances.stop'), 1);
  });

  it('needs figures: without any, no machine counts as idle', async () => {
    const window = await open();
    await rent(window);
    run();
    await pass(120 * minute);
    assert.deepEqual(scheduled(), [idleStop]);
    assert.equal(service.count('instances.stop'), 0);
  });

  it('is set by another window where the one that rented was killed before', async () => {
    const window = await open();
    service.before = (call) => {
      if (call === 'offers.rent') {
        service.before = () => undefined;
        window.close();
      }
    };
    void window.rentals.rent({ ...rentalRequest, end }).catch(() => undefined);
    await pass(minute);
    assert.equal(service.count('offers.rent'), 1);
    assert.deepEqual(scheduled(), []);
    await open();
    await isScheduled('stop');
    assert.deepEqual(scheduled(), [idleStop]);
  });

  it('is set where the answer to the rental was lost', async () => {
    const window = await open();
    service.after = (call) => {
      if (call === 'offers.rent') {
        throw new TimedOutError({});
      }
    };
    await rent(window);
    await isScheduled('stop');
  });

  it('is not set again after it was canceled, until the machine was stopped', async () => {
    const window = await open();
    await rent(window);
    await isScheduled('stop');
    run(1);
    await pass(minute);
    const [instance] = service.instances;
    await window.schedules.cancel(instance?.id ?? 0);
    await pass(60 * minute);
    assert.deepEqual(scheduled(), []);
    machines({ actualStatus: 'exited', intendedStatus: 'stopped' });
    await isScheduled('destroy');
    run(1);
    await isScheduled('stop');
    assert.deepEqual(scheduled(), [idleStop]);
  });

  it('leaves a schedule of the user alone', async () => {
    const window = await open();
    await rent(window);
    await isScheduled('stop');
    const [instance] = service.instances;
    const at = computer.clock.now() + 30 * day;
    await window.schedules.set(instance?.id ?? 0, 'destroy', { kind: 'at', at });
    machines({ actualStatus: 'exited', intendedStatus: 'stopped' });
    await pass(60 * minute);
    assert.deepEqual(scheduled(), [{ action: 'destroy', term: { kind: 'at', at }, isAgreed: undefined }]);
  });

  it('is none where the user chose never, and in a record of an older version', async () => {
    const window = await open();
    await rent(window, { end: { idleMinutes: 0, destroyAfterDays: 0 } });
    await rent(window, {});
    run(1);
    await pass(60 * minute);
    machines({ actualStatus: 'exited', intendedStatus: 'stopped' });
    await pass(60 * minute);
    assert.deepEqual(scheduled(), []);
    assert.deepEqual(
      window.rentals.rentals.map(({ endSetFor }) => endSetFor),
      [undefined, 'stopped'],
    );
  });
});
