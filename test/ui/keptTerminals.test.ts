import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { accessibilityFaults } from '../support/accessibility';
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
  let id = 0;
  const instances = () => workbench.view('Instances');
  const bin = () => path.join(session().root, 'instances', `${id}.machine`, 'bin');
  const kept = () => instances().row(/Terminal workspace-1/);

  before(async () => {
    id = await reachableInstance(session(), 'trainer');
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

  it('return to their place after a broken connection, and show each try', async () => {
    const tmux = path.join(bin(), 'tmux');
    writeFileSync(tmux, '#!/bin/sh\nexit 1\n', { mode: 0o700 });
    const { stdout } = spawnSync('pgrep', [
      '-f',
      `ssh .*${session().root}.*new-session -A -D -s workspace-1`,
    ]);
    // ssh ends with 255 then, as for a connection that broke.
    for (const pid of String(stdout).trim().split('\n')) {
      process.kill(Number(pid), 'SIGTERM');
    }
    await workbench.terminalShows(/The connection to trainer was lost/);
    await workbench.terminalShows(/No answer\. Next try in/);
    await workbench.clearNotifications();
    await workbench.shot('04-lost');
    rmSync(tmux);
    await workbench.terminalShows(/it-is-42[^]*sleep 87651/, 60_000);
    await workbench.shot('05-returned');
  });

  it('are rows once their tab is closed, with the program in them', async () => {
    await workbench.quick.run('Terminal: Kill the Active Terminal Instance');
    // The editor itself may have opened a shell in the panel, which was open in the last window.
    await workbench.page.locator('.terminal-wrapper', { hasText: 'it-is-42' }).waitFor({ state: 'hidden' });
    await instances().expand(instances().row('trainer'));
    await kept().filter({ hasText: 'sleep' }).waitFor({ timeout: 60_000 });
    await workbench.shot('06-row');
  });

  it('are on the page of the instance', async () => {
    await instances().pick('trainer');
    const page = workbench.webview();
    await page.getByText('Terminal workspace-1').waitFor({ timeout: 60_000 });
    await workbench.shot('07-page');
  });

  it('are beside the services that the machine names, which are read by a click', async () => {
    const services = [
      { name: 'Jupyter', internal_port: 18_080, open_path: '/lab', state: 'RUNNING' },
      {
        ...{ name: 'Syncthing', internal_port: 18_384, open_path: '/', state: 'STOPPED' },
        supervisor_process: 'syncthing',
      },
      { name: 'Pay <b>here</b> [x](command:y)', internal_port: 80, open_path: '/', state: 'unknown' },
    ];
    const json = JSON.stringify({ schema_version: 1, services });
    const file = path.join(bin(), 'vast-capabilities');
    writeFileSync(file, `#!/bin/sh\ncat <<'END'\n${json}\nEND\n`, { mode: 0o700 });
    const page = workbench.webview();
    await press(page.locator('[id="button-gpuRental.instance.readServices"]'));
    await page.getByText('18384/tcp, stopped').waitFor({ timeout: 60_000 });
    await page.getByText('Pay <b>here</b>').scrollIntoViewIfNeeded();
    await workbench.quick.run('View: Toggle Panel Visibility');
    await instances()
      .row(/Jupyter/)
      .waitFor();
    await workbench.inThemes(async (theme) => {
      assert.deepEqual(await accessibilityFaults(page), [], theme);
      await workbench.shot(`08-services${theme}`);
    });
  });

  it('are beside a stopped service, which a click starts', async () => {
    const supervisor =
      '#!/bin/sh\nif [ "$1" = start ]; then echo "$2: started"; else echo "$2 RUNNING"; fi\n';
    writeFileSync(path.join(bin(), 'supervisorctl'), supervisor, { mode: 0o700 });
    const row = instances().row(/Syncthing/);
    await row.hover();
    await workbench.shot('09-start');
    await instances().inlineAction(row, 'Start Service', instances().row(/18384\/tcp, running/));
    await workbench.shot('10-started');
  });

  it('end after a question where a program runs', async () => {
    await instances().contextMenu(kept(), 'End Terminal…');
    await workbench.dialog.waitFor();
    assert.match(await workbench.dialog.innerText(), /sleep runs in it and ends as well/);
    await workbench.shot('11-question');
    await press(workbench.dialog.getByRole('button', { name: 'End', exact: true }));
    await kept().waitFor({ state: 'detached', timeout: 60_000 });
  });

  it('met nothing unexpected', () => {
    assert.doesNotMatch(session().log(), /\[error\]/);
    // The editor itself reports the end of ssh.
    const others = workbench.errors.filter((error) => !/terminated with exit code: 255/.test(error));
    assert.deepEqual(others, []);
  });
});
