import assert from 'node:assert/strict';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Instance } from '../../../../src/model/instances/instance';
import type { HostSet } from '../../../../src/several/model/hostSet';
import { HostFileKeeper, type HostFileKeeperDeps } from '../../../../src/several/store/hostFileKeeper';
import { HostSets } from '../../../../src/several/store/hostSets';
import { Emitter } from '../../../../src/util/emitter';
import { anInstance } from '../../../support/builders';
import { windowScene, type WindowScene } from '../../../support/computerScene';
import { MemoryLog } from '../../../support/fakeTransport';

type Listed = HostFileKeeperDeps['fleet']['state'];

describe('The files of groups', () => {
  let { computer, window } = {} as WindowScene;
  let state: Listed;
  let proved: readonly string[];
  const listChanged = new Emitter<Listed>();
  const accountEnd = new Emitter<string>();
  let log: MemoryLog;
  let sets: HostSets;
  let folder: string;

  beforeEach(async () => {
    ({ computer, window } = await windowScene());
    const { accounts, hub, owned } = window;
    const { clock, storageDir } = computer;
    log = new MemoryLog();
    proved = ['gpu-41', 'gpu-42', 'gpu-7'];
    state = listed(anInstance({ id: 41 }));
    sets = owned.add(new HostSets({ accounts, hub, clock, log, storageDir }));
    folder = join(storageDir, 'hosts');
    await mkdir(folder);
  });
  afterEach(() => computer.dispose());

  const listed = (...instances: readonly Instance[]): Listed => ({
    kind: 'ready',
    value: { instances, skipped: 0 },
    fetchedAt: 0,
  });
  const key = () => window.accounts.active?.key ?? '';
  const add = (input: Partial<HostSet> = {}) =>
    sets.add(key(), { name: 'gpus', folder, members: { kind: 'running' }, ...input });
  const make = () =>
    window.owned.add(
      new HostFileKeeper({
        accounts: window.accounts,
        fleet: {
          get state() {
            return state;
          },
          facts: (id) => window.fleet.facts(id),
          onDidChange: listChanged.event,
        },
        hub: window.hub,
        sets,
        clock: computer.clock,
        log,
        proved: () => Promise.resolve(proved),
        aliasOf: (_, id) => `gpu-${id}`,
        onAccountEnd: accountEnd.event,
      }),
    );
  const rest = () => computer.clock.advance(0);
  const names = async (where = folder) =>
    (await readdir(where)).includes('hosts.txt')
      ? (await readFile(join(where, 'hosts.txt'), 'utf8')).trim().split('\n')
      : undefined;
  const list = (next: Listed) => {
    state = next;
    listChanged.fire(next);
  };

  it('are written at the start, where the groups were read before', async () => {
    await add();
    make();
    await rest();
    assert.deepEqual(await names(), ['gpu-41']);
  });

  it('are written with each change of the groups, of the list and of who leads', async () => {
    make();
    await rest();
    await add();
    await rest();
    assert.deepEqual(await names(), ['gpu-41'], 'a new group');
    list(listed(anInstance({ id: 41 }), anInstance({ id: 42 })));
    await rest();
    assert.deepEqual(await names(), ['gpu-41', 'gpu-42'], 'a new list');
    window.hub.leads(false);
    list(listed(anInstance({ id: 42 })));
    await rest();
    assert.deepEqual(await names(), ['gpu-41', 'gpu-42'], 'another window leads');
    window.hub.leads(true);
    await rest();
    assert.deepEqual(await names(), ['gpu-42'], 'this window leads');
  });

  it('name running members by their aliases in order, with what is known of them', async () => {
    const keeper = make();
    const chosen = await add({ members: { kind: 'chosen', ids: [41, 7, 8, 43] } });
    const bare = { id: 7, actualStatus: 'running', intendedStatus: 'running' };
    list(
      listed(
        { ...anInstance({ id: 41, gpuCount: 2, gpuName: 'RTX 4090' }), ...connectable },
        { ...bare, ...connectable },
        anInstance({ id: 42, ...connectable }),
        anInstance({ id: 43, actualStatus: 'exited', intendedStatus: 'stopped' }),
        anInstance({ id: 8, ...connectable }),
      ),
    );
    assert.deepEqual(
      keeper.runningOf(chosen).map(({ id }) => id),
      [41, 7, 8],
    );
    assert.deepEqual(await keeper.hostsOf(chosen), [
      { alias: 'gpu-41', gpuCount: 2, gpuName: 'RTX 4090' },
      { alias: 'gpu-7', gpuCount: 1, gpuName: '' },
    ]);
    list({ kind: 'failed', error: new Error('no list') });
    assert.deepEqual(keeper.runningOf(chosen), []);
  });

  for (const [what, partial] of [
    ['could not be read', { kind: 'failed', error: new Error('no list') }],
    ['is old', { ...listed(), error: new Error('no answer') }],
    ['lacks rows', { kind: 'ready', value: { instances: [], skipped: 1 }, fetchedAt: 0 }],
  ] as readonly [string, Listed][]) {
    it(`stay as they are while the list ${what}`, async () => {
      make();
      await add();
      await rest();
      list(partial);
      await rest();
      assert.deepEqual(await names(), ['gpu-41']);
    });
  }

  it('are not read while nothing changes, and are where a group was removed and added', async () => {
    const keeper = make();
    const set = await add();
    await rest();
    await writeFile(join(folder, 'hosts.txt'), 'gpu-9\n');
    await keeper.keep();
    assert.deepEqual(await names(), ['gpu-9'], 'the same list is not written again');
    await sets.remove(key(), set.id);
    await rest();
    assert.equal(await names(), undefined);
    await add();
    await rest();
    assert.deepEqual(await names(), ['gpu-41']);
  });

  it('go once their group is removed, by this window or by another one', async () => {
    const keeper = make();
    const set = await add();
    await rest();
    await keeper.remove(key(), set);
    assert.deepEqual([await names(), sets.rows], [undefined, []]);
  });

  it('go where their group is removed while another window leads', async () => {
    const set = await add();
    const keeper = make();
    await rest();
    window.hub.leads(false);
    // As of a window that writes late.
    await keeper.remove(key(), set);
    assert.deepEqual(
      (await readdir(folder)).filter((name) => name !== 'groups.d'),
      [],
    );
  });

  it('stay if the same folder is given to a group again', async () => {
    make();
    const first = await add();
    await rest();
    const second = await add();
    await sets.remove(key(), first.id);
    await rest();
    assert.deepEqual([await names(), sets.rows.map(({ id }) => id)], [['gpu-41'], [second.id]]);
  });

  it('are reported once their folder is gone, and once it is there again', async () => {
    const keeper = make();
    const { id } = await add();
    await rest();
    let heard = 0;
    keeper.onDidChange(() => (heard += 1));
    await keeper.keepThere(id);
    assert.equal(heard, 0, 'nothing changed');
    await rm(folder, { recursive: true });
    await keeper.keepThere(id);
    await keeper.keepThere(id);
    assert.deepEqual([heard, keeper.isLost(id)], [1, true]);
    await mkdir(folder);
    await keeper.keep();
    assert.deepEqual([heard, keeper.isLost(id), await names()], [2, false, ['gpu-41']]);
  });

  it('of one group do not keep those of the next one from being written, and are tried again', async () => {
    const other = join(computer.storageDir, 'others');
    await mkdir(other);
    const keeper = make();
    await mkdir(join(folder, 'hosts.txt'));
    await add();
    await add({ name: 'others', folder: other });
    await rest();
    assert.deepEqual(await names(other), ['gpu-41']);
    assert.match(log.lines.join('\n'), /^warn The files of the group gpus could not be written: /m);
    await rm(join(folder, 'hosts.txt'), { recursive: true });
    await keeper.keep();
    assert.deepEqual(await names(), ['gpu-41']);
    assert.match(log.lines.join('\n'), /^info The files of the group gpus name 1 instances$/m);
  });

  it('that the disk refuses to remove are named in the log', async () => {
    make();
    await add();
    await rest();
    await rm(join(folder, 'inventory.yml'));
    await mkdir(join(folder, 'inventory.yml'));
    accountEnd.fire(key());
    await rest();
    assert.match(log.lines.join('\n'), /^warn The files of the group gpus could not be removed: /m);
  });

  it('are listed with the oldest group first', async () => {
    for (const name of ['c', 'a', 'b']) {
      await add({ name });
      await computer.clock.advance(1000);
    }
    assert.deepEqual(
      sets.rows.map(({ name }) => name),
      ['c', 'a', 'b'],
    );
  });
});

const connectable = { actualStatus: 'running', intendedStatus: 'running' };
