import assert from 'node:assert/strict';
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { HostFileKeeper } from '../../../../src/store/engines/hostFileKeeper';
import { HostSets } from '../../../../src/store/engines/hostSets';
import { Emitter } from '../../../../src/util/emitter';
import { silentLog } from '../../../../src/util/log';
import { anInstance } from '../../../support/builders';
import { FakeService } from '../../../support/fakeService';
import { FakeComputer } from '../../../support/fakeWindows';

const serviceUrl = 'https://console.example.com';

describe('host files while the account is switched', () => {
  const service = new FakeService();
  let computer: FakeComputer;
  before(async () => {
    computer = await FakeComputer.make(service.client);
  });
  after(() => computer.dispose());

  it('never name the instances of another account', async () => {
    service.instances = [anInstance({ id: 41 })];
    const window = await computer.openSignedIn();
    const { accounts, fleet, hub, owned } = window;
    const { clock, storageDir } = computer;
    const own = accounts.active?.key ?? '';
    const sets = owned.add(new HostSets({ accounts, hub, clock, log: silentLog, storageDir }));
    let whileProved = () => Promise.resolve();
    const keeper = owned.add(
      new HostFileKeeper({
        accounts,
        fleet,
        hub,
        sets,
        clock,
        log: silentLog,
        proved: async () => {
          await whileProved();
          return ['gpu-41', 'gpu-52'];
        },
        aliasOf: (_, id) => `gpu-${id}`,
        onDidRemoveAccount: new Emitter<string>(() => undefined).event,
      }),
    );
    await fleet.refresh();
    const folder = join(storageDir, 'hosts');
    await mkdir(folder);
    await sets.add({ name: 'gpus', folder, members: { kind: 'running' } });
    await clock.through(keeper.keep());
    const names = () => readFile(join(folder, 'hosts.txt'), 'utf8');
    assert.equal((await names()).trim(), 'gpu-41');
    whileProved = async () => {
      whileProved = () => Promise.resolve();
      service.instances = [anInstance({ id: 52 })];
      service.user = { ...service.user, id: 8, email: 'other@example.com' };
      await accounts.signIn({ serviceUrl, apiKey: 'another-key' });
      await fleet.refresh();
    };
    await clock.through(keeper.keep());
    assert.notEqual(accounts.active?.key, own);
    assert.equal((await names()).trim(), 'gpu-41');
  });
});
