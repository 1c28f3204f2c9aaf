import { newJobState } from '../../src/jobs/model/job';
import { JobFiles } from '../../src/jobs/store/jobFiles';
import { silentLog } from '../../src/util/log';
import { prepareProduct } from '../support/fakeEditor/product';
import { Computer } from '../support/feature/computer';
import { aJob } from '../support/jobWindows';
import { calibration, median, timed, type Figure } from './figure';

const count = 200;
const runs = 5;

/** What the product does for the rows of many finished jobs; the editor's own painting is not in it. */
export async function measureJobs(): Promise<Figure[]> {
  prepareProduct();
  const computer = await Computer.start();
  try {
    const first = await computer.openWindow();
    await first.signIn();
    await first.view('jobs').rows();
    await computer.rest();
    const [folder = ''] = computer.ofAccounts('jobs');
    const files = new JobFiles(folder, silentLog, () => computer.clock.now());
    const now = computer.clock.now();
    for (let index = 0; index < count; index++) {
      const id = index.toString(16).padStart(16, '0');
      const job = { ...aJob(7), id, orderedAt: now - index * 60_000 };
      const end = { code: 0, why: 'itself', at: now, isOutOfMemory: false } as const;
      await files.putState({ ...newJobState(job), phase: 'over', outcome: 'kept', end, endedAt: now });
      await files.put(job);
    }
    const window = await computer.openWindow({ isFocused: true });
    const view = window.view('jobs');
    await view.row('Finished');
    const expandMs: number[] = [];
    for (let run = 0; run <= runs; run++) {
      const began = performance.now();
      await view.expand('Finished');
      const rows = (await view.rows()).length;
      if (rows < count) {
        throw new Error(`${rows} rows`);
      }
      if (run > 0) {
        expandMs.push(performance.now() - began);
      }
    }
    const name = `rows of ${count} finished jobs, without the painting`;
    return [timed(name, median(expandMs), calibration(), '< 150 ms')];
  } finally {
    await computer.close();
  }
}
