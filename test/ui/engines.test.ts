import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { signIn } from '../support/journey';
import { pressEnter } from '../support/press';
import { reachableInstance, runningInstance } from '../support/reachableInstance';
import { useUiSession } from '../support/uiSession';
import { until } from '../support/until';
import type { Workbench } from '../support/workbench';

describe('instances in tools that work by SSH', function () {
  this.bail(true);
  this.timeout(240_000);
  const session = useUiSession('engines');
  let workbench: Workbench;

  before(async () => {
    await reachableInstance(session(), 'sweep-1');
    await runningInstance(session().simulator, 'sweep-2');
    workbench = await session().window();
    await signIn(session(), workbench);
    await workbench.clearNotifications();
  });

  it('offers what works, and names what does not with its reason', async () => {
    await workbench.run('Use These Instances in…');
    await workbench.quick.waitForTitle('Use These Instances in');
    await workbench.quick.rows.filter({ hasText: 'GNU parallel' }).waitFor();
    await workbench.quick.rows.filter({ hasText: 'Kubernetes' }).first().waitFor();
    await workbench.shot('01-tools');
  });

  it('leaves the command in a terminal, where an Enter runs it on each', async () => {
    const { quick } = workbench;
    await quick.pickMatching(/ClusterShell/);
    await quick.waitForTitle('ClusterShell');
    await workbench.shot('02-members');
    await quick.pickMatching(/All Running Instances/);
    await quick.waitForPrompt('Name of the group');
    await quick.input.fill('crew');
    await workbench.shot('03-name');
    await quick.enter();
    await quick.waitForTitle('Files of crew');
    await quick.pickMatching(/In the Workspace/);
    await quick.waitForTitle('ClusterShell: crew');
    await workbench.shot('04-commands');
    await quick.pickMatching(/Run a Command/);
    await until('the command', async () => (await workbench.terminalText()).includes('clush'));
    await pressEnter(workbench.page.locator('.terminal-wrapper .xterm-helper-textarea').last());
    await until('the answers', async () => /GPU 0/.test(await workbench.terminalText()));
    await workbench.shot('05-terminal');
    const hosts = readFileSync(
      path.join(session().root, 'workspace', '.gpu-rental', 'crew', 'hosts.txt'),
      'utf8',
    );
    assert.equal(hosts.trim().split('\n').length, 2);
  });

  it('keeps the group below the instances', async () => {
    const instances = workbench.view('Instances');
    await instances.expand(instances.row('Groups for Other Tools'));
    await instances.row('crew').waitFor();
    await workbench.shot('06-group');
  });

  it('runs a command on several with a row for each', async () => {
    const { quick } = workbench;
    await workbench.run('Run Command…');
    await quick.waitForTitle('Run Command');
    await workbench.shot('07-which');
    await quick.enter();
    await quick.waitForPrompt('The command runs on each instance over SSH');
    await quick.type('nvidia-smi -L; test "$(hostname)" = other');
    await quick.rows.filter({ hasText: 'exit code 1' }).first().waitFor({ timeout: 30_000 });
    await workbench.shot('08-results');
  });

  it('met nothing unexpected', () => {
    assert.doesNotMatch(session().log(), /\[error\]/);
  });
});
