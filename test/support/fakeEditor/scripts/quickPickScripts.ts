import type * as vscode from 'vscode';
import type { EditorScript } from './script';

const rows = (...labels: string[]): vscode.QuickPickItem[] => labels.map((label) => ({ label }));
const labels = (items: readonly vscode.QuickPickItem[]) => items.map(({ label }) => label).join(',');

/** Says what a list tells. */
function listen(picker: vscode.QuickPick<vscode.QuickPickItem>, print: (line: string) => void): void {
  picker.onDidChangeActive((items) => {
    print(`active ${labels(items)}`);
  });
  picker.onDidAccept(() => {
    print(`accepted ${labels(picker.selectedItems)}`);
  });
  picker.onDidHide(() => {
    print('hidden');
  });
}

export const quickPickScripts: readonly EditorScript[] = [
  {
    name: 'a list names its first row a turn later, then each row that the cursor comes to',
    run: async (editor, hands, print) => {
      const picker = editor.window.createQuickPick();
      listen(picker, print);
      picker.items = rows('one', 'two', 'three');
      picker.show();
      print(`at once ${labels(picker.activeItems)}`);
      await hands.rest();
      await hands.down();
      await hands.rest();
      await hands.enter();
      await hands.rest();
      picker.dispose();
      await hands.rest();
    },
  },
  {
    name: 'a row that is made active stays it, and a new list starts at its first row',
    run: async (editor, hands, print) => {
      const picker = editor.window.createQuickPick();
      const all = rows('one', 'two', 'three');
      picker.items = all;
      picker.show();
      await hands.rest();
      listen(picker, print);
      picker.activeItems = all.slice(2);
      await hands.rest();
      print(`then ${labels(picker.activeItems)}`);
      picker.items = rows('four', 'five');
      await hands.rest();
      print(`then ${labels(picker.activeItems)}`);
      picker.dispose();
      await hands.rest();
    },
  },
  {
    name: 'a second list takes the place of the first',
    run: async (editor, hands, print) => {
      const first = editor.window.createQuickPick();
      first.items = rows('one');
      first.onDidHide(() => {
        print('first hidden');
      });
      first.show();
      await hands.rest();
      const second = editor.window.createQuickPick();
      second.items = rows('two');
      second.show();
      await hands.rest();
      second.dispose();
      first.dispose();
      await hands.rest();
    },
  },
  {
    name: 'Escape hides a list, and Enter in a list without rows says nothing of a row',
    run: async (editor, hands, print) => {
      const picker = editor.window.createQuickPick();
      listen(picker, print);
      picker.show();
      await hands.rest();
      await hands.enter();
      await hands.rest();
      await hands.escape();
      await hands.rest();
      picker.dispose();
    },
  },
  {
    name: 'a row that the filter hides cannot be made active, and an Enter names the row before once more',
    run: async (editor, hands, print) => {
      const picker = editor.window.createQuickPick();
      picker.items = rows('one', 'two', 'three');
      picker.show();
      await hands.rest();
      listen(picker, print);
      await hands.enter();
      await hands.rest();
      picker.value = 'two';
      await hands.rest();
      const again = rows('one', 'two', 'three');
      picker.items = again;
      await hands.rest();
      picker.activeItems = again.slice(0, 1);
      await hands.rest();
      await hands.enter();
      await hands.rest();
      picker.items = rows('one', 'two', 'three');
      await hands.rest();
      picker.dispose();
      await hands.rest();
    },
  },
  {
    name: 'rows that are replaced in the same turn pass on their active row by its place',
    run: async (editor, hands, print) => {
      const picker = editor.window.createQuickPick();
      picker.items = rows('one', 'two', 'three');
      picker.show();
      await hands.rest();
      listen(picker, print);
      const again = rows('one', 'two', 'three');
      picker.items = again;
      picker.activeItems = again.slice(2);
      picker.items = rows('four', 'five', 'six');
      await hands.rest();
      print(`then ${labels(picker.activeItems)}`);
      picker.value = 'two';
      await hands.rest();
      const third = rows('one', 'two', 'three');
      picker.items = third;
      picker.activeItems = third.slice(2);
      picker.items = rows('one', 'two', 'three');
      await hands.rest();
      print(`then ${labels(picker.activeItems)}`);
      picker.items = rows('one', 'two', 'three');
      await hands.rest();
      print(`then ${labels(picker.activeItems)}`);
      picker.dispose();
      await hands.rest();
    },
  },
  {
    name: 'separators are never active',
    run: async (editor, hands, print) => {
      const picker = editor.window.createQuickPick();
      listen(picker, print);
      picker.items = [{ label: 'group', kind: editor.QuickPickItemKind.Separator }, ...rows('one')];
      picker.show();
      await hands.rest();
      picker.dispose();
      await hands.rest();
    },
  },
  {
    name: 'a question settles with the row, its text, or nothing',
    run: async (editor, hands, print) => {
      const ask = async (
        items: readonly string[] | readonly vscode.QuickPickItem[],
        end: () => Promise<void>,
      ) => {
        const answer = editor.window.showQuickPick(items as readonly vscode.QuickPickItem[]);
        await hands.rest();
        await end();
        const chosen: unknown = await answer;
        print(`${typeof chosen} ${JSON.stringify(chosen)}`);
      };
      await ask(rows('one', 'two'), () => hands.enter());
      await ask(['one', 'two'], () => hands.enter());
      await ask(rows('one', 'two'), () => hands.escape());
    },
  },
  {
    name: 'a question for many begins with the rows that are picked',
    run: async (editor, hands, print) => {
      const answer = editor.window.showQuickPick(
        [{ label: 'one' }, { label: 'two', picked: true }, { label: 'three', picked: true }],
        { canPickMany: true },
      );
      await hands.rest();
      await hands.enter();
      print(labels((await answer) ?? []));
    },
  },
  {
    name: 'what is typed filters by label, and by more where that is switched on',
    run: async (editor, hands, print) => {
      const picker = editor.window.createQuickPick();
      picker.items = [
        { label: 'alpha', description: 'first' },
        { label: 'beta', description: 'second' },
        { label: 'gamma', description: 'always', alwaysShow: true },
      ];
      picker.show();
      await hands.rest();
      listen(picker, print);
      picker.value = 'beta';
      await hands.rest();
      picker.matchOnDescription = true;
      picker.value = 'second';
      await hands.rest();
      print(`then ${labels(picker.activeItems)}`);
      picker.dispose();
      await hands.rest();
    },
  },
];
