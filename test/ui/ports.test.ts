import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { signIn } from '../support/journey';
import { rentRunning } from '../support/rentRunning';
import { useUiSession } from '../support/uiSession';
import { until } from '../support/until';
import type { Workbench } from '../support/workbench';

describe('ports and the agent of an instance', function () {
  this.bail(true);
  this.timeout(180_000);
  const session = useUiSession('ports', { simulator: { speed: 20 } });
  let workbench: Workbench;
  let instanceId: number;
  const instances = () => workbench.view('Instances');
  const port = (number: number) => instances().row(`Port ${String(number)}/tcp`);
  const hostPort = (number: number) => {
    const mapped = session().simulator.world.instance(instanceId)?.directPorts[`${String(number)}/tcp`];
    assert.ok(mapped !== undefined, `port ${String(number)} is not mapped`);
    return mapped;
  };
  const forwarding = () => {
    const folder = path.join(session().root, 'home', '.ssh', 'gpu-rental.d');
    const files = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.conf')) : [];
    return files.map((name) => /ForwardAgent (\w+)/.exec(readFileSync(path.join(folder, name), 'utf8'))?.[1]);
  };

  it('shows each mapped port below its instance, where it is and that it is public', async () => {
    const { simulator, root } = session();
    const file = path.join(root, 'home', '.ssh', 'id_ed25519');
    execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-C', 'mine', '-f', file]);
    await simulator.call('POST', '/api/v0/ssh/', { ssh_key: readFileSync(`${file}.pub`, 'utf8').trim() });
    instanceId = await rentRunning(simulator, {
      label: 'trainer',
      runtype: 'jupyter_direct ssh_direct',
      env: { '-p 6006:6006': '1', '-p 7860:7860': '1' },
    });
    workbench = await session().window();
    await signIn(session(), workbench);
    await instances().row('trainer').waitFor();
    await workbench.clearNotifications();
    await instances().expand(instances().row('trainer'));
    for (const number of [6006, 7860]) {
      await port(number)
        .filter({ hasText: `127.0.0.1:${String(hostPort(number))}, public` })
        .waitFor();
    }
    await workbench.shot('01-ports');
    const hover = await workbench.hoverText(port(6006), /Anybody on the internet/);
    assert.match(hover, /must protect itself/);
    assert.match(
      (await port(6006).getAttribute('aria-label')) ?? '',
      /^Port 6006\/tcp, 127\.0\.0\.1:\d+, public, Anybody on the internet/,
    );
  });

  it('copies the address of a port', async () => {
    await session().profile.grantPermissions(['clipboard-read', 'clipboard-write']);
    await instances().contextMenu(port(7860), /^Copy/);
    const address = await until('the copied address', async () => {
      const text = await workbench.page.evaluate('navigator.clipboard.readText()');
      return typeof text === 'string' && text.startsWith('127.0.0.1:') ? text : undefined;
    });
    assert.equal(address, `127.0.0.1:${String(hostPort(7860))}`);
  });

  it('forwards the agent only after the risk was said, and for this instance alone', async () => {
    await instances().contextMenu(instances().row('trainer'), /Agent Forwarding/);
    await workbench.dialog.filter({ hasText: 'Let trainer use your SSH agent?' }).waitFor();
    assert.match(await workbench.dialog.innerText(), /belongs to a stranger/);
    await workbench.shot('03-agent');
    await workbench.dialogButton('Cancel');
    await instances().contextMenu(instances().row('trainer'), /Agent Forwarding/);
    await workbench.dialogButton('Forward the Agent');
    await until('the entry', () => forwarding().join() === 'yes');
    await instances().contextMenu(instances().row('trainer'), /Agent Forwarding/);
    await workbench.dialog.filter({ hasText: 'Stop letting trainer use your SSH agent?' }).waitFor();
    await workbench.dialogButton('Stop Forwarding');
    await until('the entry', () => forwarding().join() === 'no');
  });

  it('met nothing unexpected', () => {
    assert.doesNotMatch(session().log(), /\[error\]/);
    assert.deepEqual(workbench.errors, []);
  });
});
