import assert from 'node:assert/strict';
import path from 'node:path';
import fc from 'fast-check';
import {
  ForbiddenError,
  NotReachableError,
  ServiceFailedError,
  TimedOutError,
} from '../../../../src/api/errors';
import { stopOrder, wishOf } from '../../../../src/schedules/model/timetable';
import { ServiceTimetable } from '../../../../src/schedules/store/serviceTimetable';
import { TimetableFiles } from '../../../../src/schedules/store/timetableFiles';
import { silentLog } from '../../../../src/util/log';
import { anInstance } from '../../../support/builders';
import { passUntil } from '../../../support/computerScene';
import { openScheduleWindow, scheduleScene } from '../../../support/scheduleWindows';
import { sized } from '../../../support/seeded';
import { useFolder } from '../../../support/useFolder';

const minute = 60_000;
const hour = 60 * minute;
const ids = [5001, 5002];

const failures = {
  lost: () => new TimedOutError({ isWrite: true }),
  away: () => new NotReachableError({ isWrite: true, wasSent: false }),
  failed: () => new ServiceFailedError({ isWrite: true, status: 502 }),
  refused: () => new ForbiddenError({ lacking: 'instance_write' }),
};
const step = fc.oneof(
  fc.record({
    kind: fc.constant('set' as const),
    id: fc.constantFrom(...ids),
    action: fc.constantFrom('stop' as const, 'destroy' as const),
    hours: fc.integer({ min: 3, max: 300 }),
  }),
  fc.record({ kind: fc.constant('extend' as const), id: fc.constantFrom(...ids) }),
  fc.record({ kind: fc.constant('cancel' as const), id: fc.constantFrom(...ids) }),
  fc.record({
    kind: fc.constant('fail' as const),
    call: fc.constantFrom('list', 'create', 'change', 'remove'),
    when: fc.constantFrom('before' as const, 'after' as const),
    how: fc.constantFrom(...(['lost', 'away', 'failed', 'refused'] as const)),
  }),
  fc.record({ kind: fc.constant('mend' as const) }),
  fc.record({ kind: fc.constant('kill' as const) }),
  fc.record({ kind: fc.constant('wait' as const) }),
);

describe('The timetable of the service under faults', () => {
  let folder = '';
  useFolder((made) => {
    folder = made;
  });

  it('holds each stop once and nothing else, once the service answers again', async () => {
    let run = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 10 }), async (steps) => {
        run += 1;
        const scene = await scheduleScene({ instances: ids.map((id) => anInstance({ id })) });
        const { service, computer, disk, at } = scene;
        const open = async () => {
          const window = await openScheduleWindow(computer, disk);
          const { accounts, fleet, hub, schedules, notices } = window;
          const timetable = window.owned.add(
            new ServiceTimetable({
              ...{ accounts, fleet, hub, schedules, notices },
              clock: computer.clock,
              log: silentLog,
              isOn: () => true,
              files: (key) => new TimetableFiles(path.join(folder, String(run), key), silentLog),
            }),
          );
          return { ...window, timetable };
        };
        let window = await open();
        try {
          for (const one of steps) {
            switch (one.kind) {
              case 'set':
                await window.schedules.set(one.id, one.action, at(one.hours * hour));
                break;
              case 'extend':
                await window.schedules.extend(one.id, 2 * hour);
                break;
              case 'cancel':
                await window.schedules.cancel(one.id);
                break;
              case 'fail':
                service[one.when] = (call) => {
                  if (call === `timetable.${one.call}`) {
                    throw failures[one.when === 'after' ? 'lost' : one.how]();
                  }
                };
                break;
              case 'mend':
                service.before = service.after = () => undefined;
                break;
              case 'kill':
                window.close();
                window = await open();
                break;
              case 'wait':
                await computer.clock.advance(20 * minute);
            }
            await computer.clock.advance(1000);
            // No agreed end is early, nothing destroys, and each instance has one stop.
            assert.ok(service.timetable.every((entry) => entry.method === 'PUT'));
            assert.equal(
              new Set(service.timetable.map(({ instanceId }) => instanceId)).size,
              service.timetable.length,
            );
          }
          service.before = service.after = () => undefined;
          window.close();
          window = await open();
          const wanted = () =>
            ids
              .flatMap((id) => window.schedules.find(id) ?? [])
              .flatMap(({ schedule, state }) => {
                const present = service.timetable.find(
                  (one) => one.instanceId === schedule.instanceId,
                )?.startTime;
                const times = {
                  now: computer.clock.now(),
                  aheadMs: 0,
                  ...(present === undefined ? {} : { present }),
                };
                const wish = wishOf(schedule, state, times);
                return wish?.kind === 'stop' ? [stopOrder(schedule.instanceId, wish.startTime)] : [];
              });
          const held = () =>
            [...service.timetable]
              .sort((one, other) => (one.instanceId ?? 0) - (other.instanceId ?? 0))
              .map(({ id: _, minute: __, status: ___, ...order }) => order);
          const isRight = () => JSON.stringify(held()) === JSON.stringify(wanted());
          await passUntil(computer, JSON.stringify(steps), isRight, minute);
          await passUntil(
            computer,
            'the proofs',
            () => wanted().every((order) => window.timetable.find(order.instanceId)?.checkedAt !== undefined),
            minute,
          );
        } finally {
          await computer.dispose();
        }
      }),
      { numRuns: sized(40, 1000), endOnFailure: true },
    );
  });
});
