import { signIn } from '../support/journey';
import { pretendInstances, rentOne } from '../support/manyInstances';
import { UiSession } from '../support/uiSession';
import { pause } from '../support/until';
import type { Figure } from './figure';

/** Long enough for the slower of the two to be seen twice. */
const measuredSeconds = { running: 120, loading: 60 };

/** What reaches the service in a minute with the view open: steady and starting, in one window and in three. */
export async function measureRequests(): Promise<Figure[]> {
  const session = await UiSession.start('bench-requests');
  const figures: Figure[] = [];
  try {
    await rentOne(session.simulator);
    await pretendInstances(session.simulator, 1, 'running');
    const first = await session.window('1');
    await signIn(session, first);
    for (const windows of [1, 3]) {
      if (windows === 3) {
        for (const name of ['2', '3']) {
          await (await session.window(name)).openContainer('GPU Rental');
        }
        await first.page.bringToFront();
      }
      for (const status of ['running', 'loading'] as const) {
        for (const count of [1, 50]) {
          await pretendInstances(session.simulator, count, status);
          await first.view('Instances').titleAction('Refresh');
          // What the change itself caused is over by then.
          await pause(5000);
          const seconds = measuredSeconds[status];
          const before = session.simulator.requests().length;
          await pause(seconds * 1000);
          const perMinute = ((session.simulator.requests().length - before) * 60) / seconds;
          const state = status === 'running' ? 'steady' : 'starting';
          figures.push({
            name: `requests a minute, ${String(count)} ${count === 1 ? 'instance' : 'instances'} ${state}, ${String(windows)} ${windows === 1 ? 'window' : 'windows'}`,
            value: perMinute.toFixed(1),
          });
        }
      }
    }
  } finally {
    await session.close();
  }
  return figures;
}
