import assert from 'node:assert/strict';
import type { Job } from '../../../../src/jobs/model/job';
import type { Serves } from '../../../../src/jobs/model/serves';
import { ServedModels } from '../../../../src/models/store/servedModels';
import { Emitter } from '../../../../src/util/emitter';
import { FakeClock } from '../../../support/fakeClock';
import { aJobRow, jobNow } from '../../../support/jobRow';
import { until } from '../../../support/until';

const day = 86_400_000;
const serves: Serves = {
  name: 'Qwen3-8B',
  repository: 'Qwen/Qwen3-8B',
  engine: 'vllm',
  gpus: 1,
  maxSequences: 8,
  idleMinutes: 30,
};

/** Jobs whose logs are these texts. */
function jobsWith(rows: readonly ReturnType<typeof aJobRow>[], logs: Readonly<Record<string, string>> = {}) {
  const asked: number[] = [];
  return {
    asked,
    rows,
    onDidChange: new Emitter<void>().event,
    log: (id: string, from = 0) => {
      asked.push(from);
      return Promise.resolve({
        bytes: Buffer.from(logs[id] ?? '').subarray(from, from + 2_000_000),
        at: from,
      });
    },
  };
}

const served = (more: Partial<Job> = {}) => ({ job: { serves, ...more } });

describe('the served models', () => {
  let clock: FakeClock;
  beforeEach(() => {
    clock = new FakeClock(jobNow);
  });

  it('are the jobs that serve one, and no other job', () => {
    const jobs = jobsWith([
      aJobRow({}, served({ id: '0123456789abcdef' })),
      aJobRow({}, { job: { id: '1123456789abcdef' } }),
      aJobRow({ phase: 'over', outcome: 'lost' }, served({ id: '2123456789abcdef' })),
    ]);
    const models = new ServedModels({ jobs, clock, log: { warn: assert.ifError } });
    assert.deepEqual(
      models.all.map(({ id, name, instanceId, isOver, state }) => [
        id,
        name,
        instanceId,
        isOver,
        state.template,
      ]),
      [
        ['0123456789abcdef', 'Qwen3-8B', 7, false, 'preparing'],
        ['2123456789abcdef', 'Qwen3-8B', 7, true, 'machine lost'],
      ],
    );
    models.dispose();
  });

  it('are recent for a day after their end', async () => {
    const jobs = jobsWith([
      aJobRow({}, served({ id: '0123456789abcdef' })),
      aJobRow({ phase: 'over', since: jobNow - day / 2 }, served({ id: '1123456789abcdef' })),
      aJobRow({ phase: 'over', since: jobNow - 2 * day }, served({ id: '2123456789abcdef' })),
    ]);
    const models = new ServedModels({ jobs, clock, log: { warn: assert.ifError } });
    await models.refresh();
    const recent = () => models.all.map(({ isRecent }) => isRecent);
    assert.deepEqual(recent(), [true, true, false]);
    const changed = new Promise<void>((resolve) => models.onDidChange(() => resolve()));
    await clock.advance(day / 2);
    await changed;
    assert.deepEqual([recent(), clock.pending], [[true, false, false], 0]);
    models.dispose();
  });

  it('read each line of their logs once, and a line without an end in parts', async () => {
    const log = `one\n${'x'.repeat(4_500_000)}\nhalf`;
    const jobs = jobsWith([aJobRow({ logSize: log.length }, served())], { '0123456789abcdef': log });
    const models = new ServedModels({ jobs, clock, log: { warn: assert.ifError } });
    await new Promise<void>((resolve) => models.onDidChange(() => resolve()));
    await until('the log was read', () => jobs.asked.length === 5);
    assert.deepEqual(jobs.asked, [0, 4, 2_000_004, 4_000_004, 4_500_005]);
    models.dispose();
  });
});
