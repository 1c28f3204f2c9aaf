import type { EditorScript } from './script';

export const valueScripts: readonly EditorScript[] = [
  {
    name: 'sentences are filled by number and by name',
    run: (editor, _hands, say) => {
      say(editor.l10n.t('{0} of {1}, {0}', 'one', 2));
      say(editor.l10n.t('{name} costs {price}', { name: 'trainer', price: 3 }));
      say(editor.l10n.t('{0} and {1}', 'one'));
      say(editor.l10n.t('nothing to fill'));
      return Promise.resolve();
    },
  },
  {
    name: 'text in Markdown is escaped',
    run: (editor, _hands, say) => {
      say(new editor.MarkdownString().appendText('[a](b) *c* <d> `e` #f').value);
      say(new editor.MarkdownString().appendText('one  two\nthree').value);
      say(new editor.MarkdownString('', true).appendText('$(alert) text').value);
      say(new editor.MarkdownString('*a*').appendMarkdown('**b**').value);
      return Promise.resolve();
    },
  },
  {
    name: 'places and ranges',
    run: (editor, _hands, say) => {
      const range = new editor.Range(3, 4, 1, 2);
      say(`${range.start.line}:${range.start.character} ${range.end.line}:${range.end.character}`);
      say(String(range.contains(new editor.Position(2, 0))));
      say(String(range.contains(new editor.Range(1, 2, 3, 5))));
      say(String(range.intersection(new editor.Range(5, 0, 6, 0)) === undefined));
      say(String(new editor.Position(1, 2).isBefore(new editor.Position(1, 3))));
      return Promise.resolve();
    },
  },
  {
    name: 'errors of files have a code',
    run: (editor, _hands, say) => {
      const { FileSystemError } = editor;
      say(FileSystemError.FileNotFound('x').code);
      say(FileSystemError.NoPermissions('x').code);
      say(FileSystemError.Unavailable('why').message);
      say(String(FileSystemError.FileExists() instanceof FileSystemError));
      return Promise.resolve();
    },
  },
  {
    name: 'a missing file is named by the error of a read, and not by that of a document',
    run: async (editor, _hands, say) => {
      const missing = editor.Uri.file('/nowhere/at-all.txt');
      const failure = async (work: PromiseLike<unknown>) => {
        try {
          await work;
          return 'none';
        } catch (error) {
          return error instanceof editor.FileSystemError ? error.code : 'another error';
        }
      };
      say(await failure(editor.workspace.fs.readFile(missing)));
      say(await failure(editor.workspace.openTextDocument(missing)));
    },
  },
  {
    name: 'addresses are joined and kept',
    run: (editor, _hands, say) => {
      const uri = editor.Uri.parse('gpurental://templates/7/a%20b.json');
      say(`${uri.scheme} ${uri.authority} ${uri.path}`);
      say(uri.toString());
      say(editor.Uri.joinPath(uri, '..', 'c.json').toString());
      say(uri.with({ query: 'x=1' }).toString(true));
      return Promise.resolve();
    },
  },
  {
    name: 'commands take arguments, give results, and are made once',
    run: async (editor, _hands, say) => {
      const registration = editor.commands.registerCommand('standIn.add', (a: number, b: number) => a + b);
      say(String(await editor.commands.executeCommand('standIn.add', 2, 3)));
      try {
        editor.commands.registerCommand('standIn.add', () => 0);
      } catch (error) {
        say(String(error instanceof Error));
      }
      registration.dispose();
      say(String((await editor.commands.getCommands()).includes('standIn.add')));
    },
  },
  {
    name: 'a listener that is gone hears nothing, and events come in order',
    run: (editor, _hands, say) => {
      const emitter = new editor.EventEmitter<number>();
      const first = emitter.event((value) => {
        say(`first ${value}`);
      });
      emitter.event((value) => {
        say(`second ${value}`);
      });
      emitter.fire(1);
      first.dispose();
      emitter.fire(2);
      emitter.dispose();
      emitter.fire(3);
      return Promise.resolve();
    },
  },
];
