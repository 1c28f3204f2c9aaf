import assert from 'node:assert/strict';
import type { JobEvent } from '../../../../src/jobs/model/jobProgress';
import { CheckpointFetches } from '../../../../src/jobs/store/checkpointFetches';
import { isCheckpointDue } from '../../../../src/jobs/store/checkpoints';
import { settle } from '../../../support/fakeClock';
import { aJobRow, jobNow, minuteMs } from '../../../support/jobRow';

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

  it('is fetched one at a time, and what came of it is told once', async () => {
    const { begun, next } = scene();
    assert.equal(next(jobNow - 1), undefined);
    assert.equal(begun.length, 0, 'not due yet');
    for (let time = 0; time < 3; time += 1) assert.equal(next(), undefined);
    assert.equal(begun.length, 1);
    begun[0]?.end(event);
    await settle();
    assert.equal(next(), event);
    assert.equal(begun.length, 1);
    assert.equal(next(), undefined);
    assert.equal(begun.length, 2, 'the next one begins when it is due');
  });

  it('is followed by the next one where nothing came of it', async () => {
    const { begun, next } = scene();
    next();
    begun[0]?.fail();
    await settle();
    assert.equal(next(), undefined);
    next();
    assert.equal(begun.length, 2);
  });

  it('ends with its job, and nothing is told of it later', async () => {
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
