import { signIn } from '../support/journey';
import { runningInstance } from '../support/reachableInstance';
import { lastingToasts, useUiSession } from '../support/uiSession';
import { until } from '../support/until';
import type { Workbench } from '../support/workbench';

/** With its day where that is not today. */
const stopsAt = /stops .*\d:\d\d/;

describe('stopping and destroying later', function () {
  this.bail(true);
  this.timeout(300_000);
  const session = useUiSession('schedules', { simulator: { speed: 20 }, patches: lastingToasts });
  let workbench: Workbench;
  const instances = () => workbench.view('Instances');
  const row = (name: string) => instances().row(name);

  it('accepts a time as it is typed, and shows it on the row', async () => {
    await runningInstance(session().simulator, 'trainer');
    workbench = await session().window();
    await signIn(session(), workbench);
    await row('trainer').waitFor();
    await workbench.clearNotifications();
    const { quick } = workbench;
    await instances().contextMenu(row('trainer'), /^End Later…$/);
    await quick.waitForTitle('Stop or Destroy trainer Later');
    await workbench.shot('01-menu');
    await quick.pickMatching(/Stop After a Time/);
    await quick.waitForTitle('Stop When?');
    await workbench.shot('02-times');
    await quick.input.fill('soon');
    await quick.rows.filter({ hasText: 'Enter a time from 1 minute' }).first().waitFor();
    await workbench.shot('03-no-time');
    await quick.input.fill('1h30');
    await quick.widget.locator('.monaco-list-row.focused', { hasText: 'In 1 h 30 min' }).waitFor();
    await quick.enter({ isList: true });
    await workbench.toast(/trainer will be stopped at .*, by an editor that is open/);
    await workbench.shot('04-set');
    await until('the time on the row', async () => stopsAt.test(await row('trainer').innerText()));
    await workbench.shot('05-tooltip', () =>
      workbench.hoverText(row('trainer'), /Carried out by.*an editor that is open/s),
    );
  });
});
