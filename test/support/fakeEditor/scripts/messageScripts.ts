import type { EditorScript } from './script';

export const messageScripts: readonly EditorScript[] = [
  {
    name: 'of two equal messages the first is closed',
    run: async (editor, hands, say) => {
      const ask = (name: string) => {
        void Promise.resolve(editor.window.showWarningMessage('The same text', 'Go')).then((chosen) => {
          say(`${name} ${String(chosen)}`);
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
    run: async (editor, hands, say) => {
      for (const name of ['one', 'two']) {
        void Promise.resolve(editor.window.showInformationMessage(`Message ${name}`, 'Go')).then((chosen) => {
          say(`closed ${String(chosen)}`);
        });
      }
      await hands.rest();
      say('both stand');
      await hands.clearMessages();
      await hands.rest();
    },
  },
  {
    name: 'progress gives back what its work gives, and its failure',
    run: async (editor, _hands, say) => {
      const options = { location: editor.ProgressLocation.Notification, title: 'Working' };
      const seven = await editor.window.withProgress(options, (progress, token) => {
        progress.report({ message: 'half' });
        say(`cancelled ${String(token.isCancellationRequested)}`);
        return Promise.resolve(7);
      });
      say(String(seven));
      try {
        await editor.window.withProgress(options, () => Promise.reject(new Error('broken')));
      } catch (error) {
        say(String(error));
      }
    },
  },
];
