import { existsSync, readFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { DocumentEditor } from '../support/documentEditor';
import { signIn } from '../support/journey';
import { UiSession } from '../support/uiSession';
import { until } from '../support/until';
import type { Workbench } from '../support/workbench';
import { median, type Figure } from './figure';

const count = 2000;
const lists = 5;
const opened = 8;
const route = '/api/v0/template/';

/** From the answer with many templates to their rows, from a click to the text of one, and the longest work. */
export async function measureTemplates(): Promise<Figure[]> {
  const tasks = path.join(os.tmpdir(), `gr-loop-${process.pid}`);
  const session = await UiSession.start('bench-templates', {
    extensions: ['bench/loopWatch'],
    env: { GPU_RENTAL_LOOP_WATCH: tasks },
  });
  try {
    await makeTemplates(session);
    const workbench = await session.window();
    await signIn(session, workbench);
    const view = workbench.view('Templates');
    // Room for the rows that are clicked.
    await workbench.view('Instances').header.click();
    const from = Date.now();
    const painted = [await paintAfterAnswer(session, workbench, '"Template 0"', () => view.open())];
    for (let index = 1; index < lists; index++) {
      const name = `Renamed ${index}`;
      await rename(session, name);
      const refresh = () => workbench.run('Refresh');
      painted.push(await paintAfterAnswer(session, workbench, name, refresh));
    }
    const times: number[] = [];
    const editor = new DocumentEditor(workbench);
    await workbench.page.evaluate(
      "addEventListener('mousedown', () => { globalThis.clickedAt = Date.now(); }, true)",
    );
    for (let index = 1; index <= opened; index++) {
      const shown = watchFor(workbench, `"name": "Template ${index}"`);
      const [at] = await Promise.all([shown, view.row(new RegExp(`Template ${index}(?!\\d)`)).click()]);
      times.push(at - (await clickedAt(workbench)));
      await editor.waitFor(`Template ${index}.json`);
    }
    return [
      {
        name: `rows of ${count} templates after the answer, median of ${lists}`,
        value: `${median(painted).toFixed(0)} ms`,
        aim: '< 150 ms',
      },
      {
        // The first one starts the JSON language of the editor.
        name: `opening the document of one of ${count} templates, median of ${opened - 1}`,
        value: `${median(times.slice(1)).toFixed(0)} ms`,
        aim: '< 300 ms',
      },
      {
        name: 'longest work of the extension host meanwhile',
        value: `${longest(tasks, from).toFixed(0)} ms`,
        aim: '< 50 ms',
      },
    ];
  } finally {
    await session.close();
  }
}

async function makeTemplates({ simulator }: UiSession): Promise<void> {
  for (let index = 0; index < count; index++) {
    await simulator.call('POST', route, {
      name: `Template ${index}`,
      image: 'pytorch/pytorch',
      tag: 'latest',
      env: '-e HF_HOME=/workspace -p 8080:8080',
      onstart: 'make\n'.repeat(40),
      readme: 'About this template. '.repeat(40),
      runtype: 'ssh',
      ssh_direct: true,
      private: true,
      docker_login_repo: '',
      docker_login_user: '',
      docker_login_pass: '',
      extra_filters: { num_gpus: { eq: 1 } },
    });
  }
}

/** Gives the first template another name behind the editor's back. */
async function rename({ simulator }: UiSession, name: string): Promise<void> {
  const { json } = await simulator.call('GET', route);
  const { templates } = json as { templates: { name: string; hash_id: string }[] };
  const first = templates.find((one) => one.name === 'Template 0' || one.name.startsWith('Renamed '));
  await simulator.call('PUT', route, { hash_id: first?.hash_id, name });
}

/** From the moment at which the marketplace had answered to the row on the screen. */
async function paintAfterAnswer(
  { simulator }: UiSession,
  workbench: Workbench,
  text: string,
  act: () => Promise<void>,
): Promise<number> {
  const before = simulator.received('GET', route).length;
  const answered = until(
    'the answer',
    () => {
      const request = simulator.received('GET', route)[before];
      return request !== undefined && request.status !== 0 ? Date.now() : undefined;
    },
    { everyMs: 1 },
  );
  const shown = watchFor(workbench, text.replaceAll('"', ''));
  await act();
  return (await shown) - (await answered);
}

/** The longest stretch without a break since then, in ms of processor time; short ones are not written down. */
function longest(file: string, since: number): number {
  const lines = existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : [];
  const stretches = lines.map((line) => line.split(' ').map(Number));
  return Math.max(0, ...stretches.filter(([at = 0]) => at >= since).map(([, ms = 0]) => ms));
}

/** When the mouse was last pressed, in ms since 1970. */
function clickedAt(workbench: Workbench): Promise<number> {
  return workbench.page.evaluate('globalThis.clickedAt');
}

/** When a text is first on the screen, in ms since 1970, by the page's own observer. */
function watchFor(workbench: Workbench, text: string): Promise<number> {
  return workbench.page.evaluate(`new Promise((resolve) => {
    const wanted = ${JSON.stringify(text)};
    const shows = () => [...document.querySelectorAll('.pane .monaco-list-row, .editor-instance .view-line')]
      .some((element) => element.textContent.replaceAll('\\u00a0', ' ').includes(wanted));
    const look = () => (shows() ? resolve(Date.now()) : requestAnimationFrame(look));
    look();
  })`);
}
