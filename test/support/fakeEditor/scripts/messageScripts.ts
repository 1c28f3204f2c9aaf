import type { EditorScript } from './script';

export const messageScripts: readonly EditorScript[] = [
  {
    name: 'of two equal messages the first is closed',
    run: async (editor, hands, print) => {
      const ask = (name: string) => {
        void Promise.resolve(editor.window.showWarningMessage('The same text', 'Go')).then((chosen) => {
          print(`${name} ${String(chosen)}`);
        });
      };
      ask('first');
      await hands.rest();
      ask('second');
      await hands.rest();
      await hands.clearMessages();
      await hands.rest();
    },
  },
  {
    name: 'messages that differ stand side by side until they are closed',
    run: async (editor, hands, print) => {
      for (const name of ['one', 'two']) {
        void Promise.resolve(editor.window.showInformationMessage(`Message ${name}`, 'Go')).then((chosen) => {
          print(`closed ${String(chosen)}`);
        });
      }
      await hands.rest();
      print('both stand');
      await hands.clearMessages();
      await hands.rest();
    },
  },
  {
    name: 'progress gives back what its work gives, and its failure',
    run: async (editor, _hands, print) => {
      const options = { location: editor.ProgressLocation.Notification, title: 'Working' };
      const seven = await editor.window.withProgress(options, (progress, token) => {
        progress.report({ message: 'half' });
        print(`cancelled ${String(token.isCancellationRequested)}`);
        return Promise.resolve(7);
      });
      print(String(seven));
      try {
        await editor.window.withProgress(options, () => Promise.reject(new Error('broken')));
      } catch (error) {
        print(String(error));
      }
    },
  },
];
