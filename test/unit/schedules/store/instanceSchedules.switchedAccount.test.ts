import assert from 'node:assert/strict';
import type { Schedule } from '../../../../src/schedules/model/schedule';
import { InstanceSchedules } from '../../../../src/schedules/store/instanceSchedules';
import type { Account } from '../../../../src/store/accounts/accounts';
import { Emitter } from '../../../../src/util/emitter';
import { silentLog } from '../../../../src/util/log';
import { FakeService } from '../../../support/fakeService';
import { FakeComputer } from '../../../support/fakeWindows';
import { FakeScheduleDisk } from '../../../support/scheduleWindows';

const instanceId = 5001;
const term = { kind: 'at', at: 4_000_000_000_000 } as const;
const armed = { at: 4_000_000_000_000, provedAt: 3_000_000_000_000, token: 'abc123' };

describe('A schedule that is written while the account changes', () => {
  let computer: FakeComputer;
  let disks: Readonly<Record<'one' | 'two', FakeScheduleDisk>>;
  let schedules: InstanceSchedules;
  let change: () => void;
  beforeEach(async () => {
    computer = await FakeComputer.make(new FakeService().client);
    const { accounts, hub, owned } = await computer.openSignedIn();
    const account = accounts.active as Account;
    disks = { one: new FakeScheduleDisk(), two: new FakeScheduleDisk() };
    const changed = owned.add(new Emitter<never>());
    const own = { active: { ...account, key: 'one' }, onDidChange: changed.event };
    change = () => {
      own.active = { ...account, key: 'two' };
      (changed as unknown as Emitter<void>).fire();
    };
    schedules = owned.add(
      new InstanceSchedules({
        accounts: own,
        ...{ hub, clock: computer.clock, log: silentLog },
        storage: (key) => disks[key === 'one' ? 'one' : 'two'].storage,
      }),
    );
    await schedules.ready;
  });
  afterEach(() => computer.dispose());

  /** The account changes while the first read or write of the disk is under way. */
  function changeDuring(call: 'read' | 'put' | 'remove' | 'state'): void {
    const { storage } = disks.one;
    const known = storage[call] as (...values: readonly unknown[]) => Promise<unknown>;
    storage[call] = (async (...values: readonly unknown[]) => {
      Object.assign(storage, { [call]: known });
      const result = await known(...values);
      change();
      return result;
    }) as never;
  }

  async function scheduled(more: Partial<Schedule> = {}): Promise<Schedule> {
    const { schedule } = await schedules.set(instanceId, 'stop', term);
    const all = { ...schedule, ...more };
    disks.one.schedules.set(instanceId, all);
    await schedules.refresh();
    return all;
  }

  /** What is on the disk of each account. */
  const written = () => [disks.one.schedules.get(instanceId), disks.two.schedules.get(instanceId)];

  for (const call of ['read', 'put', 'state'] as const) {
    it(`is set for the account it was set in (${call})`, async () => {
      changeDuring(call);
      const { schedule } = await schedules.set(instanceId, 'stop', term);
      assert.deepEqual(written(), [schedule, undefined]);
      assert.deepEqual(schedules.rows, []);
    });
  }

  for (const call of ['read', 'remove'] as const) {
    it(`is canceled in its account alone (${call})`, async () => {
      const schedule = await scheduled();
      disks.two.schedules.set(instanceId, schedule);
      changeDuring(call);
      await schedules.cancel(instanceId);
      assert.deepEqual(written(), [undefined, schedule]);
    });
  }

  it('has its proof written in its account alone', async () => {
    const schedule = await scheduled();
    changeDuring('read');
    assert.equal(await schedules.setArmed(schedule, armed), true);
    assert.deepEqual(written(), [{ ...schedule, armed }, undefined]);
  });

  it('is given up in its account alone once its timer has ended', async () => {
    const schedule = await scheduled({ armed, isOnlyOnInstance: true });
    disks.two.schedules.set(instanceId, schedule);
    changeDuring('read');
    await schedules.setArmed(schedule, undefined);
    assert.deepEqual(written(), [undefined, schedule]);
  });

  for (const timer of [armed, undefined]) {
    it(`is left to the instance in its account alone${timer ? '' : ', or canceled there'}`, async () => {
      const schedule = await scheduled({ armed: timer });
      disks.two.schedules.set(instanceId, schedule);
      changeDuring('read');
      await schedules.keepOnInstance(instanceId);
      const [one, two] = written();
      assert.deepEqual([one?.isOnlyOnInstance, two], [timer && true, schedule]);
    });
  }

  it('is amended in its account alone', async () => {
    const schedule = await scheduled();
    changeDuring('read');
    assert.equal(await schedules.amend({ ...schedule, setAt: 1 }), true);
    assert.deepEqual(written(), [{ ...schedule, setAt: 1 }, undefined]);
    assert.equal(await schedules.amend(schedule), false, 'another account has no such schedule');
    assert.equal(disks.two.schedules.size, 0);
  });

  it('is finished in its account alone', async () => {
    const schedule = await scheduled();
    disks.two.schedules.set(instanceId, schedule);
    changeDuring('read');
    await schedules.finish(schedule);
    assert.deepEqual(written(), [undefined, schedule]);
  });
});
