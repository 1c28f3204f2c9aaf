import type { EditorScript } from './script';

export const inputBoxScripts: readonly EditorScript[] = [
  {
    name: 'a box settles with its text, and with nothing where it is left',
    run: async (editor, hands, print) => {
      const kept = editor.window.showInputBox({ value: 'seven' });
      await hands.rest();
      await hands.enter();
      print(String(await kept));
      const left = editor.window.showInputBox({ value: 'seven' });
      await hands.rest();
      await hands.escape();
      print(String(await left));
    },
  },
  {
    name: 'Enter is blocked by an error and by nothing less',
    run: async (editor, hands, print) => {
      const { InputBoxValidationSeverity: severity } = editor;
      const warned = editor.window.showInputBox({
        value: 'x',
        validateInput: () => ({ message: 'careful', severity: severity.Warning }),
      });
      await hands.rest();
      await hands.enter();
      print(`warned ${String(await warned)}`);
      let isOver = false;
      const refused = editor.window.showInputBox({
        value: 'x',
        validateInput: () => ({ message: 'no', severity: severity.Error }),
      });
      void Promise.resolve(refused).then(() => {
        isOver = true;
      });
      await hands.rest();
      await hands.enter();
      await hands.rest();
      print(`refused ${String(isOver)}`);
      await hands.escape();
      print(String(await refused));
    },
  },
  {
    name: 'a box of ours tells Enter and that it goes, and leaves its text',
    run: async (editor, hands, print) => {
      const box = editor.window.createInputBox();
      box.value = 'text';
      box.onDidAccept(() => {
        print(`accepted ${box.value}`);
      });
      box.onDidHide(() => {
        print('hidden');
      });
      box.show();
      await hands.rest();
      await hands.enter();
      await hands.rest();
      box.hide();
      await hands.rest();
      print(box.value);
      box.dispose();
    },
  },
];
