import { DocumentEditor } from '../support/documentEditor';
import { signIn } from '../support/journey';
import { UiSession } from '../support/uiSession';
import type { Workbench } from '../support/workbench';
import { median, type Figure } from './figure';

const count = 2000;
const opened = 2;

/** From the answer with many templates to their rows, and from a click to the text of one. */
export async function measureTemplates(): Promise<Figure[]> {
  const session = await UiSession.start('bench-templates');
  try {
    const { simulator } = session;
    for (let index = 0; index < count; index++) {
      await simulator.call('POST', '/api/v0/template/', {
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
    const workbench = await session.window();
    await signIn(session, workbench);
    const view = workbench.view('Templates');
    const painted = watchFor(workbench, 'Template 0');
    await view.open();
    const at = await painted;
    const asked = simulator.received('GET', '/api/v0/template/').at(-1)?.atMs ?? Number.NaN;
    const times: number[] = [];
    const editor = new DocumentEditor(workbench);
    await workbench.page.evaluate(
      "addEventListener('mousedown', () => { globalThis.clickedAt = Date.now(); }, true)",
    );
    for (let index = 0; index <= opened; index++) {
      const shown = watchFor(workbench, `"Template ${index}"`);
      const [at] = await Promise.all([shown, view.row(new RegExp(`Template ${index}(?!\\d)`)).click()]);
      times.push(at - (await clickedAt(workbench)));
      await editor.waitFor(`Template ${index}.json`);
    }
    return [
      {
        name: `rows of ${count} templates after they were asked for`,
        value: `${at - asked} ms`,
        aim: '< 150 ms',
      },
      {
        // The first one starts the JSON language of the editor.
        name: `opening the document of one of ${count} templates`,
        value: `${median(times.slice(1)).toFixed(0)} ms`,
        aim: '< 300 ms',
      },
    ];
  } finally {
    await session.close();
  }
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
