import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { newProfile } from '../support/browser';
import { signIn } from '../support/journey';
import { pretendInstances, rentOne } from '../support/manyInstances';
import { freePort } from '../support/sshMachine';
import { UiSession } from '../support/uiSession';
import { pause, until } from '../support/until';
import { Workbench } from '../support/workbench';
import { median, type Figure } from './figure';
import { Inspector } from './inspector';
import { monitor } from './offers';

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
    const port = await freePort();
    const profile = await newProfile(session.browser);
    const workbench = await Workbench.open(profile, session.host, 'bench-instances', {
      payload: [['inspect-extensions', String(port)]],
    });
    await signIn(session, workbench);
    await workbench.view('Instances').row('machine 0').waitFor({ timeout: 60_000 });
    const inspector = await Inspector.connect(port);
    await inspector.evaluate(monitor);
    const rowsMs: number[] = [];
    const taskMs: number[] = [];
    for (let run = 0; run <= runs; run++) {
      // Another label each time, so that the rows of this answer are told from those before.
      await pretendInstances(simulator, count, 'running', `run ${run} machine`);
      await inspector.evaluate('globalThis.gpuRentalBench.longestSince()');
      const answered = answerTime();
      const painted = watchForRow(workbench, `run ${run} machine 0`);
      await workbench.view('Instances').titleAction('Refresh');
      const shownAt = await painted;
      const answeredAt = await until('the answer', () => answered.at());
      answered.end();
      // What follows the rows belongs to them: the cache on disk, the status bar.
      await pause(1000);
      const task = Number(await inspector.evaluate('globalThis.gpuRentalBench.longestSince()'));
      if (run > 0) {
        rowsMs.push(shownAt - answeredAt);
        taskMs.push(task);
      }
    }
    inspector.close();
    return [
      {
        name: `rows of ${count.toLocaleString('en')} instances after the answer`,
        value: `${median(rowsMs).toFixed(0)} ms`,
        aim: '< 150 ms',
      },
      {
        name: 'longest task in the extension host from the answer on',
        value: `${median(taskMs).toFixed(0)} ms`,
        aim: '< 50 ms',
      },
    ];
  } finally {
    await session.close();
  }
}

/** When the next list was handed over to the network, ms since 1970. */
function answerTime(): { at(): number | undefined; end(): void } {
  let at: number | undefined;
  const note = (message: unknown) => {
    const { request } = message as { request: { url?: string } };
    if (/\/api\/v[01]\/instances\/(\?|$)/.test(request.url ?? '')) at ??= Date.now();
  };
  subscribe('http.server.response.finish', note);
  return {
    at: () => at,
    end: () => {
      unsubscribe('http.server.response.finish', note);
    },
  };
}

/** When a row of the view is on the screen, ms since 1970, by the page's own look at each frame. */
function watchForRow(workbench: Workbench, label: string): Promise<number> {
  return workbench.page.evaluate<number>(`new Promise((resolve) => {
    const shows = () => [...document.querySelectorAll('.pane .monaco-list-row')]
      .some((row) => row.textContent.includes(${JSON.stringify(label)}));
    const look = () => (shows() ? resolve(Date.now()) : requestAnimationFrame(look));
    look();
  })`);
}
