import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { signIn } from '../support/journey';
import { reachableInstance, runningInstance } from '../support/reachableInstance';
import { useUiSession } from '../support/uiSession';
import { until } from '../support/until';
import type { Workbench } from '../support/workbench';

describe('instances in tools that work by SSH', function () {
  this.bail(true);
  this.timeout(240_000);
  const session = useUiSession('engines');
  let workbench: Workbench;

  const hosts = () =>
    readFileSync(path.join(session().root, 'workspace', '.gpu-rental', 'hosts', 'hosts.txt'), 'utf8')
      .trim()
      .split('\n');

  before(async () => {
    await reachableInstance(session(), 'sweep-1');
    await runningInstance(session().simulator, 'sweep-2');
    workbench = await session().window();
    await signIn(session(), workbench);
    await workbench.clearNotifications();
  });

  it('are named by files that are saved in the workspace', async () => {
    const { quick } = workbench;
    await workbench.run('Save Host Files…');
    await quick.waitForTitle('Save Host Files');
    await workbench.shot('01-which');
    await quick.enter();
    await quick.pickMatching(/In the Workspace/);
    await workbench.toast(/Saved host files in .*Instances: 2/);
    await workbench.shot('02-saved');
    assert.equal(hosts().length, 2);
  });

  it('have a row once they have changed, which saves the files again', async () => {
    const instances = workbench.view('Instances');
    await workbench.clearNotifications();
    await runningInstance(session().simulator, 'sweep-3');
    await workbench.run('Refresh');
    await instances.row('Save Again').waitFor();
    await workbench.shot('03-out-of-date');
    await instances.pick(/Save Again/);
    await workbench.toast(/Saved host files in .*Instances: 3/);
    await instances.row('Save Again').waitFor({ state: 'detached' });
    await workbench.shot('04-saved-again');
    assert.equal(hosts().length, 3);
  });

  it('have their commands on a page of the guide', async () => {
    await workbench.toastButton(/Saved host files/, 'Open Guide…');
    const headings = () =>
      Promise.all(
        workbench.page.frames().map((frame) =>
          frame
            .locator('h1')
            .allTextContents()
            .catch(() => []),
        ),
      );
    await until('the page', async () => (await headings()).flat().includes('Instances in other tools'));
    await workbench.shot('05-guide');
  });

  it('run a command on several with a row for each', async () => {
    const { quick } = workbench;
    await workbench.run('Run Command…');
    await quick.waitForTitle('Run Command');
    await workbench.shot('06-which');
    await quick.enter();
    await quick.waitForPrompt('The command runs on each instance over SSH');
    await quick.type('nvidia-smi -L; test "$(hostname)" = other');
    await quick.rows.filter({ hasText: 'exit code 1' }).first().waitFor({ timeout: 30_000 });
    await workbench.shot('07-results');
  });

  it('met nothing unexpected', () => {
    assert.doesNotMatch(session().log(), /\[error\]/);
  });
});
