import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Schedule } from '../../../../src/schedules/model/schedule';
import { ScheduleFiles } from '../../../../src/schedules/store/scheduleFiles';
import { silentLog } from '../../../../src/util/log';
import { useFolder } from '../../../support/useFolder';

const schedule: Schedule = {
  id: 'aaaaaaaa',
  instanceId: 5001,
  action: 'destroy',
  term: { kind: 'at', at: 2000 },
  setAt: 1000,
  armed: { token: 'ab', at: 2000, provedAt: 1500 },
};

describe('Files of schedules', () => {
  let folder = '';
  useFolder((made) => void (folder = made));

  it('give back what was written, in the order of the instances', async () => {
    const files = new ScheduleFiles(folder, silentLog);
    const idle: Schedule = {
      id: 'bbbbbbbb',
      instanceId: 90,
      action: 'stop',
      term: { kind: 'idle', minutes: 30 },
      setAt: 5,
      armed: { token: 'cd', provedAt: 6 },
    };
    await files.put(schedule);
    await files.put(idle);
    await files.putState(5001, { scheduleId: 'aaaaaaaa', warnedAt: 1900, attempts: 1, nextTryAt: 2100 });
    assert.deepEqual(await new ScheduleFiles(folder, silentLog).list(), [
      { schedule: idle, state: { scheduleId: 'bbbbbbbb' } },
      { schedule, state: { scheduleId: 'aaaaaaaa', warnedAt: 1900, attempts: 1, nextTryAt: 2100 } },
    ]);
  });

  it('forget the progress of one with another schedule', async () => {
    const files = new ScheduleFiles(folder, silentLog);
    await files.put(schedule);
    await files.putState(5001, { scheduleId: 'aaaaaaaa', missedAt: 3000 });
    await files.put({ ...schedule, id: 'cccccccc' });
    assert.deepEqual((await files.read(5001))?.state, { scheduleId: 'cccccccc' });
  });

  it('leave nothing behind of one that is cancelled', async () => {
    const files = new ScheduleFiles(folder, silentLog);
    await files.put(schedule);
    await files.putState(5001, { scheduleId: 'aaaaaaaa' });
    await files.remove(5001);
    assert.deepEqual(readdirSync(folder), []);
  });

  it('that are broken are set aside, named, and are no schedule', async () => {
    const files = new ScheduleFiles(folder, silentLog);
    await files.put(schedule);
    writeFileSync(path.join(folder, '7.json'), '{"version":1,"action":"explode"}');
    assert.deepEqual(
      (await files.list()).map((row) => row.schedule.instanceId),
      [5001],
    );
    const [name] = readdirSync(folder).filter((one) => one.startsWith('7.json.broken-'));
    assert.ok(name);
    const damaged = { instanceId: 7, path: path.join(folder, name), kind: 'damaged' };
    assert.deepEqual(files.unreadable, [damaged]);
    // Another window, and after a restart.
    const others = new ScheduleFiles(folder, silentLog);
    await others.list();
    assert.deepEqual(others.unreadable, [damaged]);
    await others.put({ ...schedule, instanceId: 7 });
    await others.list();
    assert.deepEqual(others.unreadable, []);
  });

  it('that the disk refuses hide no other, and are named', async () => {
    const files = new ScheduleFiles(folder, silentLog);
    await files.put(schedule);
    mkdirSync(path.join(folder, '8.json'));
    assert.deepEqual(
      (await files.list()).map((row) => row.schedule.instanceId),
      [5001],
    );
    assert.deepEqual(files.unreadable, [
      { instanceId: 8, path: path.join(folder, '8.json'), kind: 'refused' },
    ]);
  });
});
