import assert from 'node:assert/strict';
import { confirmRental, generateKey, signIn, toConfirmation } from '../support/journey';
import { press, pressEnter } from '../support/press';
import { useUiSession } from '../support/uiSession';
import { until } from '../support/until';
import type { Workbench } from '../support/workbench';

/** Half of a laptop's screen, where long words and wide columns get in each other's way. */
const narrow = { width: 800, height: 600 };

/** What a new user does in the first two minutes; each step looks for what once confused or alarmed there. */
describe('the first two minutes', function () {
  this.timeout(180_000);
  this.bail(true);
  const session = useUiSession('first-walk', { simulator: { speed: 4 } });
  let workbench: Workbench;
  const instances = () => workbench.view('Instances');
  const row = () => instances().row('first');
  const changes = () =>
    session()
      .simulator.received()
      .filter(({ method, path }) => /PUT|DELETE/.test(method) && path.startsWith('/api/v0/instances/'))
      .filter(({ path }) => !path.includes('request_logs'));

  /** Takes a picture as wide as usual, and one in a narrow window. */
  async function shots(name: string): Promise<void> {
    await workbench.shot(name);
    const usual = workbench.page.viewportSize();
    await workbench.page.setViewportSize(narrow);
    await workbench.shot(`${name}-narrow`);
    if (usual) {
      await workbench.page.setViewportSize(usual);
    }
  }

  /** Takes the default button of the dialog by Enter, and makes sure that this is the safe one. */
  async function enterKeeps(question: string, safe: string): Promise<void> {
    const dialog = workbench.dialog.filter({ hasText: question });
    await dialog.waitFor();
    const focused = dialog.locator('.monaco-button:focus');
    await focused.waitFor();
    assert.equal((await focused.innerText()).trim(), safe);
    await pressEnter(focused);
    await dialog.waitFor({ state: 'detached' });
  }

  it('signs in, which ticks the step of the walkthrough', async () => {
    workbench = await session().window();
    await signIn(session(), workbench);
    await workbench.run('How It Works');
    const done = workbench.page.locator('.getting-started-step .codicon.complete');
    await done.first().waitFor();
    assert.equal(await done.count(), 1);
    await shots('01-walkthrough');
    await workbench.quick.run('View: Close All Editors');
    await workbench.clearNotifications();
  });

  it('begins the search with single GPUs of several kinds, the cheapest of which fit a person', async () => {
    await workbench.run('Search Offers…');
    await workbench.quick.waitForTitle('Search Offers');
    await workbench.quick.rows.filter({ hasText: '% reliable' }).first().waitFor();
    const offers = (await workbench.quick.rowTexts()).filter((text) => text.includes('% reliable'));
    assert.ok(
      offers.every((text) => text.startsWith('1× ')),
      offers.join('\n'),
    );
    const kinds = new Set(offers.map((text) => /^1× (.+?) *\$/.exec(text)?.[1]));
    assert.ok(kinds.size > 2, [...kinds].join(', '));
    await shots('02-offers');
    await workbench.page.keyboard.press('Escape');
  });

  it('shows each price once, with its unit', async () => {
    await toConfirmation(workbench, { search: '1x 4090', offer: /1× RTX 4090/, label: 'first' });
    const rows = (await workbench.quick.rowTexts()).join('\n');
    assert.match(rows, /\$\S+\/h, \$\S+\/day/);
    assert.doesNotMatch(rows, /\$0\.00(?!\d)|a day|an hour|at most .* up\b|come to/);
    await shots('03-confirmation');
  });

  it('shows the instance at once, and waits for it until the user cancels that', async () => {
    await confirmRental(workbench);
    await generateKey(session(), workbench);
    await row().waitFor();
    const toast = /Getting first ready/;

    await workbench.toastButton(toast, 'Stop Waiting');
    await workbench.dialog.filter({ hasText: 'Stop waiting for “first”?' }).waitFor();
    await shots('05-stop-waiting');
    await enterKeeps('Stop waiting for “first”?', 'Keep Waiting');
    await row().filter({ hasText: 'Running' }).waitFor({ timeout: 60_000 });
    await shots('06-running');
  });

  it('opens a shell that knows its GPU', async () => {
    await workbench.clearNotifications();
    await instances().contextMenu(row(), /^Open Terminal$/);
    await workbench.terminalShows(/real shell on YOUR computer/);
    assert.match(await workbench.inTerminal('nvidia-smi -L', /GPU 0:/), /RTX 4090/);
    await shots('07-shell');
  });

  it('keeps the instance where Enter meets a question', async () => {
    await instances().contextMenu(row(), /^Stop…/);
    await workbench.dialog.filter({ hasText: 'Stop “first”?' }).waitFor();
    await shots('08-stop');
    await enterKeeps('Stop “first”?', 'Keep Running');
    await instances().contextMenu(row(), /^Destroy/);
    await workbench.dialog.filter({ hasText: 'Destroy “first”?' }).waitFor();
    await shots('09-destroy');
    await enterKeeps('Destroy “first”?', 'Keep Instance');
    assert.deepEqual(changes(), []);
  });

  it('stops it with the reason in the terminal, and without an error', async () => {
    await instances().contextMenu(row(), /^Stop…/);
    await workbench.dialogButton('Stop');
    await row()
      .filter({ hasText: /Stopping|Stopped/ })
      .waitFor();
    await workbench.terminalShows(/“first” is being stopped/);
    await row().filter({ hasText: 'Stopped' }).waitFor({ timeout: 40_000 });
    // The editor lists terminals where there are several.
    assert.equal(await workbench.page.locator('.terminal-tabs-entry').count(), 0);
    assert.deepEqual(
      (await workbench.notificationTexts()).filter((text) => /exit code|terminated|error/i.test(text)),
      [],
    );
    await shots('10-stopped');
  });

  it('has ticked what was done, and left no error in the window', async () => {
    await workbench.run('How It Works');
    const done = workbench.page.locator('.getting-started-step .codicon.complete');
    await until('three steps to be ticked', async () => (await done.count()) >= 3);
    await press(workbench.page.locator('.getting-started-step .step-title').first());
    await shots('11-ticked');
    assert.deepEqual(workbench.errors, []);
  });
});
