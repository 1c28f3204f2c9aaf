import { isIP } from 'node:net';
import * as vscode from 'vscode';
import { localize, t } from '../../editor/localize';
import { message } from '../../editor/message';
import { labelOf } from '../../editor/titles';
import type { KeyPermissions } from '../../model/accounts/apiKey';
import type { NewApiKey } from '../../model/accounts/apiKey';
import { readApiKeyDocument, renderApiKeyDocument } from '../../model/accounts/apiKeyDocument';

/** Documents with this ending use the schema of API keys; `package.json` repeats it. */
const ending = '.gpu-key.json';

/** Opens a document for the permissions of a new key. */
export async function writeKeyDocument(name: string, permissions: KeyPermissions): Promise<void> {
  const document = await emptyDocument();
  await vscode.window.showTextDocument(document, { preview: false });
  const edit = new vscode.WorkspaceEdit();
  edit.insert(document.uri, new vscode.Position(0, 0), renderApiKeyDocument(name, permissions));
  await vscode.workspace.applyEdit(edit);
}

/** Opens an untitled document without a text; one of an earlier key stays as it is. */
async function emptyDocument(): Promise<vscode.TextDocument> {
  for (let count = 1; ; count += 1) {
    const path = `api-key${count === 1 ? '' : `-${count}`}${ending}`;
    const document = await vscode.workspace.openTextDocument(vscode.Uri.from({ scheme: 'untitled', path }));
    if (document.getText() === '') {
      return document;
    }
  }
}

/** Returns the open document and the key that it describes; shows a problem at its place in the document. */
export function readOpenDocument():
  { readonly document: vscode.TextDocument; readonly wanted: NewApiKey } | undefined {
  const editor = vscode.window.activeTextEditor;
  if (!editor?.document.fileName.endsWith(ending)) {
    message('info', t('Open a document whose name ends in {0} first.', ending));
    return undefined;
  }
  const { document } = editor;
  const read = readApiKeyDocument(document.getText(), (address) => isIP(address) !== 0);
  if (read.kind === 'key') {
    return { document, wanted: read.key };
  }
  const { offset, length } = read.span;
  const range = new vscode.Range(document.positionAt(offset), document.positionAt(offset + length));
  editor.selection = new vscode.Selection(range.start, range.end);
  editor.revealRange(range);
  message('warning', t('No key was created. Line {0}: {1}', range.start.line + 1, localize(read.message)));
  return undefined;
}

/** Closes the untitled document after use; a file on disk stays open. */
export async function closeKeyDocument(document: vscode.TextDocument): Promise<void> {
  if (document.isUntitled && !document.isClosed) {
    // The command closes the document in front, and the user may have opened another one.
    await vscode.window.showTextDocument(document);
    await vscode.commands.executeCommand('workbench.action.revertAndCloseActiveEditor');
  }
}

/** Offers to create the key, above the first line of its document. */
export function registerKeyLens(): vscode.Disposable {
  return vscode.languages.registerCodeLensProvider(
    { pattern: `**/*${ending}` },
    {
      provideCodeLenses: () => [
        new vscode.CodeLens(new vscode.Range(0, 0, 0, 0), {
          command: 'gpuRental.apiKey.createFromDocument',
          title: `$(key) ${labelOf('gpuRental.apiKey.createFromDocument')}`,
        }),
      ],
    },
  );
}
