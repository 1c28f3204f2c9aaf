import assert from 'node:assert/strict';
import type { Account } from '../../../../src/store/ports';
import { OtherAccountLeases } from '../../../../src/store/leases/otherAccountLeases';
import { Notices } from '../../../../src/store/windows/notices';
import { silentLog } from '../../../../src/util/log';
import { anInstance } from '../../../support/builders';
import { FakeService } from '../../../support/fakeService';
import { FakeComputer } from '../../../support/fakeWindows';
import { FakeLeaseDisk, passInMinutes } from '../../../support/leaseWindows';

const minute = 60_000;
const instanceId = 5001;

describe('Schedules of accounts that are not active', () => {
  let service: FakeService;
  let computer: FakeComputer;
  beforeEach(async () => {
    service = new FakeService();
    service.instances = [anInstance({ id: instanceId, actualStatus: 'running', intendedStatus: 'running' })];
    computer = await FakeComputer.make(service.client);
  });
  afterEach(() => computer.dispose());

  it('are carried out although those of another account can not be read', async () => {
    const { clock } = computer;
    const { accounts, hub, owned } = await computer.openSignedIn();
    const active = accounts.active as Account;
    const [broken, good] = [new FakeLeaseDisk(), new FakeLeaseDisk()];
    broken.storage.list = () => Promise.reject(new Error('EACCES'));
    const term = { kind: 'at', at: clock.now() + 30 * minute } as const;
    good.leases.set(instanceId, { id: 'aa', instanceId, action: 'stop', term, setAt: clock.now() });
    const others = [
      { ...active, key: 'broken' },
      { ...active, key: 'good' },
    ];
    owned.add(
      new OtherAccountLeases({
        accounts: Object.assign(Object.create(accounts) as typeof accounts, {
          others: () => Promise.resolve(others),
        }),
        ...{ hub, clock, log: silentLog, notices: owned.add(new Notices(hub)) },
        storage: (key) => (key === 'broken' ? broken : good).storage,
      }),
    );
    await passInMinutes(computer, 40 * minute);
    assert.equal(service.count('instances.stop'), 1);
    assert.equal(good.leases.size, 0);
  });
});
