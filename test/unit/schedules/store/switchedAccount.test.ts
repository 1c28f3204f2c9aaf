import assert from 'node:assert/strict';
import type { Lease } from '../../../../src/schedules/model/schedule';
import { InstanceLeases } from '../../../../src/schedules/store/instanceSchedules';
import type { Account } from '../../../../src/store/ports';
import { Emitter } from '../../../../src/util/emitter';
import { silentLog } from '../../../../src/util/log';
import { FakeService } from '../../../support/fakeService';
import { FakeComputer } from '../../../support/fakeWindows';
import { FakeLeaseDisk } from '../../../support/leaseWindows';

const instanceId = 5001;
const term = { kind: 'at', at: 4_000_000_000_000 } as const;
const armed = { at: 4_000_000_000_000, provedAt: 3_000_000_000_000, token: 'abc123' };

describe('A schedule that is written while the account changes', () => {
  let computer: FakeComputer;
  let disks: Readonly<Record<'one' | 'two', FakeLeaseDisk>>;
  let leases: InstanceLeases;
  let change: () => void;
  beforeEach(async () => {
    computer = await FakeComputer.make(new FakeService().client);
    const { accounts, hub, owned } = await computer.openSignedIn();
    const account = accounts.active as Account;
    disks = { one: new FakeLeaseDisk(), two: new FakeLeaseDisk() };
    const changed = owned.add(new Emitter<never>());
    const own = { active: { ...account, key: 'one' }, onDidChange: changed.event };
    change = () => {
      own.active = { ...account, key: 'two' };
      (changed as unknown as Emitter<void>).fire();
    };
    leases = owned.add(
      new InstanceLeases({
        accounts: own,
        ...{ hub, clock: computer.clock, log: silentLog },
        storage: (key) => disks[key === 'one' ? 'one' : 'two'].storage,
      }),
    );
    await leases.ready;
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

  async function scheduled(more: Partial<Lease> = {}): Promise<Lease> {
    const { lease } = await leases.set(instanceId, 'stop', term);
    const all = { ...lease, ...more };
    disks.one.leases.set(instanceId, all);
    await leases.refresh();
    return all;
  }

  /** What is on the disk of each account. */
  const written = () => [disks.one.leases.get(instanceId), disks.two.leases.get(instanceId)];

  for (const call of ['read', 'put', 'state'] as const) {
    it(`is set for the account it was set in (${call})`, async () => {
      changeDuring(call);
      const { lease } = await leases.set(instanceId, 'stop', term);
      assert.deepEqual(written(), [lease, undefined]);
      assert.deepEqual(leases.rows, []);
    });
  }

  for (const call of ['read', 'remove'] as const) {
    it(`is canceled in its account alone (${call})`, async () => {
      const lease = await scheduled();
      disks.two.leases.set(instanceId, lease);
      changeDuring(call);
      await leases.cancel(instanceId);
      assert.deepEqual(written(), [undefined, lease]);
    });
  }

  it('has its proof written in its account alone', async () => {
    const lease = await scheduled();
    changeDuring('read');
    assert.equal(await leases.setArmed(lease, armed), true);
    assert.deepEqual(written(), [{ ...lease, armed }, undefined]);
  });

  it('is given up in its account alone once its timer has ended', async () => {
    const lease = await scheduled({ armed, isOnlyOnInstance: true });
    disks.two.leases.set(instanceId, lease);
    changeDuring('read');
    await leases.setArmed(lease, undefined);
    assert.deepEqual(written(), [undefined, lease]);
  });

  for (const timer of [armed, undefined]) {
    it(`is left to the instance in its account alone${timer ? '' : ', or canceled there'}`, async () => {
      const lease = await scheduled({ armed: timer });
      disks.two.leases.set(instanceId, lease);
      changeDuring('read');
      await leases.leaveToInstance(instanceId);
      const [one, two] = written();
      assert.deepEqual([one?.isOnlyOnInstance, two], [timer && true, lease]);
    });
  }

  it('is amended in its account alone', async () => {
    const lease = await scheduled();
    changeDuring('read');
    assert.equal(await leases.amend({ ...lease, setAt: 1 }), true);
    assert.deepEqual(written(), [{ ...lease, setAt: 1 }, undefined]);
    assert.equal(await leases.amend(lease), false, 'another account has no such schedule');
    assert.equal(disks.two.leases.size, 0);
  });

  it('is finished in its account alone', async () => {
    const lease = await scheduled();
    disks.two.leases.set(instanceId, lease);
    changeDuring('read');
    await leases.finish(lease);
    assert.deepEqual(written(), [undefined, lease]);
  });
});
