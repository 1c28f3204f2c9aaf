import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { jobOrder, useJobs } from '../../../support/jobScene';

describe('The set-up of a job before', () => {
  const scene = useJobs();

  it('is skipped only where nothing of it is in the folder of its job', async () => {
    const { workspace } = scene();
    writeFileSync(join(workspace, 'kept'), 'a');
    const ran = async (id: string, setup: string, setupKey: string) => {
      await scene().run(jobOrder('cat made kept 2>/dev/null || :', { id, setup, setupKey }));
      return (await scene().ended(id)).log.piece.toString();
    };
    const made = 'echo setup; echo env >made';
    const changed = 'echo setup; printf b >kept';
    const elsewhere = 'echo setup; mkdir -p __pycache__; echo x >__pycache__/a; echo x >"$HOME/made"';
    assert.deepEqual(
      [await ran('b1', made, 'a1'), await ran('b2', made, 'a1')],
      ['setup\nenv\na', 'setup\nenv\na'],
    );
    assert.deepEqual(
      [await ran('b3', changed, 'a2'), await ran('b4', changed, 'a2')],
      ['setup\nb', 'setup\nb'],
    );
    assert.deepEqual([await ran('b5', elsewhere, 'a3'), await ran('b6', elsewhere, 'a3')], ['setup\na', 'a']);
  }).timeout(120_000);
});
