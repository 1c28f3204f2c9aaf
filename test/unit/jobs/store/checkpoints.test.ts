import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { JobRow } from '../../../../src/jobs/model/job';
import type { JobMachine } from '../../../../src/jobs/model/jobMachine';
import type { JobEvent } from '../../../../src/jobs/model/jobProgress';
import type { JobOutputs, LeftOutput } from '../../../../src/jobs/model/onMachine';
import {
  bringCheckpoint,
  CheckpointFetches,
  checkpointFolder,
  checkpointNames,
  isCheckpointDue,
} from '../../../../src/jobs/store/checkpoints';
import { silentLog } from '../../../../src/util/log';
import { formatText, text } from '../../../../src/util/text';
import { FakeClock, settle } from '../../../support/fakeClock';
import { aJobRow, jobNow, minuteMs } from '../../../support/jobRow';
import { useFolder } from '../../../support/useFolder';

describe('The newest checkpoint of a job', () => {
  const id = '0123456789abcdef';
  let outputsTo = '';
  const folder = (name: string) => join(checkpointFolder({ id, outputsTo }), '..', name);
  const write = (name: string, content: string) => {
    mkdirSync(folder(name), { recursive: true });
    writeFileSync(join(folder(name), 'model.bin'), content);
  };
  const read = () => readFileSync(join(folder('last'), 'model.bin'), 'utf8');
  useFolder((made) => void (outputsTo = made));

  it('is there after a crash at the moment that a new one replaces it', async () => {
    write('last', 'first');
    write('next', 'second');
    renameSync(folder('last'), folder('old'));
    assert.deepEqual(await checkpointNames({ id, outputsTo, workspace: outputsTo }), ['model.bin']);
    assert.equal(read(), 'second');
  });

  it('is not one that a crash left half fetched', async () => {
    write('last', 'first');
    write('next', 'sec');
    assert.deepEqual(await checkpointNames({ id, outputsTo, workspace: outputsTo }), ['model.bin']);
    assert.equal(read(), 'first');
  });

  it('is none if the user removed its folder, or only a part of the first was fetched', async () => {
    assert.deepEqual(await checkpointNames({ id, outputsTo, workspace: outputsTo }), []);
    write('next', 'fir');
    assert.deepEqual(await checkpointNames({ id, outputsTo, workspace: outputsTo }), []);
  });

  /** Fetches one from a machine, and notes the warnings of the log. */
  const bring = async (machine: Pick<JobMachine, 'checkpoint' | 'fetch'>) => {
    const lines: string[] = [];
    const log = { ...silentLog, warn: (line: string) => void lines.push(line) };
    const row = {
      job: {
        id,
        outputsTo,
        workspace: outputsTo,
        machine: { name: 'trainer' },
        spec: { checkpoints: ['*.ckpt'] },
      },
      state: {},
    } as unknown as JobRow;
    const event = await bringCheckpoint(
      { log, clock: new FakeClock(), fleet: { find: () => undefined } },
      machine as JobMachine,
      row,
      `${id}01`,
      new AbortController().signal,
    );
    return { event, lines };
  };
  const aFile = (path: string) => ({ path, kind: 'file' as const, size: 3, modified: 1 });

  it('replaces the one before, of which nothing stays', async () => {
    for (const content of ['first', 'second']) {
      const { event } = await bring({
        checkpoint: () =>
          Promise.resolve({ files: [aFile('model.bin')], leftOut: [], hash: content, areHashed: true }),
        fetch: () => {
          write('next', content);
          return Promise.resolve({ files: 1, bytes: 3, leftOut: [] });
        },
      });
      assert.ok(event.kind === 'checkpointed' && event.checkpoint);
      assert.equal(read(), content);
      assert.deepEqual(readdirSync(folder('.')), ['last']);
    }
  });

  describe('of which files are missing', () => {
    const fetched = (leftOut: readonly LeftOutput[], list: Partial<JobOutputs> = {}) => {
      const files = ['a.ckpt', 'b.ckpt', 'c.ckpt'].map(aFile);
      const outputs = { files, leftOut: [], hash: '0123456789abcdef', areHashed: true, ...list };
      return bring({
        checkpoint: () => Promise.resolve(outputs),
        fetch: () => Promise.resolve({ files: 1, bytes: 3, leftOut: [...outputs.leftOut, ...leftOut] }),
      });
    };

    it('is dropped with a line in the log that names it, how many are missing, the first and why', async () => {
      const { event, lines } = await fetched([
        { name: 'b\n.ckpt', why: text('changed during the transfer') },
        { name: 'c.ckpt', why: text('did not arrive') },
      ]);
      assert.deepEqual(lines, [
        `The checkpoint 01234567 of job ${id} is not kept, because 2 of 3 files could not be fetched. ` +
          'The first is b .ckpt: changed during the transfer',
      ]);
      assert.ok(event.kind === 'checkpointed' && event.checkpoint === undefined);
      assert.equal(event.incomplete && formatText(event.incomplete).slice(0, 6), '2 of 3');
      assert.equal(existsSync(folder('last')), false);
    });

    it('counts those that no fetch can bring, also where there are no others', async () => {
      const leftOut = [{ name: 'pipe.ckpt', why: text('neither a file nor a folder') }];
      const { event, lines } = await fetched([], { files: [], leftOut });
      assert.match(String(lines[0]), /1 of 1 files could not be fetched. The first is pipe\.ckpt: neither/);
      assert.ok(event.kind === 'checkpointed' && event.incomplete);
      assert.deepEqual((await fetched([], { files: [] })).lines, [], 'no checkpoint yet');
    });
  });
});

const fields = { checkpoints: ['*.ckpt'], fetchMinutes: 10 };
const row = aJobRow({ startedAt: jobNow - 10 * minuteMs }, { fields });
const event: JobEvent = { kind: 'checkpointed' };

describe('A checkpoint of a job', () => {
  for (const [what, state, parts, isDue] of [
    ['ten minutes after the start', { startedAt: jobNow - 10 * minuteMs }, {}, true],
    ['not before', { startedAt: jobNow - 10 * minuteMs + 1 }, {}, false],
    ['ten minutes after the last try', { checkpointTriedAt: jobNow - 10 * minuteMs }, {}, true],
    ['not sooner after a try, however long it runs', { checkpointTriedAt: jobNow - minuteMs }, {}, false],
    ['not where none is named', {}, { fields: { ...fields, checkpoints: [] } }, false],
    ['not once the job was stopped', {}, { job: { decidedAt: { stop: jobNow } } }, false],
    ['not once the command has ended', { phase: 'ended' }, {}, false],
    ['not before it is known when it started', { startedAt: undefined }, {}, false],
  ] as const) {
    it(`is due ${what}`, () => {
      assert.equal(isCheckpointDue(aJobRow(state as object, { fields, ...parts }), jobNow), isDue);
    });
  }

  function scene() {
    const stop = new AbortController();
    const fetches = new CheckpointFetches(stop.signal);
    const begun: { signal: AbortSignal; end: (event: JobEvent) => void; fail: () => void }[] = [];
    const next = (now = jobNow) =>
      fetches.next(
        row,
        now,
        (signal) =>
          new Promise((resolve, reject) => {
            const fail = () => reject(new Error('ended'));
            begun.push({ signal, end: resolve, fail });
            signal.addEventListener('abort', fail);
          }),
      );
    return { stop, fetches, begun, next };
  }

  it('is fetched one at a time, and its outcome is reported once', async () => {
    const { begun, next } = scene();
    assert.equal(next(jobNow - 1), undefined);
    assert.equal(begun.length, 0, 'not due yet');
    for (let time = 0; time < 3; time += 1) {
      assert.equal(next(), undefined);
    }
    assert.equal(begun.length, 1);
    begun[0]?.end(event);
    await settle();
    assert.equal(next(), event);
    assert.equal(begun.length, 1);
    assert.equal(next(), undefined);
    assert.equal(begun.length, 2, 'the next one begins when it is due');
  });

  it('is followed by the next one if its fetch failed', async () => {
    const { begun, next } = scene();
    next();
    begun[0]?.fail();
    await settle();
    assert.equal(next(), undefined);
    next();
    assert.equal(begun.length, 2);
  });

  it('ends with its job, and nothing of it is reported later', async () => {
    const { fetches, begun, next } = scene();
    await fetches.end(row.job.id);
    next();
    await fetches.end(row.job.id);
    assert.equal(begun[0]?.signal.aborted, true);
    assert.equal(next(), undefined);
    assert.equal(begun.length, 2, 'one that is due later begins at once');
  });

  it('ends with its window', () => {
    const { stop, begun, next } = scene();
    next();
    stop.abort();
    assert.equal(begun[0]?.signal.aborted, true);
  });
});
