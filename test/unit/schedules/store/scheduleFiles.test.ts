import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Lease } from '../../../../src/schedules/model/schedule';
import { LeaseFiles } from '../../../../src/schedules/store/scheduleFiles';
import { silentLog } from '../../../../src/util/log';
import { useFolder } from '../../../support/useFolder';

const lease: Lease = {
  id: 'aaaaaaaa',
  instanceId: 5001,
  action: 'destroy',
  term: { kind: 'at', at: 2000 },
  setAt: 1000,
  armed: { token: 'ab', at: 2000, provedAt: 1500 },
};

describe('Files of leases', () => {
  let folder = '';
  useFolder((made) => void (folder = made));

  it('give back what was written, in the order of the instances', async () => {
    const files = new LeaseFiles(folder, silentLog);
    const idle: Lease = {
      id: 'bbbbbbbb',
      instanceId: 90,
      action: 'stop',
      term: { kind: 'idle', minutes: 30 },
      setAt: 5,
      armed: { token: 'cd', provedAt: 6 },
    };
    await files.put(lease);
    await files.put(idle);
    await files.putState(5001, { leaseId: 'aaaaaaaa', warnedAt: 1900, attempts: 1, nextTryAt: 2100 });
    assert.deepEqual(await new LeaseFiles(folder, silentLog).list(), [
      { lease: idle, state: { leaseId: 'bbbbbbbb' } },
      { lease, state: { leaseId: 'aaaaaaaa', warnedAt: 1900, attempts: 1, nextTryAt: 2100 } },
    ]);
  });

  it('forget how far it has come with another lease', async () => {
    const files = new LeaseFiles(folder, silentLog);
    await files.put(lease);
    await files.putState(5001, { leaseId: 'aaaaaaaa', missedAt: 3000 });
    await files.put({ ...lease, id: 'cccccccc' });
    assert.deepEqual((await files.read(5001))?.state, { leaseId: 'cccccccc' });
  });

  it('leave nothing behind of one that is cancelled', async () => {
    const files = new LeaseFiles(folder, silentLog);
    await files.put(lease);
    await files.putState(5001, { leaseId: 'aaaaaaaa' });
    await files.remove(5001);
    assert.deepEqual(readdirSync(folder), []);
  });

  it('that are broken are set aside, named, and are no lease', async () => {
    const files = new LeaseFiles(folder, silentLog);
    await files.put(lease);
    writeFileSync(path.join(folder, '7.json'), '{"version":1,"action":"explode"}');
    assert.deepEqual(
      (await files.list()).map((row) => row.lease.instanceId),
      [5001],
    );
    const [name] = readdirSync(folder).filter((one) => one.startsWith('7.json.broken-'));
    assert.ok(name);
    const damaged = { instanceId: 7, path: path.join(folder, name), kind: 'damaged' };
    assert.deepEqual(files.unreadable, [damaged]);
    // Another window, and after a restart.
    const others = new LeaseFiles(folder, silentLog);
    await others.list();
    assert.deepEqual(others.unreadable, [damaged]);
    await others.put({ ...lease, instanceId: 7 });
    await others.list();
    assert.deepEqual(others.unreadable, []);
  });

  it('that the disk refuses hide no other, and are named', async () => {
    const files = new LeaseFiles(folder, silentLog);
    await files.put(lease);
    mkdirSync(path.join(folder, '8.json'));
    assert.deepEqual(
      (await files.list()).map((row) => row.lease.instanceId),
      [5001],
    );
    assert.deepEqual(files.unreadable, [
      { instanceId: 8, path: path.join(folder, '8.json'), kind: 'refused' },
    ]);
  });
});
