import type * as vscode from 'vscode';
import { FakeQuickPick } from './quickInput';
import { Screen } from './screen';
import type { EditorScript, Hands } from './scripts/script';
import { UserSettings } from './settings';
import { createVscode } from './vscodeModule';

/** What a script said on the stand-in, and how much of it had been said at each rest. */
export interface Trace {
  readonly lines: readonly string[];
  readonly atRest: readonly number[];
}

/** Plays a script on the stand-in. */
export async function traceOfFake(script: EditorScript): Promise<Trace> {
  const screen = new Screen({ isFocused: true });
  const nature = {
    current: {
      folders: [],
      isTrusted: true,
      remoteName: undefined,
      uiKind: 1,
      appName: 'Fake',
      extensions: [],
      hasTools: true,
    },
  };
  const editor = createVscode(screen, { settings: new UserSettings({}), clipboard: { text: '' } }, nature);
  const lines: string[] = [];
  const atRest: number[] = [];
  const turns = async () => {
    for (let turn = 0; turn < 20; turn += 1) {
      await new Promise((resolve) => setImmediate(resolve));
    }
  };
  const open = () => screen.quick.current;
  const hands: Hands = {
    enter: async () => {
      open()?.accept();
      await turns();
    },
    down: async () => {
      const picker = open();
      if (picker instanceof FakeQuickPick) {
        const rows = picker.visible();
        const next = rows[(rows.indexOf(picker.activeItems[0] as vscode.QuickPickItem) + 1) % rows.length];
        if (next) {
          picker.move(next);
        }
      }
      await turns();
    },
    escape: async () => {
      open()?.leave();
      await turns();
    },
    clearMessages: async () => {
      for (const message of [...screen.messages.shown]) {
        message.close();
      }
      await turns();
    },
    rest: async () => {
      await turns();
      atRest.push(lines.length);
    },
  };
  await script.run(editor, hands, (line) => lines.push(line));
  await turns();
  return { lines, atRest };
}
