import assert from 'node:assert/strict';
import { signIn } from '../support/journey';
import { press } from '../support/press';
import { reachableInstance } from '../support/reachableInstance';
import { lastingToasts, useUiSession } from '../support/uiSession';
import type { Workbench } from '../support/workbench';

describe('terminals that keep running', function () {
  this.bail(true);
  this.timeout(150_000);
  const session = useUiSession('kept-terminals', { simulator: { sshServer: true }, patches: lastingToasts });
  let workbench: Workbench;
  const instances = () => workbench.view('Instances');
  const kept = () => instances().row(/Terminal workspace-1/);

  before(async () => {
    await reachableInstance(session(), 'trainer');
    workbench = await session().window();
    await signIn(session(), workbench);
    await workbench.clearNotifications();
    await instances().row('trainer').waitFor();
  });

  it('look like a shell, and show what they are', async () => {
    await instances().inlineAction(instances().row('trainer'), 'Open Terminal', workbench.terminal);
    await workbench.terminalShows(/real shell on YOUR computer/);
    await workbench.inTerminal('word=$((40+2)); echo it-is-$word', /it-is-42/);
    await workbench.intoTerminal('sleep 87651');
    await workbench.shot('01-terminal');
  });

  it('are offered by the window that is opened next, with all that is in them', async () => {
    await workbench.page.reload();
    await workbench.ready();
    const offer = 'Terminals are still running on trainer: workspace-1';
    await workbench.toast(offer, 60_000);
    await workbench.shot('02-offer');
    await workbench.toastButton(offer, 'Reattach (1)');
    await workbench.terminalShows(/it-is-42[^]*sleep 87651/);
    await workbench.shot('03-reattached');
  });

  it('are rows once their tab is closed, with the program in them', async () => {
    await workbench.quick.run('Terminal: Kill the Active Terminal Instance');
    // The editor itself may have opened a shell in the panel, which was open in the last window.
    await workbench.page.locator('.terminal-wrapper', { hasText: 'it-is-42' }).waitFor({ state: 'hidden' });
    await instances().expand(instances().row('trainer'));
    await kept().filter({ hasText: 'sleep' }).waitFor({ timeout: 60_000 });
    await workbench.shot('04-row');
  });

  it('are on the page of the instance', async () => {
    await instances().pick('trainer');
    const page = workbench.page.frameLocator('iframe.webview.ready').frameLocator('iframe');
    await page.getByText('Terminal workspace-1').waitFor({ timeout: 60_000 });
    await workbench.shot('05-page');
  });

  it('end after a question where a program runs', async () => {
    await instances().contextMenu(kept(), 'End Terminal…');
    await workbench.dialog.waitFor();
    assert.match(await workbench.dialog.innerText(), /sleep runs in it and ends as well/);
    await workbench.shot('06-question');
    await press(workbench.dialog.getByRole('button', { name: 'End', exact: true }));
    await kept().waitFor({ state: 'detached', timeout: 60_000 });
  });

  it('met nothing unexpected', () => {
    assert.doesNotMatch(session().log(), /\[error\]/);
    assert.deepEqual(workbench.errors, []);
  });
});
