import assert from 'node:assert/strict';
import type * as vscode from 'vscode';
import { reachableInstance } from '../support/feature/reachable';
import { useComputer } from '../support/feature/useComputer';

/** What a terminal without a program writes when it is opened. */
function wordsOf(options: object): string {
  const { pty } = options as vscode.ExtensionTerminalOptions;
  let written = '';
  pty.onDidWrite((data) => (written += data));
  pty.open(undefined);
  return written;
}

describe('terminals on a machine that stops', () => {
  const computer = useComputer({ simulator: { sshServer: true } });

  it('end with the reason, in all windows, once the service took the request', async () => {
    const id = await reachableInstance(computer(), 'trainer');
    const first = await computer().openWindow();
    await first.signIn();
    const second = await computer().openWindow();
    const windows = [first, second];
    for (const window of windows) {
      await window.view('instances').row('trainer');
      window.start('gpuRental.instance.openTerminal', { instanceId: id });
      await computer().until('a terminal', () => window.screen.terminals.all.length === 1);
    }
    const path = `/api/v0/instances/${id}/`;
    const refusal = { status: 400, error: 'invalid_request', msg: 'Not now.' };
    computer().simulator.fail({ kind: 'error', method: 'PUT', path, ...refusal });
    await first.view('instances').menu('trainer', 'Stop…');
    await first.dialogButton('Stop');
    await first.toast(/Not now/);
    for (const { screen } of windows)
      assert.ok('shellPath' in (screen.terminals.all[0]?.creationOptions ?? {}));

    await first.view('instances').menu('trainer', 'Stop…');
    await first.dialogButton('Stop');
    for (const { screen } of windows) {
      const { terminals } = screen;
      await computer().until('the reason', () => terminals.all.some((one) => 'pty' in one.creationOptions));
      await computer().until('the end of the first', () => terminals.all.length === 1);
      assert.equal(terminals.history.length, 2);
      assert.match(wordsOf(terminals.all[0]?.creationOptions ?? {}), /“trainer” is being stopped/);
      // The first one was closed by us: its program reports no code.
      assert.equal(terminals.history[0]?.exitStatus?.code, undefined);
    }
  });
});
