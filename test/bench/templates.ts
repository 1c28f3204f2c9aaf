import { DocumentEditor } from '../support/documentEditor';
import { UiSession } from '../support/uiSession';
import { until } from '../support/until';
import type { Workbench } from '../support/workbench';
import { median, timed, type Figure } from './figure';
import { answerTime, openHostWindow, watchFor } from './hostWindow';

const count = 2000;
const lists = 5;
const opened = 8;
const route = '/api/v0/template/';

/** From the answer with many templates to their rows, from a click to the text of one, and the longest work. */
export async function measureTemplates(): Promise<Figure[]> {
  const session = await UiSession.start('bench-templates', {
    driver: true,
    patches: ['toasts', 'sharedSecrets'],
  });
  try {
    await makeTemplates(session);
    const { workbench, host, longestTask, calibrate } = await openHostWindow(session, 'bench-templates');
    const view = workbench.view('Templates');
    // Room for the rows that are clicked.
    await workbench.view('Instances').header.click();
    await longestTask();
    const painted = [await paintAfterAnswer(workbench, 'Template 0', () => view.open())];
    for (let index = 1; index < lists; index++) {
      const name = `Renamed ${index}`;
      await rename(session, name);
      const refresh = () => workbench.run('Refresh');
      painted.push(await paintAfterAnswer(workbench, name, refresh));
    }
    const listTask = await longestTask();
    const times: number[] = [];
    const editor = new DocumentEditor(workbench);
    await workbench.page.evaluate(
      "addEventListener('mousedown', () => { globalThis.clickedAt = Date.now(); }, true)",
    );
    for (let index = 1; index <= opened; index++) {
      const shown = watchFor(workbench, '.editor-instance .view-line', `"name": "Template ${index}"`);
      const [at] = await Promise.all([shown, view.row(new RegExp(`Template ${index}(?!\\d)`)).click()]);
      times.push(at - (await clickedAt(workbench)));
      await editor.waitFor(`Template ${index}.json`);
    }
    const openTask = await longestTask();
    const calibrated = median([await calibrate(), await calibrate(), await calibrate()]);
    host.close();
    return [
      timed(`rows of ${count} templates after the answer`, median(painted), calibrated, '< 150 ms'),
      // The first one starts the JSON language of the editor.
      timed(
        `opening the document of one of ${count} templates`,
        median(times.slice(1)),
        calibrated,
        '< 300 ms',
      ),
      timed(`longest task while ${count} templates are listed`, listTask, calibrated, '< 50 ms'),
      timed('longest task while their documents are opened', openTask, calibrated, '< 50 ms'),
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
  workbench: Workbench,
  text: string,
  act: () => Promise<void>,
): Promise<number> {
  const answered = answerTime(/\/api\/v0\/template\//);
  const shown = watchFor(workbench, '.pane .monaco-list-row', text);
  await act();
  const painted = (await shown) - (await until('the answer', () => answered.at()));
  answered.end();
  return painted;
}

/** When the mouse was last pressed, in ms since 1970. */
function clickedAt(workbench: Workbench): Promise<number> {
  return workbench.page.evaluate('globalThis.clickedAt');
}
