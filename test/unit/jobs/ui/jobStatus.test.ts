import assert from 'node:assert/strict';
import type { StatusPart } from '../../../../src/editor/statusItem';
import type { JobRow } from '../../../../src/jobs/model/job';
import { showJobStatus } from '../../../../src/jobs/ui/jobStatus';
import { FakeClock } from '../../../support/fakeClock';
import { FakeEventEmitter } from '../../../support/fakeEditor/events';
import { aJobRow, jobNow, jobTrouble } from '../../../support/jobRow';
import { useScreen } from '../../../support/onScreen';
import { only } from '../../../support/only';

describe('The item of jobs in the status bar', () => {
  useScreen();
  let part: StatusPart | undefined;
  const statusItem = {
    set: (id: string, next: StatusPart | undefined) => {
      assert.equal(id, 'jobs');
      part = next;
    },
    owned: () => ({ dispose: () => undefined }),
  };
  const changed = new FakeEventEmitter<undefined>();
  const clock = new FakeClock(jobNow);
  const view: { badge?: { readonly value: number; readonly tooltip: string } } = {};
  let open: readonly JobRow[] = [];
  const jobs = {
    onDidChange: changed.event,
    get open() {
      return open;
    },
  };
  let own: { dispose(): void };
  before(() => {
    own = showJobStatus(only({ jobs, clock, statusItem, trees: { 'gpuRental.jobs': { view } } }));
  });
  after(() => {
    own.dispose();
  });
  const shown = (...rows: readonly JobRow[]) => {
    open = rows;
    changed.fire(undefined);
    return [part?.text, part?.tooltip, part?.spoken, part?.isWarning, view.badge];
  };
  const noPrice = { machine: { instanceId: 7, name: 'trainer' } };

  it('shows the first job, its time and its cost, and how many more there are', () => {
    assert.deepEqual(shown(aJobRow()), [
      '$(beaker) train 1 h · $1.00',
      'train: running, 1 h, $1.00',
      'train: running, 1 h, $1.00',
      false,
      undefined,
    ]);
    assert.deepEqual(shown(aJobRow({}, { job: noPrice }), aJobRow(), aJobRow()).slice(0, 2), [
      '$(beaker) train 1 h +2',
      'train: running, 1 h +2',
    ]);
    assert.deepEqual(shown(aJobRow({ isLost: true })).slice(0, 2), ['$(beaker) train', 'train: running']);
  });

  it('shows first what waits for the user, in color and in the badge of the view', () => {
    const waiting = aJobRow({ phase: 'fetching', ...jobTrouble('incomplete') });
    assert.deepEqual(shown(aJobRow(), waiting), [
      '$(beaker) train 1 h · $1.00 +1',
      'train: outputs are missing, 1 h, $1.00 +1',
      'train: outputs are missing, 1 h, $1.00',
      true,
      { value: 1, tooltip: 'Jobs that need attention: 1' },
    ]);
    assert.deepEqual(shown(waiting, waiting).at(-1), { value: 2, tooltip: 'Jobs that need attention: 2' });
  });

  it('is hidden without a job, and shows the time that passes', async () => {
    assert.equal(shown()[0], undefined);
    assert.equal(clock.pending, 0);
    const [before] = shown(aJobRow());
    assert.notEqual(before, undefined);
    await clock.advance(4_000);
    assert.equal(part?.text, before);
    await clock.advance(60_000);
    assert.notEqual(part?.text, before);
  });
});
