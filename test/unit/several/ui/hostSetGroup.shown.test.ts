import assert from 'node:assert/strict';
import { mkdtempSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { HostSets } from '../../../../src/several/store/hostSets';
import { register } from '../../../../src/several/ui';
import { silentLog } from '../../../../src/util/log';
import { FakeClock } from '../../../support/fakeClock';
import { FakeEventEmitter } from '../../../support/fakeEditor/events';
import { FakeHubs } from '../../../support/fakeWindows';
import { only } from '../../../support/only';
import { removeFolder } from '../../../support/removeFolder';
import { until } from '../../../support/until';

describe('Groups for other tools', () => {
  const accountKey = '0123456789abcdef';
  let storageDir: string;
  const opened: { dispose(): void }[] = [];
  beforeEach(() => {
    storageDir = mkdtempSync(path.join(os.tmpdir(), 'gr-groups-'));
  });
  afterEach(async () => {
    for (const one of opened.splice(0)) {
      one.dispose();
    }
    await removeFolder(storageDir);
  });

  /** A window with the feature, and another one that changes the groups. */
  function scene() {
    const hubs = new FakeHubs();
    const event = new FakeEventEmitter<undefined>().event;
    const shown: { readonly id: string }[] = [];
    const depsOf = () => ({
      ...{ storageDir, clock: new FakeClock(), log: silentLog, hub: hubs.open() },
      accounts: { active: { key: accountKey }, onDidChange: event },
      accountCleanup: { onDidRemove: event },
      ...{ fleet: { onDidChange: event, state: { kind: 'loading' } }, rentals: { onDidChange: event } },
      ...{
        presence: { set: () => undefined },
        oneWindow: { offer: () => undefined },
      },
      commands: { register: () => ({ dispose: () => undefined }) },
      instanceGroups: {
        addGroup: (group: { readonly id: string }) => {
          shown.push(group);
          return { dispose: () => undefined };
        },
      },
    });
    const sets = new HostSets(depsOf());
    const start = () => {
      const deps = depsOf();
      opened.push(register(only(deps)));
      return deps;
    };
    opened.push(sets);
    const add = () =>
      sets.add(accountKey, { name: 'crew', folder: '/tmp/crew', members: { kind: 'running' } });
    return { sets, start, add, shown };
  }

  it('are shown in the list from the first one on, also where another window adds it', async () => {
    const { sets, start, add, shown } = scene();
    start();
    await sets.ready;
    assert.deepEqual(shown, []);
    await add();
    await until('the group', () => shown.length > 0, { everyMs: 1 });
    await add();
    assert.deepEqual(
      shown.map(({ id }) => id),
      ['hostSets'],
    );
  });

  it('are shown where there are some', async () => {
    const { start, add, shown } = scene();
    await add();
    start();
    await until('the group', () => shown.length > 0, { everyMs: 1 });
  });

  it('are shown where they can’t be read', async () => {
    writeFileSync(path.join(storageDir, 'accounts'), '');
    const { start, shown } = scene();
    start();
    await until('the group', () => shown.length > 0, { everyMs: 1 });
  });
});
