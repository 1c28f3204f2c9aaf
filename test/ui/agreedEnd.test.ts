import assert from 'node:assert/strict';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Schedule, ScheduleState } from '../../src/schedules/model/schedule';
import { accessibilityFaults } from '../support/accessibility';
import { signIn } from '../support/journey';
import { haveKey, rentNow, searchAndReview } from '../support/rentJourney';
import { lastingToasts, useUiSession } from '../support/uiSession';
import { until } from '../support/until';
import type { Workbench } from '../support/workbench';

const dayMs = 86_400_000;

describe('the end of a rental', function () {
  this.bail(true);
  this.timeout(400_000);
  const session = useUiSession('agreedEnd', {
    simulator: { speed: 20 },
    settings: { 'gpuRental.end.idleMinutes': 1, 'gpuRental.ready.checkLogin': false },
    patches: lastingToasts,
  });
  let workbench: Workbench;
  const world = () => session().simulator.world;
  const row = (id: number | string = 'RTX 3090') => workbench.view('Instances').row(String(id));
  const rowWith = (text: RegExp, id?: number) =>
    until(`${String(text)} on the row`, async () => text.test(await row(id).innerText()));

  /** Moves the destroy of a stopped instance, as days without an editor would, and lets the window read it. */
  async function moveDestroy(id: number, change: (stoppedAt: number) => Partial<Schedule & ScheduleState>) {
    const names = readdirSync(session().root, { recursive: true, encoding: 'utf8' });
    const file = names.find((name) => name.endsWith(path.join('schedules', `${id}.json`)));
    assert.ok(file !== undefined);
    const scheduleFile = path.join(session().root, file);
    const stateFile = scheduleFile.replace(/json$/, 'state.json');
    const schedule = JSON.parse(readFileSync(scheduleFile, 'utf8')) as Schedule & { readonly version: 1 };
    assert.ok(schedule.term.kind === 'at');
    const { warnedAt, ...changed } = change(schedule.term.at - 7 * dayMs);
    writeFileSync(stateFile, JSON.stringify({ scheduleId: schedule.id, warnedAt }));
    writeFileSync(scheduleFile, JSON.stringify({ ...schedule, ...changed }));
    await workbench.run('Refresh');
  }

  it('is a row of the confirmation and of the instance', async () => {
    workbench = await session().window();
    await signIn(session(), workbench);
    await workbench.clearNotifications();
    await haveKey(session());
    await searchAndReview(workbench, '1x 3090', /1× RTX 3090/);
    const end = workbench.quick.rows.filter({ hasText: 'stops after 1 min idle' }).first();
    await end.waitFor();
    await workbench.shot('01-confirmation');
    await rentNow(session(), workbench);
    await workbench.widenSideBar();
    await rowWith(/stops when idle 1 min/);
    await workbench.shot('02-row');
    await rowWith(/Running.*\(not armed\)/s);
    await workbench.shot('02-tooltip', () => workbench.hoverText(row(), /Carried out by/));
  });

  it('is announced, and moved from there', async () => {
    const [instance] = world().instances;
    assert.ok(instance);
    instance.gpuUse = 0;
    const soon = /will be stopped in/;
    await workbench.toast(soon, 300_000);
    await workbench.shot('03-warning');
    await workbench.toastButton(soon, 'Keep Until…');
    await workbench.quick.waitForTitle(/^Keep Until:/);
    await workbench.shot('04-keep-until');
    await workbench.quick.pick('In 2 h');
    await rowWith(/stops .* if it stays idle/);
    await workbench.clearNotifications();
  });

  it('is never where the user chose so, which the row then shows', async () => {
    const [first] = world().instances;
    await searchAndReview(workbench, '1x 3090', /1× RTX 3090/);
    await workbench.quick.pickMatching(/stops after 1 min idle/);
    await workbench.quick.waitForTitle('Rent: End');
    await workbench.shot('05-choices');
    await workbench.quick.pick('Never');
    await workbench.quick.rows.filter({ hasText: 'never stops by itself' }).first().waitFor();
    await workbench.shot('06-never');
    await rentNow(session(), workbench);
    const second = world().instances.find(({ id }) => id !== first?.id);
    assert.ok(second);
    await rowWith(/never stops by itself/, second.id);
    await workbench.clearNotifications();
    await workbench.shot('07-never-row');
  });

  it('is a destroy once it is stopped, which is announced a day before, and asked if work may be unsaved', async () => {
    const [instance] = world().instances;
    assert.ok(instance);
    const { id } = instance;
    await workbench.view('Instances').contextMenu(row(id), /^Stop…$/);
    await workbench.dialogButton('Stop');
    await rowWith(/asks to destroy/, id);
    await workbench.clearNotifications();
    await workbench.shot('08-stopped');
    await moveDestroy(id, (stoppedAt) => ({
      savedAt: stoppedAt,
      term: { kind: 'at', at: stoppedAt + dayMs - 3_600_000 },
    }));
    await workbench.toast(/will be destroyed in .* All data on it is lost/, 60_000);
    await workbench.shot('09-day-before');
    await workbench.view('Instances').pick(String(id));
    const page = workbench.webview();
    await page.getByText('End Later…').first().waitFor({ timeout: 60_000 });
    await workbench.clearNotifications();
    await workbench.inThemes(async (theme) => {
      assert.deepEqual(await accessibilityFaults(page), [], theme);
    });
    await workbench.shot('10-page');
    await moveDestroy(id, (stoppedAt) => ({
      savedAt: undefined,
      term: { kind: 'at', at: stoppedAt },
      warnedAt: stoppedAt - 2 * dayMs,
    }));
    await workbench.toast(/has been stopped for/, 60_000);
    await workbench.shot('11-question');
  });
});
