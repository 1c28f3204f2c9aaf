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

  it('is named before a terminal opens, which opens all the same where the user says so', async () => {
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
    const message = await window.toast(/Line 5 of .* gives rented machines .*"SendEnv AWS_\*"/);
    await computer().rest();
    assert.equal(window.screen.terminals.history.length, before);
    message.press('Connect Anyway');
    await computer().until('a terminal', () => window.screen.terminals.history[before]);
  });
});
