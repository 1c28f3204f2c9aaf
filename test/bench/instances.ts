import { pretendInstances, rentOne } from '../support/manyInstances';
import { UiSession } from '../support/uiSession';
import { pause, until } from '../support/until';
import { median, timed, type Figure } from './figure';
import { answerTime, openHostWindow, watchFor } from './hostWindow';

const count = 1000;
const runs = 5;

/** From the answer with many instances to their rows, and how long the extension host is busy at a stretch. */
export async function measureInstances(): Promise<Figure[]> {
  const session = await UiSession.start('bench-instances', {
    driver: true,
    patches: ['toasts', 'sharedSecrets'],
  });
  try {
    const { simulator } = session;
    await rentOne(simulator);
    await pretendInstances(simulator, count, 'running');
    const { workbench, host, longestTask, calibrate } = await openHostWindow(session, 'bench-instances');
    await workbench.view('Instances').row('machine 0').waitFor({ timeout: 60_000 });
    const rowsMs: number[] = [];
    const taskMs: number[] = [];
    const calibrationMs: number[] = [];
    for (let run = 0; run <= runs; run++) {
      // Another label each time, so that the rows of this answer are told from those before.
      await pretendInstances(simulator, count, 'running', `run ${run} machine`);
      calibrationMs.push(await calibrate());
      await longestTask();
      const answered = answerTime(/\/api\/v[01]\/instances\/(\?|$)/);
      const painted = watchFor(workbench, '.pane .monaco-list-row', `run ${run} machine 0`);
      await workbench.view('Instances').titleAction('Refresh');
      const shownAt = await painted;
      const answeredAt = await until('the answer', () => answered.at());
      answered.end();
      // What follows the rows belongs to them: the cache on disk, the status bar.
      await pause(1000);
      const task = await longestTask();
      if (run > 0) {
        rowsMs.push(shownAt - answeredAt);
        taskMs.push(task);
      }
    }
    host.close();
    const calibrated = median(calibrationMs);
    const many = count.toLocaleString('en');
    return [
      timed(`rows of ${many} instances after the answer`, median(rowsMs), calibrated, '< 150 ms'),
      timed(`longest task with ${many} instances from the answer on`, median(taskMs), calibrated, '< 50 ms'),
    ];
  } finally {
    await session.close();
  }
}
