import assert from 'node:assert/strict';
import { PageDriver } from '../support/feature/pageDriver';
import { watchPrograms } from '../support/feature/programsRun';
import { registerKey } from '../support/feature/reachable';
import { useComputer } from '../support/feature/useComputer';
import type { FeatureWindow } from '../support/feature/window';

describe('the page of an instance', () => {
  const computer = useComputer({ simulator: { sshServer: true } });
  let window: FeatureWindow;
  let page: PageDriver;
  let id: number;
  const state = () => page.view.tiles.find(({ label }) => label === 'State')?.value;

  before(async () => {
    await registerKey(computer());
    id = await computer().rentRunning({
      label: 'trainer',
      runtype: 'ssh_direct',
      env: { '-p 6006:6006': '1' },
    });
    window = await computer().openSignedIn();
    page = new PageDriver(window, 'instance');
    window.clearToasts();
  });

  it('opens by a click on the row, from what is known', async () => {
    await window.view('instances').row('trainer');
    const before = computer().simulator.received().length;
    await window.view('instances').click('trainer');
    const view = await page.shows('the instance', ({ title }) => title === 'trainer');
    assert.equal(state(), 'Running');
    assert.match(view.notices[0]?.text ?? '', /^trainer is running and costs \$/);
    assert.equal(computer().simulator.received().length, before, 'without a request of its own');
  });

  it('is one page, which the menu shows again', async () => {
    await window.view('instances').menu('trainer', 'Open');
    const open = window.screen.panels.all.filter(({ viewType }) => viewType === 'gpuRental.instance');
    assert.equal(open.length, 1);
  });

  it('shows the last hour, and the ports with what opens them', async () => {
    await computer().pass(20 * 60_000);
    const { chart } = page.section('use');
    assert.ok(chart?.kind === 'lines');
    assert.deepEqual(
      chart.series.map(({ name }) => name),
      ['GPU', 'RAM', 'Disk', 'CPU'],
    );
    assert.ok(page.rows('use').length > 1);
    const [[name = '', address = ''] = []] = page.rows('services');
    assert.equal(name, 'Port 6006/tcp');
    await page.clickRow('services', name);
    assert.deepEqual(window.screen.externalLinks, [`http://${address.replace(', public', '')}/`]);
  });

  it('shows the log that was read last', async () => {
    assert.equal(page.view.output?.text, '');
    await page.press('Show Log');
    const text = (await window.document(/./)).getText();
    const { output } = await page.shows('the log', (view) => view.output?.text !== '');
    assert.ok(text.includes(output?.text.split('\n').at(-1) ?? '?'));
  });

  it('lists its terminals, and shows one by a click', async () => {
    assert.ok(!page.view.sections.some((section) => section.id === 'work'));
    await page.press('Open Terminal');
    await page.shows('the terminal', ({ sections }) => sections.some((section) => section.id === 'work'));
    assert.deepEqual(page.rows('work'), [['trainer', 'Terminal']]);
    const [terminal] = window.screen.terminals.all;
    terminal?.hide();
    await page.clickRow('work', 'trainer');
    assert.equal(terminal?.isShown, true);
    terminal.dispose();
    await page.shows('no terminal', ({ sections }) => !sections.some((section) => section.id === 'work'));
  });

  it('reads each GPU from the machine over one login, until the user stops that', async () => {
    const programs = watchPrograms();
    await page.press('Read from Machine');
    await page.shows('the GPUs', ({ sections }) => sections.some((section) => section.id === 'gpus'));
    const [[name, use, memory, temperature, power] = []] = page.rows('gpus');
    assert.deepEqual([name, use, temperature], ['GPU 0', '0 %', '34 °C']);
    assert.match(`${memory ?? ''}, ${power ?? ''}`, /^0 \/ \d+ GB, 24 \/ \d+ W$/);
    const reads = () => programs.lines.filter((line) => line.endsWith('gpu-rental-look'));
    assert.equal(reads().length, 1);
    await page.press('Stop Reading');
    await page.shows('that it is over', ({ sections }) =>
      sections.some(({ buttons }) => buttons?.some(({ label }) => label === 'Read from Machine')),
    );
    await computer().pass(60_000);
    assert.equal(reads().length, 1);
    programs.end();
  });

  it('reads them only while it is visible', async () => {
    const buttons = () => page.view.sections.flatMap((section) => section.buttons ?? []);
    const isReading = () => buttons().some(({ label }) => label === 'Stop Reading');
    const programs = watchPrograms();
    const reads = () => programs.lines.filter((line) => line.endsWith('gpu-rental-look')).length;
    await page.press('Read from Machine');
    await computer().until('the login', () => reads() === 1);
    page.panel.setVisible(false);
    await computer().pass(20 * 60_000);
    assert.equal(reads(), 1);
    page.panel.setVisible(true);
    await computer().until('the next login', () => reads() === 2);
    assert.ok(isReading());
    await page.press('Stop Reading');
    assert.ok(!isReading());
    programs.end();
    window.clearToasts();
  });

  it('asks neither the service nor the machine for more than without it', async () => {
    const programs = watchPrograms();
    const reads = async () => {
      const before = computer().simulator.received().length;
      await computer().pass(10 * 60_000);
      return computer().simulator.received().length - before;
    };
    const whileOpen = await reads();
    page.panel.setVisible(false);
    const whileHidden = await reads();
    page.panel.setVisible(true);
    programs.end();
    assert.ok(whileHidden > 0 && whileOpen <= whileHidden, `${whileOpen} and ${whileHidden}`);
    assert.deepEqual(programs.lines, []);
  });

  it('runs the commands of the menus with its instance, and follows the list', async () => {
    await page.press('Read from Machine');
    await page.press('Stop…');
    await window.dialogButton('Stop');
    await window.toast(/^Stopping “trainer”/);
    await page.shows('that it is stopped', () => state() === 'Stopped');
    assert.match(page.view.notices[0]?.text ?? '', /^trainer is stopped\. Storage still costs \$.*\/day\.$/);
    assert.equal(page.view.buttons[0]?.label, 'Start…');
    const labels = page.view.sections.flatMap(({ buttons = [] }) => buttons.map(({ label }) => label));
    assert.ok(!labels.includes('Stop Reading'), 'a machine that does not run is not read');
    await page.press('Show as JSON');
    await window.document('"meantTo": "be stopped"');
  });

  it('draws nothing while it is hidden, and what is new once it is shown again', async () => {
    page.panel.setVisible(false);
    const drawn = page.panel.posted.length;
    await window.view('instances').menu('trainer', 'Start…');
    await window.dialogButton('Start');
    await window.view('instances').row(/trainer.*Running/);
    await computer().pass(10 * 60_000);
    assert.equal(page.panel.posted.length, drawn);
    page.panel.setVisible(true);
    await page.shows('that it runs', () => state() === 'Running');
  });

  it("keeps what is known while the list can't be read, and shows how old it is", async () => {
    computer().simulator.fail({ kind: 'html500', path: '/api/v1/instances/', times: 0 });
    window.run('Refresh');
    const { severity, buttons } = await page.notice('Shown as of');
    assert.deepEqual([severity, state(), buttons.length], ['warning', 'Running', 1]);
    computer().simulator.faults.clear();
    await page.press('Retry');
    await page.shows('the list again', ({ notices }) => notices.length === 1);
    window.clearToasts();
  });

  it('shows that an instance is gone', async () => {
    await computer().simulator.call('DELETE', `/api/v0/instances/${id}/`);
    window.run('Refresh');
    await window.view('instances').noRow('trainer');
    await page.notice('trainer no longer exists. It costs nothing, and its data is lost.');
    await page.shows('its rental', ({ tiles }) => tiles.some(({ label }) => label === 'Cost'));
    assert.ok(page.rows('status').some(([name]) => name === 'How it ended'));
    assert.notEqual(page.view.output?.text ?? '', '');
  });

  it('is the same page that a click on the past rental shows', async () => {
    const { panel } = page;
    await window.view('instances').expand('Rental History');
    await window.view('instances').click(/trainer.*≤/);
    await computer().rest();
    assert.equal(page.panel, panel);
    await page.shows('the charges', ({ tiles }) =>
      tiles.some(({ label, value }) => label === 'Cost' && value.startsWith('$')),
    );
  });

  it('is restored after a reload of its window, with the id and the account only', async () => {
    const { restore } = page.view;
    assert.deepEqual(Object.keys(restore ?? {}), ['instanceId', 'accountKey']);
    page.panel.close();
    const panel = await window.screen.panels.restore('gpuRental.instance', { tables: {}, restore });
    await page.notice('trainer no longer exists');
    assert.ok(panel && !panel.isClosed);
    const other = await window.screen.panels.restore('gpuRental.instance', {
      restore: { instanceId: id, accountKey: 'another' },
    });
    assert.ok(other?.isClosed, 'a page of another account is not shown under the name of this one');
  });

  it('closes with the account', async () => {
    const { panel } = page;
    window.run('Sign Out…');
    await window.dialogButton('Sign Out');
    await computer().until('the page to close', () => panel.isClosed);
    await computer().rest();
  });
});
