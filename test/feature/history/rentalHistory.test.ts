import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, renameSync, rmdirSync } from 'node:fs';
import path from 'node:path';
import { PageDriver } from '../../support/feature/pageDriver';
import { useComputer } from '../../support/feature/useComputer';
import type { FeatureWindow } from '../../support/feature/window';

describe('the rental history', () => {
  const computer = useComputer();
  let window: FeatureWindow;
  let page: PageDriver;
  let trainer: number;
  let helper: number;
  const instances = () => window.view('instances');
  const kept = () =>
    computer()
      .ofAccounts('history')
      .flatMap((folder) => readdirSync(folder).map((name) => path.join(folder, name)));
  const read = (route: RegExp) => computer().simulator.received(undefined, route).length;

  before(async () => {
    trainer = await computer().rentRunning({ label: 'trainer' });
    helper = await computer().rentRunning({ label: 'helper' });
    window = await computer().openSignedIn();
    page = new PageDriver(window, 'instance');
    await instances().row('trainer');
    await computer().pass(30 * 60_000);
  });

  it('is not shown before a rental has ended', async () => {
    await instances().noRow('Rental History');
    window.run('Show Rental History');
    await window.quick.title('Rental History');
    assert.match(window.quick.rows().join('\n'), /No rental has ended yet/);
    window.quick.escape();
  });

  it('keeps a destroyed instance with its cost, duration and log', async () => {
    const startedAt = computer().simulator.world.instance(trainer)?.createdAt ?? 0;
    await instances().menu('trainer', 'Destroy…');
    await window.dialogButton('Destroy');
    await window.toast(/Destroyed, and no longer listed by the service: trainer/);
    assert.equal(read(/request_logs/), 1);
    await instances().expand('Rental History');
    await instances().row(/trainer.*1× .* · ≤ \$\d+\.\d\d · 3\d min/);
    const before = read(/\/charges\//);
    await instances().click(/trainer.*≤/);
    await page.shows('the charges', () =>
      page
        .rows('status')
        .some(([name, value]) => name === 'Cost' && /^\$.*, as the service charged/.test(value ?? '')),
    );
    assert.deepEqual(page.rows('status')[0], ['How it ended', 'destroyed']);
    assert.equal(read(/\/charges\//), before + 1);
    const { query } =
      computer()
        .simulator.received(undefined, /\/charges\//)
        .at(-1) ?? {};
    const { day } = JSON.parse(query?.['select_filters'] ?? '{}') as { day: { gte: number } };
    const noCharge = 'the charges of the first day, which the service may list under its midnight';
    assert.ok(day.gte <= Math.floor(startedAt / 86_400) * 86_400, noCharge);
    await instances().row(/trainer.*1× .* · \$\d+\.\d\d · 3\d min/);
  });

  it('shows the log that was read before the end', async () => {
    const { output } = await page.shows('its log', (view) => view.output !== undefined);
    await page.press('Show Log');
    const log = (await window.document(/^\[simulator\] This machine/)).getText();
    assert.ok(log.trimEnd().endsWith(output?.text ?? '?'));
  });

  it('keeps one that ended by itself, and reports that once', async () => {
    const instance = computer().simulator.world.instance(helper);
    assert.ok(instance);
    computer().simulator.world.removeInstance(instance);
    window.run('Refresh');
    const row = await instances().row(/helper.*≤ \$/);
    assert.ok(row);
    assert.match(await instances().tooltip(/helper/), /no longer listed by the service/);
    const { text, buttons } = await window.toast(/helper no longer exists/);
    assert.match(text, /without a request from GPU Rental on this computer, and its data is lost\.$/);
    assert.deepEqual(buttons, ['Rent Again…', 'Show Details']);
    window.clearToasts();
    const second = await computer().openWindow({ isFocused: true });
    await second.view('instances').row('Rental History');
    await computer().pass(60_000);
    assert.deepEqual(
      [window, second].flatMap((one) => one.toasts()).filter((words) => /no longer exists/.test(words)),
      [],
    );
    second.close();
  });

  it('reports that for one that ended while no window was open', async () => {
    const id = await computer().rentRunning({ label: 'sleeper' });
    window.run('Refresh');
    await instances().row('sleeper');
    await computer().pass(60_000);
    window.close();
    const { world } = computer().simulator;
    const instance = world.instance(id);
    assert.ok(instance);
    world.removeInstance(instance);
    window = await computer().openWindow();
    await window.toast(/sleeper no longer exists/);
    window.clearToasts();
    await instances().expand('Rental History');
    await instances().menu('sleeper', 'Remove from History…');
    await window.dialogButton('Remove');
  });

  it('rents again like a past one', async () => {
    await instances().menu('trainer', 'Rent Again…');
    await window.quick.title(/Search Offers like/);
    window.quick.escape();
  });

  it('is not cleared where another account was chosen during the question', async () => {
    const { json } = await computer().simulator.call('POST', '/__sim/accounts/', { credit: 10 });
    const second = await computer().openWindow();
    window.start('gpuRental.history.clear');
    await window.dialog(/Clear the rental history\?/);
    await second.signIn((json as { key: string }).key);
    await computer().rest();
    await window.dialogButton('Clear Rental History');
    await window.toast(/Nothing was done because the account was switched/);
    await second.signIn(computer().simulator.apiKey);
    second.close();
    window.clearToasts();
    await instances().row('Rental History');
  });

  it('is not called empty while the disk refuses it', async () => {
    const files = kept().filter((name) => name.endsWith('.json'));
    assert.ok(files.length > 0);
    for (const file of files) {
      renameSync(file, `${file}.away`);
      // A folder can't be read as a file, whoever asks.
      mkdirSync(file);
    }
    const late = await computer().openWindow();
    await late.view('instances').expand('Rental History');
    await late.view('instances').row(/Could not read the list.*Check its permissions and the disk/);
    for (const command of ['gpuRental.history.show', 'gpuRental.history.clear']) {
      late.start(command);
      await late.toast(/could not be read/);
      late.clearToasts();
    }
    for (const file of files) {
      rmdirSync(file);
      renameSync(`${file}.away`, file);
    }
    await computer().pass(30_000);
    await late.view('instances').noRow(/Could not read/);
    late.close();
  });

  it('forgets one, and then all, after a question', async () => {
    await instances().menu('trainer', 'Remove from History…');
    await window.dialogButton('Cancel');
    await instances().row('trainer');
    await instances().menu('trainer', 'Remove from History…');
    await window.dialogButton('Remove');
    await instances().noRow('trainer');
    window.start('gpuRental.history.clear');
    await window.dialog(/Clear the rental history\?.*all past rentals \(1\)/s);
    await window.dialogButton('Clear Rental History');
    await instances().noRow('Rental History');
    assert.deepEqual(
      kept().filter((name) => /\.(json|log)$/.test(name)),
      [],
    );
  });
});
