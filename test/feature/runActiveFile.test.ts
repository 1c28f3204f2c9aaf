import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { reachableInstance } from '../support/feature/reachable';
import { useComputer } from '../support/feature/useComputer';
import type { FeatureWindow } from '../support/feature/window';

describe('running the active file', () => {
  const computer = useComputer({ simulator: { sshServer: true } });
  const ids: Record<string, number> = {};
  let window: FeatureWindow;

  before(async () => {
    ids['worker'] = await reachableInstance(computer(), 'worker');
    ids['helper'] = await computer().rentRunning({ label: 'helper', runtype: 'ssh_direct' });
    window = await computer().openSignedIn();
    await window.view('instances').row('helper');
    window.clearToasts();
    const file = path.join(computer().workspace, 'train.py');
    writeFileSync(file, 'print(1)\n');
    await window.screen.documents.show(await window.screen.documents.open(file));
  });

  /** Runs it on the instance that is picked, and says where it ran. */
  async function runOn(name: string): Promise<string> {
    const before = window.screen.terminals.history.length;
    window.start('gpuRental.runActiveFile');
    await window.quick.title('Run Active File on an Instance');
    await window.quick.pick(name);
    const { shellArgs } = await computer().until(
      'a terminal',
      () => window.screen.terminals.history[before]?.creationOptions,
    );
    const alias = [shellArgs ?? []].flat().find((arg) => /^gpu-/.test(arg)) ?? '';
    return Object.keys(ids).find((one) => alias.endsWith(`-${ids[one]}`)) ?? alias;
  }

  it('asks each time if several run, and runs on the chosen one', async () => {
    assert.equal(await runOn('worker'), 'worker');
    assert.equal(await runOn('helper'), 'helper');
    window.start('gpuRental.runActiveFile');
    await window.quick.title('Run Active File on an Instance');
    assert.match(window.quick.activeRow() ?? '', /helper/);
    window.quick.escape();
  });
});
