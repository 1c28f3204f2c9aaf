import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { registerKey } from '../../support/feature/reachable';
import { useComputer } from '../../support/feature/useComputer';
import { until } from '../../support/until';

describe('a schedule that no editor carries out', () => {
  const computer = useComputer({ simulator: { sshServer: true } });

  before(() => registerKey(computer()));

  it('is done by the instance itself, with one request and its own key', async () => {
    const tools = path.join(computer().root, 'tools');
    mkdirSync(tools);
    // The timer looks every ten seconds. The clocks move while it sleeps, so that no look sees only one of them moved.
    const sleep = [
      'echo >>"$HOME/looks"',
      'mv "$HOST_PROC"/next/* "$HOST_PROC" 2>/dev/null',
      'exec /bin/sleep 0.1',
    ];
    writeFileSync(path.join(tools, 'sleep'), ['#!/bin/sh', ...sleep, ''].join('\n'), { mode: 0o755 });
    writeFileSync(path.join(tools, 'date'), '#!/bin/sh\ncat "$HOST_PROC/day"\n', { mode: 0o755 });
    const id = await computer().rentRunning({
      label: 'trainer',
      runtype: 'ssh_direct',
      env: { PATH: tools },
    });
    const machine = path.join(computer().root, 'instances', `${id}.machine`);
    const proc = path.join(machine, 'proc');
    const writeClocks = (folder: string, seconds: number) => {
      mkdirSync(folder, { recursive: true });
      writeFileSync(path.join(folder, 'day'), `${1_700_000_000 + seconds}\n`);
      writeFileSync(path.join(folder, 'uptime'), `${seconds}.00 0.00\n`);
    };
    const up = (seconds: number) => {
      writeClocks(path.join(proc, 'later'), seconds);
      rmSync(path.join(proc, 'next'), { recursive: true, force: true });
      renameSync(path.join(proc, 'later'), path.join(proc, 'next'));
    };
    writeClocks(proc, 1000);
    const { simulator } = computer();
    const window = await computer().openSignedIn();
    await window.view('instances').menu('trainer', 'End Later…');
    await window.quick.title('Stop or Destroy trainer Later');
    await window.quick.pick(/Destroy After a Time/);
    await window.quick.title(/When/);
    await window.quick.type('2h', { enter: false });
    await window.quick.pick('In 2 h');
    await window.dialogButton('Destroy Later');
    await window.toastButton(/trainer will be destroyed at/, 'Let the Instance Do It…');
    await window.dialogButton('Let It Destroy Itself');
    await window.toast(/its own timer runs, and its key was accepted/);
    window.run('Sign Out…');
    await window.dialogButton('Sign Out');
    await computer().rest();
    const route = `/api/v0/instances/${id}/`;
    const writes = () => simulator.received(undefined, route).filter(({ method }) => method !== 'GET');
    up(1000 + 7190);
    const home = path.join(computer().root, 'instances', String(id));
    const checks = () => readFileSync(path.join(home, 'looks'), 'utf8').length;
    const before = checks();
    await until('two looks at the time', () => checks() >= before + 2);
    assert.deepEqual(writes(), []);
    // An editor would go first.
    up(1000 + 7200 + 600);
    await until('the destruction', () => simulator.world.instance(id) === undefined);
    const own = simulator.received('GET', '/api/v0/users/current/')[0]?.keyId;
    assert.deepEqual(
      writes().map(({ method, keyId }) => [method, keyId === own]),
      [['DELETE', false]],
    );
    window.clearToasts();
  });

  it('counts the idle time on an instance that shows who is logged in', async () => {
    const id = await computer().rentRunning({ label: 'watcher', runtype: 'ssh_direct' });
    const login = path.join(computer().root, 'instances', `${id}.machine`, 'proc', '900');
    mkdirSync(login, { recursive: true });
    writeFileSync(path.join(login, 'cmdline'), 'sshd: root@notty');
    const window = await computer().openSignedIn();
    await window.view('instances').menu('watcher', 'End Later…');
    await window.quick.title('Stop or Destroy watcher Later');
    await window.quick.pick(/Destroy When Idle/);
    await window.quick.title(/When/);
    await window.quick.type('45m', { enter: false });
    await window.quick.pick('Idle for 45 min');
    await window.dialogButton('Destroy Later');
    await window.toastButton(/watcher will be destroyed once/, 'Let the Instance Do It…');
    assert.match((await window.dialog()).detail ?? '', /no SSH login from any computer/);
    await window.dialogButton('Let It Destroy Itself');
    await window.toast(
      /watcher destroys itself once it is idle for 45 min, .* its own timer runs, and its key was accepted/,
    );
    await window.view('instances').row(/watcher.*\(armed, checked \d.*\)/);
    window.clearToasts();
  });
});
