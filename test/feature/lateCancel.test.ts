import assert from 'node:assert/strict';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { useComputer } from '../support/feature/useComputer';
import type { FeatureWindow } from '../support/feature/window';

describe('a schedule that is canceled at the last moment, or can not be read', () => {
  const computer = useComputer();
  let window: FeatureWindow;
  let worker: number;
  const address = () => `/api/v0/instances/${worker}/`;
  const sent = (method: string) => computer().simulator.received(method, address());

  async function schedule(what: RegExp): Promise<void> {
    await window.view('instances').menu('worker', 'End Later…');
    await window.quick.pick(what);
    await window.quick.type('1m', { enter: false });
    await window.quick.pick('In 1 min');
  }

  async function cancel(): Promise<void> {
    await window.view('instances').menu('worker', 'End Later…');
    await window.quick.pick(/Cancel, and Keep It/);
  }

  before(async () => {
    worker = await computer().rentRunning({ label: 'worker' });
    window = await computer().openSignedIn();
    await window.view('instances').row('worker');
  });

  beforeEach(() => {
    window.clearToasts();
  });

  it('is not sent where it is canceled during the read before it', async () => {
    await schedule(/Destroy After a Time/);
    await window.dialogButton('Destroy Later');
    await window.toast(/worker will be destroyed in/);
    const reads = sent('GET').length;
    computer().simulator.fail({ kind: 'delay', method: 'GET', path: address(), delayMs: 25_000 });
    await computer().until('the read before it', () => sent('GET').length > reads);
    assert.match((await window.view('instances').row('worker')).text, /being destroyed/);
    await cancel();
    await window.toast(/worker will not stop by itself/);
    await computer().pass(5 * 60_000);
    assert.deepEqual(sent('DELETE'), []);
    assert.doesNotMatch((await window.view('instances').row('worker')).text, /destroyed/);
  });

  it('shows that it is too late once the request was sent', async () => {
    await schedule(/Stop After a Time/);
    await window.toast(/worker will be stopped in/);
    computer().simulator.fail({ kind: 'delay', method: 'PUT', path: address(), delayMs: 25_000 });
    await computer().until('the request', () => sent('PUT').length > 0);
    assert.doesNotMatch((await window.view('instances').row('worker')).text, /could not/);
    await cancel();
    await window.toast(/Too late: the request to stop worker was sent at/);
    await window.toast(/worker is stopped, as scheduled/);
    assert.equal(sent('PUT').length, 1);
  });

  it('is named where its file is damaged or the disk refuses it, and can be set again', async () => {
    const folder = path.join(computer().ofAccounts('')[0] ?? 'none', 'schedules');
    mkdirSync(folder, { recursive: true });
    const file = path.join(folder, `${worker}.json`);
    window.close();
    writeFileSync(file, '{"version":1');
    window = await computer().openWindow();
    await window.view('instances').row('worker');
    const damaged = /^worker will not stop or be destroyed by itself\. Its file is damaged/;
    await window.toastButton(damaged, 'Start Over');
    await window.quick.title('Stop or Destroy worker Later');
    window.quick.escape();
    window.close();
    mkdirSync(file);
    window = await computer().openWindow();
    await window.view('instances').row('worker');
    const refused = /Could not read the schedule of worker.*Check the permissions of .*\.json/;
    await window.toastButton(refused, 'Retry');
    await window.toast(refused);
    rmSync(file, { recursive: true });
    await window.toastButton(refused, 'Retry');
    await computer().pass(60_000);
    assert.deepEqual(window.toasts(), []);
  });
});
