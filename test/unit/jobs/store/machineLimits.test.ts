import assert from 'node:assert/strict';
import type { JobMachine } from '../../../../src/jobs/model/jobMachine';
import type { JobStepDeps } from '../../../../src/jobs/store/jobStep';
import {
  armGuardAgain,
  dearerMachine,
  extendTime,
  shortenTime,
} from '../../../../src/jobs/store/machineLimits';
import type { Instance } from '../../../../src/model/instances/instance';
import { fromDollars } from '../../../../src/model/money';
import { perHour, runningRateOf } from '../../../../src/model/quote';
import type { Account } from '../../../../src/store/accounts/accounts';
import { CancelledError } from '../../../../src/util/errors';
import { silentLog } from '../../../../src/util/log';
import { anInstance } from '../../../support/builders';
import { aJobRow } from '../../../support/jobRow';

const id = 7;
const instance = anInstance({ id, actualStatus: 'running', intendedStatus: 'running' });
const rate = runningRateOf(instance);
assert.ok(rate);
const price = perHour(rate);
const cheaper = fromDollars(0.01);
const never = new AbortController().signal;

describe('The price of the machine of a job', () => {
  const deps = ({ kind = 'ready', found = [instance] }: { kind?: string; found?: readonly Instance[] }) =>
    ({ fleet: { find: () => found[0], state: { kind, fetchedAt: 100 } } }) as unknown as JobStepDeps;
  const at = (perHourKnown: typeof price | undefined, instanceId: number | undefined = id) => ({
    job: { machine: { name: 'trainer', perHour: perHourKnown, instanceId } } as object,
    instanceId,
  });
  const higher = { kind: 'dearer', perHour: price, listedAt: 100 };

  for (const [what, state, parts, world, event] of [
    ['is noted once it is higher', {}, at(cheaper), {}, higher],
    [
      'is noted again where it is another one',
      { dearer: { perHour: cheaper, listedAt: 50 } },
      at(cheaper),
      {},
      higher,
    ],
    [
      'counts once another list states it',
      { dearer: { perHour: price, listedAt: 50 } },
      at(cheaper),
      {},
      { kind: 'repriced', perHour: price },
    ],
    [
      'does not count by one list alone',
      { dearer: { perHour: price, listedAt: 100 } },
      at(cheaper),
      {},
      undefined,
    ],
    ['does not matter where it is the known one', {}, at(price), {}, undefined],
    ['does not matter where none was known', {}, at(undefined), {}, undefined],
    ['does not matter while it is not ready', { phase: 'gettingReady' }, at(cheaper), {}, undefined],
    ['does not matter once its command has ended', { phase: 'fetching' }, at(cheaper), {}, undefined],
    [
      'does not matter while it does not run',
      {},
      at(cheaper),
      { found: [anInstance({ id, actualStatus: 'exited' })] },
      undefined,
    ],
    ['does not matter where it is not listed', {}, at(cheaper), { found: [] }, undefined],
    ['does not matter while no list is there', {}, at(cheaper), { kind: 'loading' }, undefined],
  ] as const) {
    it(what, () => {
      assert.deepEqual(dearerMachine(deps(world), aJobRow(state, parts)), event);
    });
  }
});

describe('The time of a job', () => {
  const noticed: number[] = [];
  const machine = (isDone = true) =>
    ({
      extend: (_: string, seconds: number) => {
        noticed.push(seconds);
        return Promise.resolve(isDone);
      },
    }) as unknown as JobMachine;
  beforeEach(() => (noticed.length = 0));

  for (const isDone of [true, false]) {
    it(`is ${isDone ? 'longer' : 'not longer'} if the machine answers ${isDone ? 'yes' : 'no'}`, async () => {
      const event = await extendTime(machine(isDone), aJobRow(), 'a', 5, never);
      assert.equal(noticed.length, 1);
      assert.deepEqual(event, { kind: 'extended', orderedAt: 5, limitSeconds: noticed[0], isDone });
    });
  }

  it('is not longer if the dollars buy none, and nothing is sent to the machine', async () => {
    const spent = aJobRow({ before: { ms: 0, cost: fromDollars(100) } });
    const event = await extendTime(machine(), spent, 'a', 5, never);
    assert.deepEqual(
      [event, noticed],
      [{ kind: 'extended', orderedAt: 5, limitSeconds: 0, isDone: false }, []],
    );
  });

  it('is shorter once the machine knows that, and unchanged if it already does or runs nothing', async () => {
    const event = await shortenTime(machine(), aJobRow({ isTimeOld: true }), 'a', never);
    assert.deepEqual(event, { kind: 'shortened', limitSeconds: noticed[0] });
    assert.ok((noticed[0] ?? 0) > 0);
    for (const state of [{ isTimeOld: false }, {}, { phase: 'waiting', isTimeOld: true }] as const) {
      assert.equal(await shortenTime(machine(), aJobRow(state), 'a', never), undefined);
    }
    assert.equal(noticed.length, 1);
    const spent = aJobRow({ isTimeOld: true, before: { ms: 0, cost: fromDollars(100) } });
    assert.deepEqual(await shortenTime(machine(), spent, 'a', never), { kind: 'shortened', limitSeconds: 0 });
    assert.equal(noticed[1], 0);
  });
});

describe('A guard that is armed again during a job', () => {
  for (const [what, isAborted, error, isThrown] of [
    ['ends the work where the window closes', true, new Error('cut'), true],
    ['ends the work where it was canceled', false, new CancelledError(), true],
    ['changes nothing for the job where it fails', false, new Error('cut'), false],
  ] as const) {
    it(what, async () => {
      const over = new AbortController();
      const deps = {
        firstContact: () => {
          if (isAborted) {
            over.abort();
          }
          return Promise.reject(error);
        },
        clock: { now: () => 0 },
        log: silentLog,
      } as unknown as JobStepDeps; // nothing else of them is used here
      const machine = { account: {} as Account, instanceId: 5001 };
      const armed = armGuardAgain(
        deps,
        machine,
        aJobRow({}, { job: { rental: { marker: 'abcd1234' } } }),
        over.signal,
      );
      await (isThrown ? assert.rejects(armed, error) : armed.then((until) => assert.equal(until, undefined)));
    });
  }
});
