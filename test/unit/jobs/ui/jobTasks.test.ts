import assert from 'node:assert/strict';
import { setImmediate } from 'node:timers/promises';
import { newJobState, type JobRow } from '../../../../src/jobs/model/job';
import type { JobDeps } from '../../../../src/jobs/ui/deps';
import { JobTerminal } from '../../../../src/jobs/ui/jobTasks';
import { silentLog } from '../../../../src/util/log';
import { FakeEventEmitter } from '../../../support/fakeEditor/events';
import { aJob } from '../../../support/jobWindows';

const id = '0123456789abcdef';
/** What a terminal shows after a program wrote this into it. */
function screenOf(written: string): readonly string[] {
  return written.split('\r\n').map((line) => line.split('\r\u001b[K').at(-1) ?? '');
}

describe('The terminal of a job that runs as a task', () => {
  function scene(columns?: number, order: () => Promise<string | undefined> = () => Promise.resolve(id)) {
    const changed = new FakeEventEmitter<undefined>();
    const job = { ...aJob(7), id, orderedAt: 0 };
    let row: JobRow | undefined = { job, state: { ...newJobState(job), phase: 'running' } };
    let log = Buffer.alloc(0);
    let reads = 0;
    const watched: string[][] = [];
    const jobs = {
      onDidChange: changed.event,
      watch: (_: object, ids: readonly string[]) => watched.push([...ids]),
      find: () => row,
      log: async (_: string, at = 0) => {
        reads += 1;
        await setImmediate();
        return { bytes: log.subarray(at, at + 2_000_000), at };
      },
    } as unknown as JobDeps['jobs'];
    const stops: string[] = [];
    const terminal = new JobTerminal({ jobs, log: silentLog }, order, (jobId) => {
      stops.push(jobId);
      return Promise.resolve();
    });
    const written: string[] = [];
    const codes: unknown[] = [];
    terminal.onDidWrite((data) => written.push(data));
    terminal.onDidClose((code) => codes.push(code));
    terminal.open(columns === undefined ? undefined : { columns, rows: 20 });
    const settled = async () => {
      for (let before = -1; before !== reads;) {
        before = reads;
        for (let turn = 0; turn < 5; turn += 1) {
          await setImmediate();
        }
      }
    };
    return {
      codes,
      written,
      stops,
      watched,
      terminal,
      settled,
      screen: () => screenOf(written.join('')),
      grows: async (more: string) => {
        log = Buffer.concat([log, Buffer.from(more)]);
        changed.fire(undefined);
        changed.fire(undefined);
        await settled();
      },
      leaves: async () => {
        row = undefined;
        changed.fire(undefined);
        await settled();
      },
      ends: async (code: number, why: 'itself' | 'limit' = 'itself') => {
        const end = { code, why, at: undefined, isOutOfMemory: false } as const;
        row = { job, state: { ...newJobState(job), phase: 'over', end } };
        changed.fire(undefined);
        changed.fire(undefined);
        await settled();
      },
    };
  }

  it('writes each line once, for any number of changes', async () => {
    const { grows, ends, written, codes } = scene();
    await grows('epoch 1\nepo');
    await grows('ch 2\n');
    await ends(3);
    const all = written.join('');
    assert.deepEqual([all.split('epoch 1').length, all.split('epoch 2').length], [2, 2]);
    assert.deepEqual([all.split('The job has ended.').length, codes], [2, [3]]);
  });

  it('does not show a job as ended that is not shown any more', async () => {
    const { grows, leaves, screen, codes } = scene();
    await grows('epoch 1\n');
    await leaves();
    assert.deepEqual(screen().slice(0, 1), ['epoch 1']);
    assert.match(screen().join(' '), /The account changed\. The job may still run/);
    assert.ok(!screen().includes('The job has ended.'));
    assert.deepEqual(codes, [1]);
  });

  it('shows that a job could not be run, and nothing of an error that only the log may hold', async () => {
    const { settled, screen, codes } = scene(80, () => Promise.reject(new Error('EACCES /secret')));
    await settled();
    assert.ok(screen().includes('See the log for details.'), screen().join('|'));
    assert.doesNotMatch(screen().join(' '), /secret/);
    assert.deepEqual(codes, [1]);
  });

  it('asks to stop the job at Ctrl+C, and at nothing else that is typed', async () => {
    const { terminal, settled, stops, ends } = scene();
    terminal.handleInput('\u0003');
    assert.deepEqual(stops, [], 'the job is not ordered yet');
    await settled();
    terminal.handleInput('y');
    assert.deepEqual(stops, []);
    terminal.handleInput('\u0003');
    assert.deepEqual(stops, [id]);
    await ends(0);
    terminal.handleInput('\u0003');
    assert.deepEqual(stops, [id]);
  });

  it('has its log read as often as one that is shown, until it ends or is closed', async () => {
    const first = scene();
    await first.settled();
    assert.deepEqual(first.watched, [[id]]);
    await first.ends(0);
    assert.deepEqual(first.watched.at(-1), []);
    const second = scene();
    await second.settled();
    second.terminal.close();
    assert.deepEqual(second.watched.at(-1), []);
  });

  it('shows a bar of progress in one line, and nothing above it again', async () => {
    const { grows, ends, screen, written } = scene(20);
    await grows('epoch 1\n');
    for (let percent = 10; percent < 100; percent += 10) {
      await grows(`${percent}% ${'#'.repeat(percent)}\r`);
    }
    assert.deepEqual(screen(), ['epoch 1', '90% ###############']);
    await grows('done\n');
    await ends(0);
    assert.deepEqual(screen(), ['epoch 1', 'done', '', 'The job has ended.', '']);
    assert.equal(written.join('').split('epoch 1').length, 2);
  });

  it('writes nothing again of a log that is longer than is read at once', async () => {
    const { grows, written } = scene();
    const line = `${'x'.repeat(99)}\n`;
    await grows(line.repeat(50_000));
    const before = written.join('').length;
    assert.ok(before > 5_000_000 && before < 5_200_000, String(before));
    await grows('one more\n');
    assert.ok(written.join('').length - before < 50);
    await grows('y'.repeat(3_000_000));
    await grows('\nend\n');
    assert.match(written.join(''), /yend\r\n$|y\r\nend\r\n$/);
  });

  it('fails where the job was ended at its limit, though it saved its work and ended with 0', async () => {
    const { ends, codes } = scene();
    await ends(0, 'limit');
    assert.deepEqual(codes, [1]);
    const other = scene();
    await other.ends(0);
    assert.deepEqual(other.codes, [0]);
  });
});
