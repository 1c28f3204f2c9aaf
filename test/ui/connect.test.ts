import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { settingsFile } from '../support/editorHost';
import { signIn } from '../support/journey';
import { reachableInstance } from '../support/reachableInstance';
import { useUiSession } from '../support/uiSession';
import { until } from '../support/until';
import type { Workbench } from '../support/workbench';

describe('connecting to an instance', function () {
  this.bail(true);
  this.timeout(120_000);
  const session = useUiSession('connect', { extensions: ['ui/remoteSsh'] });
  let workbench: Workbench;
  let instanceId: number;
  let alias: string;

  const own = () => path.join(session().root, 'home', '.ssh', 'gpu-rental.d');
  const platforms = () => readFileSync(settingsFile(session().host.dataDir), 'utf8');

  /** Ends the login; the panel that closes with it takes the focus from whatever is open. */
  async function leaveTerminal(): Promise<void> {
    await workbench.intoTerminal('exit');
    await workbench.page.locator('.terminal-wrapper').waitFor({ state: 'hidden' });
  }

  it('shows an instance that runs, with Connect on its row', async () => {
    instanceId = await reachableInstance(session(), 'trainer');
    workbench = await session().window();
    await signIn(session(), workbench);
    await workbench.view('Instances').row('trainer').waitFor();
    await workbench.shot('01-running');
  });

  it('asks for a folder of the machine and opens it in a window of its own', async () => {
    const instances = workbench.view('Instances');
    await instances.inlineAction(instances.row('trainer'), 'Connect', workbench.quick.title('Open trainer'));
    await workbench.quick.rows.filter({ hasText: 'home folder' }).first().waitFor();
    await workbench.shot('02-folder');
    await workbench.quick.type('/tmp', { enter: false });
    const page = await session().opensWindow(() => workbench.quick.pick('/tmp'));
    const aliases = readdirSync(own()).filter((name) => name.endsWith('.conf'));
    assert.equal(aliases.length, 1);
    alias = (aliases[0] ?? '').replace(/\.conf$/, '');
    assert.match(alias, new RegExp(`^gpu-[0-9a-f]{6}-${instanceId}$`));
    const folder = new URL(page.url()).searchParams.get('folder');
    assert.equal(folder, `vscode-remote://ssh-remote+${alias}/tmp`);
    await page.close();
  });

  it('spares the question which system the machine runs', async () => {
    await until('the platform in the settings', () => platforms().includes(`"${alias}": "linux"`));
  });

  it('opens a terminal with a real login', async () => {
    const instances = workbench.view('Instances');
    await instances.inlineAction(instances.row('trainer'), 'Open Terminal', workbench.terminal);
    await workbench.terminalShows(/simulat/i);
    await workbench.inTerminal('echo it-is-$((40+2))', /it-is-42/);
    await workbench.shot('03-terminal');
    await leaveTerminal();
  });

  it('offers a terminal on an instance in the terminal menu', async () => {
    await workbench.quick.run('Create New Terminal (With Profile)');
    await workbench.quick.pick('GPU Rental (keeps running)');
    await workbench.terminalShows(/simulat/i);
    await workbench.inTerminal('echo profile-$((20+1))', /profile-21/);
    await workbench.shot('04-profile');
    await leaveTerminal();
  });

  it('keeps the platform in the settings for a day after the instance is gone', async () => {
    await session().simulator.call('DELETE', `/api/v0/instances/${instanceId}/`, {});
    const instances = workbench.view('Instances');
    await until('the row to go', async () => {
      await workbench.run('Refresh');
      return (await instances.row('trainer').count()) === 0;
    });
    assert.ok(platforms().includes(alias), 'in case the service was wrong');
  });

  it('met nothing unexpected', () => {
    assert.doesNotMatch(session().log(), /\[error\]/);
  });
});
