import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { until } from '../support/until';

/** As a person would write it. */
export const jsonText = (value: unknown) => `${JSON.stringify(value, null, 2)}\n`;

/** Writes a file of the workspace and shows it. */
export async function openFile(file: string, content: string): Promise<vscode.TextDocument> {
  const folder = vscode.workspace.workspaceFolders?.[0];
  assert.ok(folder);
  const uri = vscode.Uri.joinPath(folder.uri, file);
  await vscode.workspace.fs.writeFile(uri, new TextEncoder().encode(content));
  const document = await vscode.workspace.openTextDocument(uri);
  await vscode.window.showTextDocument(document);
  if (document.getText() !== content) {
    await replaceText(document, content);
  }
  return document;
}

export async function replaceText(document: vscode.TextDocument, content: string): Promise<void> {
  const edit = new vscode.WorkspaceEdit();
  edit.replace(document.uri, new vscode.Range(0, 0, document.lineCount, 0), content);
  await vscode.workspace.applyEdit(edit);
}

/** Our remarks; the JSON language marks types beside them. */
export function ourRemarks(document: vscode.TextDocument): vscode.Diagnostic[] {
  return vscode.languages.getDiagnostics(document.uri).filter(({ source }) => source === 'GPU Rental');
}

export function foundRemark(document: vscode.TextDocument, code: string): Promise<vscode.Diagnostic> {
  return until(`the remark ${code}`, () => ourRemarks(document).find((one) => one.code === code));
}

export async function actionsAt(
  document: vscode.TextDocument,
  range: vscode.Range,
): Promise<vscode.CodeAction[]> {
  return vscode.commands.executeCommand<vscode.CodeAction[]>(
    'vscode.executeCodeActionProvider',
    document.uri,
    range,
  );
}

/** Titles of the actions above the lines of a document, without icons. */
export async function lensesOf(document: vscode.TextDocument): Promise<string[]> {
  const all = await vscode.commands.executeCommand<vscode.CodeLens[]>(
    'vscode.executeCodeLensProvider',
    document.uri,
  );
  return all.map(({ command }) => (command?.title ?? '').replace(/^\$\([\w-]+\) /, ''));
}

/** Takes a fix, which is an edit or a command. */
export async function applyFix(document: vscode.TextDocument, code: string, title: string): Promise<void> {
  const action = await until(`the fix "${title}" for ${code}`, async () => {
    const { range } = await foundRemark(document, code);
    return (await actionsAt(document, range)).find((one) => one.title === title);
  });
  if (action.edit) {
    await vscode.workspace.applyEdit(action.edit);
  }
  if (action.command) {
    await vscode.commands.executeCommand(
      action.command.command,
      ...((action.command.arguments ?? []) as unknown[]),
    );
  }
}
