import assert from 'node:assert/strict';
import { mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ownMark } from '../../../../src/several/model/hostFiles';
import { HostFileKeeper } from '../../../../src/several/store/hostFileKeeper';
import { removeHostFiles } from '../../../../src/several/store/hostFolder';
import { HostSets } from '../../../../src/several/store/hostSets';
import { Emitter } from '../../../../src/util/emitter';
import { silentLog } from '../../../../src/util/log';
import { anInstance, aUser } from '../../../support/builders';
import { FakeService } from '../../../support/fakeService';
import { FakeComputer } from '../../../support/fakeWindows';
import { until } from '../../../support/until';

const serviceUrl = 'https://console.example.com';

describe('Host files', () => {
  const service = new FakeService();
  let computer: FakeComputer;
  beforeEach(async () => {
    computer = await FakeComputer.make(service.client);
  });
  afterEach(() => computer.dispose());

  async function scene() {
    service.instances = [anInstance({ id: 41 })];
    service.user = aUser();
    const window = await computer.openSignedIn();
    const { accounts, fleet, hub, owned } = window;
    const { clock, storageDir } = computer;
    const sets = owned.add(new HostSets({ accounts, hub, clock, log: silentLog, storageDir }));
    const removed = new Emitter<string>();
    const proof = { wait: () => Promise.resolve() };
    const keeper = owned.add(
      new HostFileKeeper({
        accounts,
        fleet,
        hub,
        sets,
        clock,
        log: silentLog,
        proved: async () => {
          await proof.wait();
          return ['gpu-41', 'gpu-52'];
        },
        aliasOf: (_, id) => `gpu-${id}`,
        onAccountEnd: removed.event,
      }),
    );
    await fleet.refresh();
    const folder = join(storageDir, 'hosts');
    await mkdir(folder);
    const { id } = await sets.add(accounts.active?.key ?? '', {
      name: 'gpus',
      folder,
      members: { kind: 'running' },
    });
    await clock.through(keeper.keep());
    const names = () => readFile(join(folder, 'hosts.txt'), 'utf8');
    assert.equal((await names()).trim(), 'gpu-41');
    return { ...window, sets, storageDir, keeper, proof, removed, folder, id, names, clock };
  }

  it('never name the instances of another account', async () => {
    const { accounts, fleet, keeper, proof, names, clock } = await scene();
    const own = accounts.active?.key ?? '';
    proof.wait = async () => {
      proof.wait = () => Promise.resolve();
      service.instances = [anInstance({ id: 52 })];
      service.user = { ...service.user, id: 8, email: 'other@example.com' };
      await accounts.signIn({ serviceUrl, apiKey: 'another-key' });
      await fleet.refresh();
    };
    await clock.through(keeper.keep());
    assert.notEqual(accounts.active?.key, own);
    assert.equal((await names()).trim(), 'gpu-41');
  });

  it('are restored before they are used, if they were changed or removed', async () => {
    const { keeper, folder, id, names, clock } = await scene();
    await writeFile(join(folder, 'inventory.yml'), `${ownMark} changed`);
    await rm(join(folder, 'hosts.txt'));
    await clock.through(keeper.keepThere(id));
    assert.equal((await names()).trim(), 'gpu-41');
    assert.match(await readFile(join(folder, 'inventory.yml'), 'utf8'), /gpu-41/);
    await rm(folder, { recursive: true });
    assert.equal(keeper.isLost(id), false);
    await clock.through(keeper.keepThere(id));
    assert.equal(keeper.isLost(id), true);
  });

  it('are made good once their account is active again', async () => {
    const { accounts, fleet, sets, keeper, folder, names, clock } = await scene();
    const own = accounts.active?.key ?? '';
    const { user, instances } = service;
    service.user = { ...user, id: 8, email: 'other@example.com' };
    service.instances = [anInstance({ id: 52 })];
    await accounts.signIn({ serviceUrl, apiKey: 'another-key' });
    await writeFile(join(folder, 'hosts.txt'), 'gpu-52\n');
    Object.assign(service, { user, instances });
    await accounts.switchTo(own);
    await sets.ready;
    await fleet.refresh();
    await clock.through(keeper.keep());
    assert.equal((await names()).trim(), 'gpu-41');
  });

  it('are found by their folder, through any path and with any active account', async () => {
    const { accounts, sets, folder, storageDir, id } = await scene();
    await symlink(storageDir, join(storageDir, 'link'));
    service.user = { ...service.user, id: 8, email: 'other@example.com' };
    await accounts.signIn({ serviceUrl, apiKey: 'another-key' });
    await sets.ready;
    assert.deepEqual(sets.rows, []);
    const linked = join(storageDir, 'link', 'hosts');
    const found = async (path: string) => (await sets.inFolder(path))?.id;
    assert.deepEqual([await found(folder), await found(linked)], [id, id]);
    await rm(folder, { recursive: true });
    assert.deepEqual([await found(folder), await found(linked)], [id, id]);
    assert.equal(await found(join(storageDir, 'others')), undefined);
  });

  it('leave a file alone that took the place of one of them, and name it', async () => {
    const { keeper, folder, id, names, clock, removed, accounts } = await scene();
    const inventory = join(folder, 'inventory.yml');
    const own = 'all:\n  hosts:\n    my-own-server:\n';
    await writeFile(inventory, own);
    await clock.through(keeper.keepThere(id));
    assert.equal(await readFile(inventory, 'utf8'), own);
    assert.deepEqual(keeper.strangersOf(id), ['inventory.yml']);
    removed.fire(accounts.active?.key ?? '');
    await until('ours to go', async () => (await readdir(folder)).join() === 'groups.d,inventory.yml');
    assert.equal(await readFile(inventory, 'utf8'), own);
    await writeFile(join(folder, 'hosts.txt'), 'my-own-server\n');
    await clock.through(keeper.keepThere(id));
    assert.equal(await names(), 'my-own-server\n');
    assert.deepEqual(keeper.strangersOf(id), ['hosts.txt', 'inventory.yml']);
    await rm(inventory);
    await rm(join(folder, 'hosts.txt'));
    await clock.through(keeper.keepThere(id));
    assert.equal((await names()).trim(), 'gpu-41');
    assert.deepEqual(keeper.strangersOf(id), []);
  });

  it('are removed at a sign-out that happens while they are written', async () => {
    const { accounts, keeper, proof, removed, folder, id, clock } = await scene();
    const key = accounts.active?.key ?? '';
    proof.wait = () => {
      removed.fire(key);
      return Promise.resolve();
    };
    await clock.through(keeper.keepThere(id));
    proof.wait = () => Promise.resolve();
    await until('the files to go', async () => !(await readdir(folder)).includes('hosts.txt'));
  });

  it('go with a group that is removed while they are written', async () => {
    const { accounts, keeper, sets, proof, folder, id, clock } = await scene();
    const set = sets.find(id) ?? assert.fail();
    let removal: Promise<void> | undefined;
    proof.wait = async () => {
      proof.wait = () => Promise.resolve();
      removal = keeper.remove(accounts.active?.key ?? '', set);
      await until('the group to go', () => sets.rows.length === 0);
    };
    await rm(join(folder, 'hosts.txt'));
    await clock.through(keeper.keepThere(id));
    await removal;
    assert.deepEqual(await readdir(folder), ['groups.d']);
  });

  it('go with a group that another window removes while they are written', async () => {
    const { accounts, keeper, sets, proof, storageDir, folder, id, clock } = await scene();
    const other = await computer.openSignedIn();
    const shared = { accounts: other.accounts, hub: other.hub, clock, log: silentLog, storageDir };
    const others = other.owned.add(new HostSets(shared));
    proof.wait = async () => {
      proof.wait = () => Promise.resolve();
      await others.remove(accounts.active?.key ?? '', id);
      await removeHostFiles(folder, 'gpus');
      await until('the group to go', () => sets.rows.length === 0);
    };
    await clock.through(keeper.keepThere(id));
    await until('the files to go', async () => (await readdir(folder)).join() === 'groups.d');
  });

  it('stay where the record of their group is damaged', async () => {
    const { accounts, keeper, sets, storageDir, id, names, clock } = await scene();
    const file = join(storageDir, 'accounts', accounts.active?.key ?? '', 'hostSets', `${id}.json`);
    await writeFile(file, '{');
    await sets.remove(accounts.active?.key ?? '', 'ffffffff');
    assert.deepEqual(sets.rows, []);
    await clock.through(keeper.keep());
    assert.equal((await names()).trim(), 'gpu-41');
  });
});
