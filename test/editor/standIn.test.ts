import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { editorScripts } from '../support/fakeEditor/scripts';
import type { EditorScript, Hands } from '../support/fakeEditor/scripts/script';
import { traceOfFake, type Trace } from '../support/fakeEditor/trace';
import { until } from '../support/until';

/** Plays a script on the real editor, which tells some things later: rests wait for what the stand-in had said. */
async function traceOfEditor(script: EditorScript, expected: Trace): Promise<readonly string[]> {
  const lines: string[] = [];
  const command = async (id: string) => {
    await vscode.commands.executeCommand(id);
  };
  let rests = 0;
  const reach = async (count: number) => {
    // What is missing is seen in the comparison below.
    await until('what is to be said', () => lines.length >= count, { timeoutMs: 4000, everyMs: 10 }).catch(
      () => undefined,
    );
    // Whatever the editor tells too much comes by the same way, in the order in which it was caused.
    for (let round = 0; round < 5; round += 1) {
      await vscode.commands.getCommands(true);
    }
  };
  const hands: Hands = {
    enter: () => command('workbench.action.acceptSelectedQuickOpenItem'),
    down: () => command('workbench.action.quickOpenSelectNext'),
    escape: () => command('workbench.action.closeQuickOpen'),
    clearMessages: () => command('notifications.clearAll'),
    rest: async () => {
      await reach(expected.atRest[rests] ?? 0);
      rests += 1;
    },
  };
  await script.run(vscode, hands, (line) => lines.push(line));
  await reach(expected.lines.length);
  return lines;
}

describe('the stand-in for the editor has the behaviour of the editor', () => {
  afterEach(async () => {
    await vscode.commands.executeCommand('workbench.action.closeQuickOpen');
    await vscode.commands.executeCommand('workbench.action.revertAndCloseActiveEditor');
    await vscode.commands.executeCommand('notifications.clearAll');
  });

  for (const script of editorScripts) {
    it(script.name, async () => {
      const expected = await traceOfFake(script);
      assert.ok(expected.lines.length > 0, 'the script says nothing');
      assert.deepEqual(await traceOfEditor(script, expected), expected.lines);
    });
  }
});
