import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { newJobState } from '../../../../src/jobs/model/job';
import { JobFiles } from '../../../../src/jobs/store/jobFiles';
import { logPieceBytes } from '../../../../src/jobs/store/jobLogFiles';
import { FileUnreadableError } from '../../../../src/store/disk/jsonFile';
import { silentLog } from '../../../../src/util/log';
import { formatText, text } from '../../../../src/util/text';
import { aJob } from '../../../support/jobWindows';
import { useFolder } from '../../../support/useFolder';

const id = '0123456789abcdef';

describe('What is kept of a job on disk', () => {
  let folder = '';
  useFolder((made) => void (folder = made));

  const ordered = { ...aJob(1), id, orderedAt: 1, commit: undefined, setupKey: undefined };
  const running = { ...newJobState(ordered), phase: 'running', attempt: 2 } as const;
  const stateFile = () => join(folder, `${id}.state.json`);
  const keptFiles = () => readdirSync(folder).filter((name) => name.includes('.broken-'));

  it('does not mistake a list of files that is lost or damaged for an empty one', async () => {
    const files = new JobFiles(folder, silentLog, Date.now);
    await files.putNames(id, []);
    assert.deepEqual(await files.names(id), []);
    writeFileSync(join(folder, `${id}.files.json`), '["a.py"');
    await assert.rejects(files.names(id), /list of its files is lost/);
    await assert.rejects(files.names(id), /list of its files is lost/);
  });

  it('gives the end of a log, or a piece of it, with its place', async () => {
    const files = new JobFiles(folder, silentLog, Date.now);
    assert.deepEqual(await files.readLog(id), { bytes: Buffer.alloc(0), at: 0 });
    await files.writeLog(id, 0, Buffer.alloc(logPieceBytes + 5, 'x'));
    const end = await files.readLog(id);
    assert.deepEqual([end.bytes.length, end.at], [logPieceBytes, 5]);
    const first = await files.readLog(id, 0);
    assert.deepEqual([first.bytes.length, first.at], [logPieceBytes, 0]);
    const last = await files.readLog(id, logPieceBytes);
    assert.deepEqual([last.bytes.toString(), last.at], ['xxxxx', logPieceBytes]);
  });

  it('has a log of at most two files, gives the rest with its place, and continues after a crash', async () => {
    const files = new JobFiles(folder, silentLog, Date.now, 10);
    const digits = Array.from({ length: 60 }, (_, index) => String(index % 10)).join('');
    const write = async (from: number, to: number) => {
      for (let at = from; at < to; at += 4) {
        await files.writeLog(id, at, Buffer.from(digits.slice(at, at + 4)));
      }
    };
    const bytesHere = () =>
      readdirSync(folder).reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);
    const check = async () => {
      const { bytes, at } = await files.readLog(id, 0);
      assert.ok(at > 0 && bytesHere() <= 26, `${at}, ${bytesHere()} bytes`);
      assert.equal(bytes.toString(), digits.slice(at));
      const piece = await files.readLog(id, 50);
      assert.deepEqual([piece.bytes.toString(), piece.at], [digits.slice(50), 50]);
    };
    await write(0, 12);
    assert.equal(await files.logPath(id), join(folder, `${id}.log`));
    await write(12, 60);
    await check();
    // The state of a window that was killed named an earlier place.
    await write(44, 60);
    await check();
    assert.equal(await files.logPath(id), undefined);
    await files.remove(id);
    assert.deepEqual(readdirSync(folder), []);
  });

  it('is named where it is damaged, kept aside, and hides no other job', async () => {
    const files = new JobFiles(folder, silentLog, Date.now);
    await files.putState(newJobState(ordered));
    await files.put(ordered);
    const other = join(folder, `${'f'.repeat(16)}.json`);
    writeFileSync(other, '{"version":1');
    for (const time of ['first', 'second']) {
      assert.deepEqual(
        (await files.list()).map(({ job }) => job.id),
        [id],
        time,
      );
      const [kept = '', ...more] = files.damaged;
      assert.ok(kept.startsWith(`${other}.broken-`) && more.length === 0, kept);
      assert.equal(readFileSync(kept, 'utf8'), '{"version":1');
    }
  });

  for (const [what, content] of [
    ['empty', ''],
    ['cut', JSON.stringify(running).slice(0, 40)],
    ['of another shape', '["running"]'],
    ['of another job', JSON.stringify({ ...running, jobId: 'f'.repeat(16) })],
    ['of a later version', JSON.stringify({ ...running, phase: 'thinking' })],
  ] as const) {
    it(`is over, and nothing is carried on, where the file of its progress is ${what}`, async () => {
      const files = new JobFiles(folder, silentLog, Date.now);
      await files.put(ordered);
      writeFileSync(stateFile(), content);
      // Several windows, and each after a restart.
      const rows = await Promise.all([files.read(id), new JobFiles(folder, silentLog, Date.now).read(id)]);
      rows.push(await new JobFiles(folder, silentLog, Date.now).read(id), ...(await files.list()));
      const [kept = '', ...more] = keptFiles();
      assert.deepEqual(more, []);
      assert.equal(readFileSync(join(folder, kept), 'utf8'), content);
      for (const row of rows) {
        const {
          phase,
          outcome,
          isLost,
          since,
          setAside,
          why = text(''),
        } = row?.state ?? newJobState(ordered);
        assert.deepEqual(
          [phase, outcome, isLost, since],
          ['over', 'unknown', true, Number(kept.split('-')[1])],
        );
        assert.match(formatText(why), /progress is lost\. .*may still run and cost money/);
        assert.equal(setAside, join(folder, kept));
      }
      await files.putState(running);
      assert.equal((await files.read(id))?.state.phase, 'running');
      await files.remove(id);
      assert.deepEqual(readdirSync(folder), []);
    });
  }

  it('is over where the file of its progress is missing, and gone where it was removed just then', async () => {
    const files = new JobFiles(folder, silentLog, Date.now);
    await files.putState(newJobState(ordered));
    await files.put(ordered);
    assert.equal((await files.read(id))?.state.phase, 'queued');
    rmSync(stateFile());
    const { phase, outcome, why = text('') } = (await files.read(id))?.state ?? newJobState(ordered);
    assert.deepEqual([phase, outcome], ['over', 'unknown']);
    assert.match(formatText(why), /progress is lost\. .*may still run and cost money/);
    const [row] = await Promise.all([files.read(id), files.remove(id)]);
    assert.ok(!row || row.state.isLost);
    assert.equal(await files.read(id), undefined);
  });

  it('is not over where the disk refuses the file of its progress', async () => {
    const files = new JobFiles(folder, silentLog, Date.now);
    await files.put(ordered);
    mkdirSync(stateFile());
    await assert.rejects(files.read(id), FileUnreadableError);
    assert.deepEqual(keptFiles(), []);
  });

  it('is read though the disk refuses the file of another job, which is reported', async () => {
    const files = new JobFiles(folder, silentLog, Date.now);
    await files.putState(newJobState(ordered));
    await files.put(ordered);
    const other = 'f'.repeat(16);
    mkdirSync(join(folder, `${other}.json`));
    assert.deepEqual(
      (await files.list()).map(({ job }) => job.id),
      [id],
    );
    assert.ok(files.refused instanceof FileUnreadableError);
    rmSync(join(folder, `${other}.json`), { recursive: true });
    assert.equal((await files.list()).length, 1);
    assert.equal(files.refused, undefined);
  });
});
