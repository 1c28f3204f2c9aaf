import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { reachableInstance } from '../../support/feature/reachable';
import { useComputer } from '../../support/feature/useComputer';
import type { FeatureWindow } from '../../support/feature/window';
import { jupyterStandIn } from '../../support/jupyterStandIn';

const minute = 60_000;

describe('a schedule for idle time on an instance with a notebook server', () => {
  const computer = useComputer({ simulator: { sshServer: true } });
  let window: FeatureWindow;
  let id: number;
  let server: Awaited<ReturnType<typeof jupyterStandIn>>;
  const instances = () => window.view('instances');
  const home = () => path.join(computer().root, 'instances', String(id));
  const says = (state: string) => {
    writeFileSync(path.join(home(), 'state'), state);
  };
  const stops = () =>
    computer()
      .simulator.received('PUT', `/api/v0/instances/${id}/`)
      .filter(({ body }) => JSON.stringify(body).includes('stopped')).length;
  const silent = /trainer did not stop when idle: its Jupyter server does not answer/;

  before(async () => {
    id = await reachableInstance(computer(), 'trainer');
    await computer().simulator.call('PUT', `/__sim/instances/${id}/`, { gpu_util: 0 });
    const own = path.join(home(), '.gpu-rental', 'jupyter');
    mkdirSync(path.join(own, 'run'), { recursive: true });
    writeFileSync(path.join(own, 'token'), 'f'.repeat(64));
    says('busy');
    server = await jupyterStandIn(home(), 'waits');
    writeFileSync(
      path.join(own, 'run', `jpserver-${server.pid}.json`),
      JSON.stringify({ port: server.port }),
    );
    window = await computer().openSignedIn();
    await instances().menu('trainer', 'Copy SSH Command');
    await window.view('instances').menu('trainer', 'End Later…');
    await window.quick.title('Stop or Destroy trainer Later');
    await window.quick.pick(/Stop When Idle/);
    await window.quick.title(/When/);
    await window.quick.type('15m', { enter: false });
    await window.quick.pick('Idle for 15 min');
    await window.toast(/trainer will be stopped once it has been idle for 15 min/);
    window.clearToasts();
  });
  after(() => {
    server.end();
  });

  it('waits while a cell runs that no window is connected to', async () => {
    await computer().pass(90 * minute);
    assert.deepEqual([stops(), window.screen.messages.shown.filter((one) => !one.wasSeen)], [0, []]);
  });

  it('waits while the server does not answer, and shows why, what it costs, and how to end it', async () => {
    says('broken');
    await computer().pass(40 * minute);
    const toast = await window.toast(silent);
    assert.match(toast.text, /so a cell may be running\. It costs \$\d+\.\d+\/h\.$/);
    assert.equal(stops(), 0);
    await window.toastButton(silent, 'Stop…');
    await window.dialogButton('Keep Running', /Stop/);
    await computer().pass(40 * minute);
    assert.equal(stops(), 0);
  });

  it('continues once the cell has ended', async () => {
    window.clearToasts();
    says('idle');
    await computer().pass(40 * minute);
    await window.toast(/trainer will be stopped in 5 min/);
    await window.toast(/trainer is stopped, as scheduled/);
    assert.equal(stops(), 1);
  });
});
