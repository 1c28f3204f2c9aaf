import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { reachableInstance } from '../support/feature/reachable';
import { useComputer } from '../support/feature/useComputer';
import type { FeatureWindow } from '../support/feature/window';

describe('an SSH config that sends variables of this computer to all hosts', () => {
  const computer = useComputer({ simulator: { sshServer: true } });
  let window: FeatureWindow;

  before(async () => {
    writeFileSync(computer().sshConfig, 'Host *\n  SendEnv AWS_*\n');
    await reachableInstance(computer(), 'trainer');
    window = await computer().openSignedIn();
    await window.view('instances').row('trainer');
    window.clearToasts();
  });

  it('is named before a terminal opens, which opens all the same at the request of the user', async () => {
    await window.view('instances').menu('trainer', 'Open Terminal');
    const message = await window.toast(/Line 5 of .* gives rented machines .*"SendEnv AWS_\*"/);
    await computer().rest();
    assert.equal(window.screen.terminals.history.length, 0);
    message.press('Connect Anyway');
    await computer().until('a terminal', () => window.screen.terminals.history[0]);
  });

  it('is named before a file runs in a terminal, too', async () => {
    const file = path.join(computer().workspace, 'train.py');
    writeFileSync(file, 'print(1)\n');
    await window.screen.documents.show(await window.screen.documents.open(file));
    const before = window.screen.terminals.history.length;
    window.clearToasts();
    window.start('gpuRental.runActiveFile');
    await window.quick.pick('In a Terminal');
    const message = await window.toast(/Line 5 of .* gives rented machines .*"SendEnv AWS_\*"/);
    await computer().rest();
    assert.equal(window.screen.terminals.history.length, before);
    message.press('Connect Anyway');
    await computer().until('a terminal', () => window.screen.terminals.history[before]);
  });
});

describe('an SSH config that ssh does not accept', () => {
  const computer = useComputer({ simulator: { sshServer: true } });
  let window: FeatureWindow;

  before(async () => {
    await reachableInstance(computer(), 'trainer');
    window = await computer().openWindow();
    await window.signIn();
    await window.view('instances').row('trainer');
    window.clearToasts();
  });

  it('is explained instead of a terminal that could only repeat the error of ssh', async () => {
    writeFileSync(computer().sshConfig, 'Frobnicate yes\n');
    await window.view('instances').menu('trainer', 'Open Terminal');
    const { buttons } = await window.toast(/^ssh does not accept your SSH config: .*frobnicate/i);
    await computer().rest();
    assert.deepEqual(buttons, ['Open SSH Config', 'Retry']);
    assert.equal(window.screen.terminals.history.length, 0);
  });

  it('is followed by the terminal once it is corrected', async () => {
    writeFileSync(computer().sshConfig, '');
    await window.toastButton(/^ssh does not accept your SSH config/, 'Retry');
    await computer().until('a terminal', () => window.screen.terminals.history[0]);
  });

  it('is explained as well where a login worked before, and no file is sent', async () => {
    // A machine that boots is logged in to in any case.
    await computer().pass(120_000);
    writeFileSync(computer().sshConfig, 'Frobnicate yes\n');
    const file = path.join(computer().workspace, 'train.py');
    writeFileSync(file, 'print(1)\n');
    await window.screen.documents.show(await window.screen.documents.open(file));
    window.clearToasts();
    window.start('gpuRental.runActiveFile');
    await window.quick.pick('In a Terminal');
    await window.toast(/^ssh does not accept your SSH config: .*frobnicate/i);
    await computer().rest();
    assert.equal(window.screen.terminals.history.length, 1);
  });
});
