import assert from 'node:assert/strict';
import type { JobPhase, JobRow } from '../../../../src/jobs/model/job';
import { acceptedBefore, isTurnOfAnother } from '../../../../src/jobs/store/turns';
import { aJobRow, jobNow } from '../../../support/jobRow';

const here = 7;
const at = (phase: JobPhase, id: string, orderedAt: number, since = jobNow) =>
  aJobRow({ phase, since }, { instanceId: here, job: { id, orderedAt } });
const on = (...rows: readonly JobRow[]) => ({ ofInstance: (id: number) => (id === here ? rows : []) });

describe('The turn of a job on a machine', () => {
  for (const [mine, phase, orderedAt, since, waits] of [
    ['queued', 'queued', 1, 0, true],
    ['queued', 'queued', 3, 0, false],
    ['queued', 'syncing', 3, 0, true],
    ['queued', 'starting', 3, 0, true],
    ['queued', 'connecting', 1, 0, true],
    ['queued', 'waiting', 1, 0, false],
    ['queued', 'running', 1, 0, false],
    ['connecting', 'connecting', 1, 0, true],
    ['connecting', 'connecting', 3, 0, false],
    ['syncing', 'starting', 3, 0, true],
    ['syncing', 'queued', 1, 0, false],
    ['syncing', 'connecting', 1, 0, false],
    // Both found the mirror free: the first of them, or at the same moment the one that was ordered first.
    ['syncing', 'syncing', 3, -1, true],
    ['syncing', 'syncing', 1, 1, false],
    ['syncing', 'syncing', 1, 0, true],
    ['syncing', 'syncing', 3, 0, false],
  ] as const) {
    const order = orderedAt === 1 ? 'an earlier' : 'a later';
    const when = since === 0 ? '' : since < 0 ? ', which began before it' : ', which began after it';
    it(`${waits ? 'comes after' : 'does not wait for'} ${order} one that is ${phase}${when}, while ${mine}`, () => {
      const row = at(mine, 'b', 2);
      const other = at(phase, 'a', orderedAt, jobNow + since);
      assert.equal(isTurnOfAnother(on(row, other), row), waits);
    });
  }

  it('is its own where nothing else is there, or its machine is not known', () => {
    const row = at('queued', 'b', 2);
    assert.equal(isTurnOfAnother(on(row), row), false);
    const elsewhere = aJobRow({ phase: 'queued' }, { instanceId: undefined });
    assert.equal(isTurnOfAnother(on(at('starting', 'a', 1)), elsewhere), false);
  });

  it('comes after those that the machine has accepted, whatever their order', () => {
    const row = at('starting', 'row', 2);
    const rows = (['waiting', 'settingUp', 'running', 'starting', 'ended', 'queued'] as const).map(
      (phase, index) => at(phase, phase, index),
    );
    const accepted = acceptedBefore(on(row, ...rows), row).map(({ job }) => job.id);
    assert.deepEqual(accepted, ['waiting', 'settingUp', 'running']);
    assert.deepEqual(acceptedBefore(on(at('running', 'row', 2)), row), []);
  });
});
