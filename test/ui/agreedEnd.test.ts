import assert from 'node:assert/strict';
import { signIn } from '../support/journey';
import { haveKey, rentNow, searchAndReview } from '../support/rentJourney';
import { lastingToasts, useUiSession } from '../support/uiSession';
import { until } from '../support/until';
import type { Workbench } from '../support/workbench';

describe('the end of a rental', function () {
  this.bail(true);
  this.timeout(400_000);
  const session = useUiSession('agreedEnd', {
    simulator: { speed: 20 },
    settings: { 'gpuRental.end.idleMinutes': 1, 'gpuRental.ready.checkLogin': false },
    patches: lastingToasts,
  });
  let workbench: Workbench;
  const row = () => workbench.view('Instances').row('RTX 3090');

  it('is a row of the confirmation and of the instance', async () => {
    workbench = await session().window();
    await signIn(session(), workbench);
    await haveKey(session());
    await searchAndReview(workbench, '1x 3090', /1× RTX 3090/);
    const end = workbench.quick.rows.filter({ hasText: 'stops after 1 min idle' }).first();
    await end.waitFor();
    await workbench.shot('01-confirmation');
    await rentNow(session(), workbench);
    await until('the end on the row', async () => /stops when idle 1 min/.test(await row().innerText()));
    await workbench.shot('02-row');
  });

  it('is announced, and moved from there', async () => {
    const [instance] = session().simulator.world.instances;
    assert.ok(instance);
    instance.gpuUse = 0;
    const soon = /will be stopped in/;
    await workbench.toast(soon, 300_000);
    await workbench.shot('03-warning');
    await workbench.toastButton(soon, 'Keep Until…');
    await workbench.quick.waitForTitle(/^Keep Until:/);
    await workbench.shot('04-keep-until');
  });
});
