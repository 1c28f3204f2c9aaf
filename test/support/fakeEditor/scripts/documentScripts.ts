import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type * as vscode from 'vscode';
import type { EditorScript } from './script';

const bytes = (text: string) => new TextEncoder().encode(text);
let schemes = 0;

/** A file system of one file, which says what is written to it. */
function oneFile(editor: typeof vscode, print: (line: string) => void) {
  schemes += 1;
  const scheme = `onefile${schemes}`;
  const changed = new editor.EventEmitter<vscode.FileChangeEvent[]>();
  const state = { text: 'first', time: 1, refuses: false };
  const uri = editor.Uri.parse(`${scheme}://place/file.txt`);
  const registration = editor.workspace.registerFileSystemProvider(scheme, {
    onDidChangeFile: changed.event,
    watch: () => new editor.Disposable(() => undefined),
    stat: () => ({ type: editor.FileType.File, ctime: 0, mtime: state.time, size: state.text.length }),
    readDirectory: () => [],
    createDirectory: () => undefined,
    readFile: () => bytes(state.text),
    writeFile: (_uri, content) => {
      if (state.refuses) {
        throw editor.FileSystemError.NoPermissions('refused');
      }
      state.text = new TextDecoder().decode(content);
      state.time += 1;
      print(`written ${state.text}`);
    },
    delete: () => undefined,
    rename: () => undefined,
  });
  return {
    uri,
    state,
    changeElsewhere: (text: string) => {
      state.text = text;
      state.time += 1;
      changed.fire([{ type: editor.FileChangeType.Changed, uri }]);
    },
    dispose: () => {
      registration.dispose();
    },
  };
}

async function replace(editor: typeof vscode, document: vscode.TextDocument, text: string): Promise<void> {
  const edit = new editor.WorkspaceEdit();
  const end = document.positionAt(document.getText().length);
  edit.replace(document.uri, new editor.Range(new editor.Position(0, 0), end), text);
  await editor.workspace.applyEdit(edit);
}

export const documentScripts: readonly EditorScript[] = [
  {
    name: 'an edit makes a document dirty, a save writes it whole',
    run: async (editor, hands, print) => {
      const file = oneFile(editor, print);
      const document = await editor.workspace.openTextDocument(file.uri);
      await editor.window.showTextDocument(document);
      const subscriptions = [
        editor.workspace.onDidChangeTextDocument((event) => {
          if (event.document === document && event.contentChanges.length > 0) {
            print(`changed to ${document.getText()}, dirty ${String(document.isDirty)}`);
          }
        }),
        editor.workspace.onDidSaveTextDocument((saved) => {
          if (saved === document) {
            print(`saved, dirty ${String(saved.isDirty)}`);
          }
        }),
      ];
      print(`${document.getText()}, dirty ${String(document.isDirty)}`);
      await replace(editor, document, 'second');
      await hands.rest();
      print(String(await document.save()));
      await hands.rest();
      for (const one of subscriptions) {
        one.dispose();
      }
      file.dispose();
    },
  },
  {
    name: 'a refused save leaves the text as it is, and dirty',
    run: async (editor, hands, print) => {
      const file = oneFile(editor, print);
      const document = await editor.workspace.openTextDocument(file.uri);
      await editor.window.showTextDocument(document);
      await replace(editor, document, 'mine');
      await hands.rest();
      file.state.refuses = true;
      print(String(await document.save()));
      print(`${document.getText()}, dirty ${String(document.isDirty)}`);
      file.state.refuses = false;
      await document.save();
      await hands.clearMessages();
      file.dispose();
    },
  },
  {
    name: 'a document without edits follows its file, one with edits does not',
    run: async (editor, hands, print) => {
      const file = oneFile(editor, print);
      const document = await editor.workspace.openTextDocument(file.uri);
      await editor.window.showTextDocument(document);
      const subscription = editor.workspace.onDidChangeTextDocument((event) => {
        if (event.document === document && event.contentChanges.length > 0) {
          print(`now ${document.getText()}`);
        }
      });
      file.changeElsewhere('theirs');
      await hands.rest();
      await replace(editor, document, 'mine');
      await hands.rest();
      file.changeElsewhere('theirs again');
      await hands.rest();
      print(`${document.getText()}, dirty ${String(document.isDirty)}`);
      subscription.dispose();
    },
  },
  {
    name: 'positions and offsets of a text agree',
    run: async (editor, _hands, print) => {
      const document = await editor.workspace.openTextDocument({
        content: 'one\ntwo\n\nfour',
        language: 'json',
      });
      print(document.languageId);
      print(String(document.lineCount));
      for (const offset of [0, 3, 4, 8, 9, 13, 99]) {
        const at = document.positionAt(offset);
        print(`${offset} ${at.line}:${at.character} ${document.offsetAt(at)}`);
      }
      print(document.lineAt(1).text);
      print(document.getText(new editor.Range(0, 2, 1, 1)));
    },
  },
  {
    name: 'a file is written with the folders above it',
    run: async (editor, _hands, print) => {
      const folder = mkdtempSync(path.join(tmpdir(), 'written-'));
      const uri = editor.Uri.file(path.join(folder, 'new', 'folder', 'file.txt'));
      await editor.workspace.fs.writeFile(uri, bytes('text'));
      print(new TextDecoder().decode(await editor.workspace.fs.readFile(uri)));
      await editor.workspace.fs.delete(editor.Uri.file(folder), { recursive: true });
    },
  },
];
