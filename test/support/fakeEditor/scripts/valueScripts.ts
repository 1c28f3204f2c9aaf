import type { EditorScript } from './script';

export const valueScripts: readonly EditorScript[] = [
  {
    name: 'sentences are filled by number and by name',
    run: (editor, _hands, print) => {
      print(editor.l10n.t('{0} of {1}, {0}', 'one', 2));
      print(editor.l10n.t('{name} costs {price}', { name: 'trainer', price: 3 }));
      print(editor.l10n.t('{0} and {1}', 'one'));
      print(editor.l10n.t('nothing to fill'));
      return Promise.resolve();
    },
  },
  {
    name: 'text in Markdown is escaped',
    run: (editor, _hands, print) => {
      print(new editor.MarkdownString().appendText('[a](b) *c* <d> `e` #f').value);
      print(new editor.MarkdownString().appendText('one  two\nthree').value);
      print(new editor.MarkdownString('', true).appendText('$(alert) text').value);
      print(new editor.MarkdownString('*a*').appendMarkdown('**b**').value);
      return Promise.resolve();
    },
  },
  {
    name: 'places and ranges',
    run: (editor, _hands, print) => {
      const range = new editor.Range(3, 4, 1, 2);
      print(`${range.start.line}:${range.start.character} ${range.end.line}:${range.end.character}`);
      print(String(range.contains(new editor.Position(2, 0))));
      print(String(range.contains(new editor.Range(1, 2, 3, 5))));
      print(String(range.intersection(new editor.Range(5, 0, 6, 0)) === undefined));
      print(String(new editor.Position(1, 2).isBefore(new editor.Position(1, 3))));
      return Promise.resolve();
    },
  },
  {
    name: 'errors of files have a code',
    run: (editor, _hands, print) => {
      const { FileSystemError } = editor;
      print(FileSystemError.FileNotFound('x').code);
      print(FileSystemError.NoPermissions('x').code);
      print(FileSystemError.Unavailable('why').message);
      print(String(FileSystemError.FileExists() instanceof FileSystemError));
      return Promise.resolve();
    },
  },
  {
    name: 'a missing file is named by the error of a read, and not by that of a document',
    run: async (editor, _hands, print) => {
      const missing = editor.Uri.file('/nowhere/at-all.txt');
      const failure = async (work: PromiseLike<unknown>) => {
        try {
          await work;
          return 'none';
        } catch (error) {
          return error instanceof editor.FileSystemError ? error.code : 'another error';
        }
      };
      print(await failure(editor.workspace.fs.readFile(missing)));
      print(await failure(editor.workspace.openTextDocument(missing)));
    },
  },
  {
    name: 'addresses are joined and kept',
    run: (editor, _hands, print) => {
      const uri = editor.Uri.parse('gpurental://templates/7/a%20b.json');
      print(`${uri.scheme} ${uri.authority} ${uri.path}`);
      print(uri.toString());
      print(editor.Uri.joinPath(uri, '..', 'c.json').toString());
      print(uri.with({ query: 'x=1' }).toString(true));
      return Promise.resolve();
    },
  },
  {
    name: 'commands take arguments, give results, and are made once',
    run: async (editor, _hands, print) => {
      const registration = editor.commands.registerCommand('standIn.add', (a: number, b: number) => a + b);
      print(String(await editor.commands.executeCommand('standIn.add', 2, 3)));
      try {
        editor.commands.registerCommand('standIn.add', () => 0);
      } catch (error) {
        print(String(error instanceof Error));
      }
      registration.dispose();
      print(String((await editor.commands.getCommands()).includes('standIn.add')));
    },
  },
  {
    name: 'a listener that is gone hears nothing, and events come in order',
    run: (editor, _hands, print) => {
      const emitter = new editor.EventEmitter<number>();
      const first = emitter.event((value) => {
        print(`first ${value}`);
      });
      emitter.event((value) => {
        print(`second ${value}`);
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
