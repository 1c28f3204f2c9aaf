import assert from 'node:assert/strict';
import type { FrameLocator, Locator } from 'playwright-core';
import { accessibilityFaults } from '../support/accessibility';
import { signIn } from '../support/journey';
import { clickRow, press, pressEnter } from '../support/press';
import { registerOwnKey } from '../support/reachableInstance';
import { rentRunning } from '../support/rentRunning';
import { pageShowsTheme, themeLabels } from '../support/theme';
import { lastingToasts, useUiSession } from '../support/uiSession';
import type { Workbench } from '../support/workbench';

const hostile = '<img src=x>\n[x](command:workbench.action.quit)\u202e';
const widths = [1400, 800];

describe('the page of an instance', function () {
  this.timeout(240_000);
  const session = useUiSession('instancePage', {
    simulator: { speed: 20, sshServer: true },
    extensions: ['ui/remoteSsh'],
    patches: lastingToasts,
  });
  let workbench: Workbench;
  let id: number;
  const instances = () => workbench.view('Instances');
  const row = () => instances().row('trainer');
  const call = (method: string, path: string, body: object = {}) =>
    session().simulator.call(method, path, body);

  /** The page once it is in front and says so of the state. */
  async function page(state: string, title = 'trainer'): Promise<FrameLocator> {
    await workbench.page.locator('.tab.active', { hasText: title }).waitFor({ timeout: 60_000 });
    const shown = workbench.webview();
    await shown.locator('h1', { hasText: title }).waitFor({ timeout: 60_000 });
    await shown.locator('.tiles', { hasText: state }).first().waitFor({ timeout: 60_000 });
    return shown;
  }

  /** What a task of every day takes: a click on what comes first, and on what that shows. */
  async function within(clicks: readonly Locator[], shows: Locator): Promise<void> {
    assert.ok(clicks.length <= 2);
    for (const target of clicks) {
      await press(target);
    }
    await shows.first().waitFor();
  }
  const button = (name: string) => workbench.webview().locator(`[id="button-gpuRental.${name}"]`);
  const question = (title: string) => workbench.quick.title(title);

  /** Rents an instance for each state that stays; all of them are listed at once. */
  async function rentStates(): Promise<void> {
    const { simulator } = session();
    await call('PUT', '/__sim/credit/', { credit: 500 });
    const fails = async (label: string, report: object, body: object = {}) => {
      const rented = await rentRunning(simulator, { label, ...body });
      await call('PUT', `/__sim/instances/${rented}/`, report);
    };
    await fails('starting', { actual_status: 'loading', status_msg: 'Pulling image', cur_state: 'running' });
    await fails('failed', { actual_status: 'exited', status_msg: hostile }, { image: 'hostile/<b>' });
    const stopped = await rentRunning(simulator, { label: 'stopped' });
    await call('PUT', `/api/v0/instances/${stopped}/`, { state: 'stopped' });
    await rentRunning(simulator, { label: 'imageOnly', runtype: 'args' });
    const { json } = await call('POST', '/api/v0/bundles/', {
      ...{ rentable: { eq: true }, num_gpus: { eq: 8 }, order: [['dph_total', 'asc']], limit: 1 },
    });
    const [offer] = (json as { offers: readonly { id: number }[] }).offers;
    const body = { image: 'pytorch/pytorch:latest', disk: 10, label: 'eight', runtype: 'ssh_direct' };
    await call('PUT', `/api/v0/asks/${offer?.id ?? 0}/`, body);
  }

  before(async () => {
    const { simulator } = session();
    await registerOwnKey(session());
    id = await rentRunning(simulator, {
      label: 'trainer',
      runtype: 'ssh_direct',
      env: { '-p 6006:6006': '1' },
    });
    await rentStates();
    const outbid = await rentRunning(simulator, { label: 'outbid', price: 5 });
    const lost = await rentRunning(simulator, { label: 'unreachable' });
    await rentRunning(simulator, { label: 'ended' });
    workbench = await session().window();
    await signIn(session(), workbench);
    await instances().row('eight').filter({ hasText: 'Running' }).waitFor({ timeout: 60_000 });
    for (const label of ['unreachable', 'outbid', 'ended']) {
      await instances().row(label).filter({ hasText: 'Running' }).waitFor();
    }
    await call('PUT', `/__sim/instances/${lost}/`, { actual_status: 'offline' });
    await call('POST', `/__sim/instances/${outbid}/outbid/`);
    await instances().contextMenu(instances().row('ended'), /^Destroy/);
    await workbench.dialogButton('Destroy');
    await instances().row('Rental History').waitFor({ timeout: 60_000 });
    await workbench.clearNotifications();
  });

  it('opens by a click on the row, and shows what it is, costs and allows', async () => {
    await clickRow(workbench.page, row());
    const shown = await page('Running');
    assert.match(await shown.locator('.notice').first().innerText(), /^trainer is running and costs \$/);
    await shown.locator('#button-gpuRental\\.instance\\.connect.primary').waitFor();
    await workbench.shot('01-running');
    await workbench.inThemes(async (theme) => {
      if (theme !== '') {
        await pageShowsTheme(shown, theme);
      }
      assert.deepEqual(await accessibilityFaults(shown), [], theme);
    });
  });

  it('leaves no task of every day more than two clicks away', async () => {
    const open = (label: string | RegExp) => instances().row(label);
    await within(
      [open('failed')],
      workbench.webview().locator('.notice.error', { hasText: 'will not get ready' }),
    );
    await within([row()], workbench.webview().locator('.tiles', { hasText: 'Cost so far' }));
    await within([row(), button('instance.connect')], question('Open trainer'));
    await workbench.page.keyboard.press('Escape');
    await within([row(), button('instance.rentAnother')], question('Search Offers like'));
    await workbench.page.keyboard.press('Escape');
    await within([row(), button('instance.stop')], workbench.dialog.filter({ hasText: 'Stop “trainer”?' }));
    await workbench.dialogButton('Keep Running');
    await within([row(), button('instance.upload')], workbench.page.locator('.quick-input-widget:visible'));
    await workbench.page.keyboard.press('Escape');
    const log = workbench.webview().locator('#output', { hasText: '[simulator]' });
    await within([open('Rental History'), open('ended')], log);
    await within([row(), button('instance.openTerminal')], workbench.terminal);
    await workbench.terminalShows(/simulat/i);
    await workbench.shot('02-terminal');
    await workbench.intoTerminal('exit');
    await workbench.page.locator('.terminal-wrapper').waitFor({ state: 'hidden' });
  });

  it('reads each GPU from the machine', async () => {
    await instances().pick('eight');
    const shown = await page('Running', 'eight');
    await press(shown.locator('#button-readGpus'));
    await shown.locator('section', { hasText: 'GPU 7' }).first().waitFor();
    assert.equal(await shown.locator('section[aria-labelledby="heading-gpus"] tbody tr').count(), 8);
  });

  it('can be read in each state, theme and width', async () => {
    const usual = workbench.page.viewportSize();
    const states = {
      ...{ trainer: 'Running', eight: 'Running', starting: 'Loading', failed: 'Exited', outbid: 'Outbid' },
      ...{ stopped: 'Stopped', unreachable: 'Host dis', imageOnly: 'Running', ended: 'Ended' },
    };
    for (const [theme, name] of themeLabels) {
      await workbench.quick.run('Preferences: Color Theme');
      await workbench.quick.type(name, { enter: false });
      await workbench.quick.pick(name);
      for (const [label, state] of Object.entries(states)) {
        await instances().pick(label);
        const shown = await page(state, label);
        await pageShowsTheme(shown, theme);
        assert.equal(await shown.locator('img').count(), 0, 'a hostile name is words');
        for (const width of widths) {
          await workbench.page.setViewportSize({ width, height: 1000 });
          const overflow = await shown
            .locator('body')
            .evaluate((body) => body.scrollWidth - body.clientWidth);
          await workbench.shot(`${label}-${theme}-${width}`);
          assert.ok(overflow <= 0, `${label} is wider than a window of ${width}`);
        }
        assert.deepEqual(await accessibilityFaults(shown), [], `${label} in ${theme}`);
      }
    }
    if (usual) {
      await workbench.page.setViewportSize(usual);
    }
  });

  it('stops the instance by keyboard, after the question, and follows it', async () => {
    await instances().pick('trainer');
    await page('Running');
    const stop = workbench.webview().locator('#button-gpuRental\\.instance\\.stop');
    await stop.focus();
    await pressEnter(stop);
    await workbench.dialogButton('Stop');
    const shown = await page('Stopped');
    assert.deepEqual(
      session()
        .simulator.received('PUT', `/api/v0/instances/${id}/`)
        .map(({ body }) => body),
      [{ state: 'stopped' }],
    );
    assert.match(await shown.locator('.notice').first().innerText(), /Storage still costs \$.*\/day\.$/);
    await workbench.clearNotifications();
  });

  it('shows the record as JSON on demand', async () => {
    await press(workbench.webview().locator('#button-gpuRental\\.instance\\.showDetails'));
    await workbench.page.locator('.tab.active', { hasText: 'trainer.json' }).waitFor();
    await press(workbench.page.locator('.tabs-container .tab', { hasText: /^trainer$/ }));
    await page('Stopped');
  });

  it('is restored after a reload of the window', async () => {
    await workbench.page.reload();
    // Which of the tabs is in front is the editor's own memory.
    await press(workbench.page.locator('.tabs-container .tab', { hasText: /^trainer$/ }));
    await page('Stopped');
    await workbench.shot('03-reloaded');
  });

  it('logs no error in the page', () => {
    assert.deepEqual(workbench.errors, []);
  });
});
