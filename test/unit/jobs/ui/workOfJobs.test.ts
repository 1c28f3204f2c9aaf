import assert from 'node:assert/strict';
import { workOfJobs } from '../../../../src/jobs/ui/workOfJobs';
import { formatText } from '../../../../src/util/text';
import { aJobRow } from '../../../support/jobRow';
import { useScreen } from '../../../support/onScreen';

describe('The work of jobs', () => {
  const ran: unknown[] = [];
  useScreen().commands.ofEditor.set('gpuRental.job.showLog', (target) => ran.push(target));

  it('is listed on its instance alone, and a click shows its log', async () => {
    const ends = { success: 'stop', failure: 'keep', limit: 'stop' } as const;
    const work = workOfJobs({
      ...{ atRiskOn: () => [], error: undefined, find: () => undefined, open: [], ready: Promise.resolve() },
      rows: [aJobRow({}, { job: { ends } }), aJobRow({}, { instanceId: 8, job: { id: 'another' } })],
      onDidChange: () => ({ dispose: () => undefined }),
    });
    const [row, ...more] = work.rows(7);
    assert.ok(row && more.length === 0);
    assert.deepEqual([row.name, formatText(row.state)], ['train', 'running']);
    assert.match(row.ends === undefined ? '' : formatText(row.ends), /stop it .*after failure: keep it/);
    assert.equal(work.rows(8)[0]?.ends, undefined, 'what keeps its machine');
    await row.open.run();
    assert.deepEqual(ran, [{ jobId: row.id }]);
  });
});
