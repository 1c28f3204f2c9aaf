import * as vscode from 'vscode';
import { UserError } from '../util/errors';
import { text } from '../util/text';

/** Opens the document that a menu, a link or another extension names, and explains if it no longer exists. */
export async function openNamedDocument(uri: vscode.Uri | string): Promise<vscode.TextDocument> {
  try {
    const address = typeof uri === 'string' ? vscode.Uri.parse(uri, true) : uri;
    return await vscode.workspace.openTextDocument(address);
  } catch (error) {
    throw new UserError(
      text(
        'Could not open {0}. Check that it still exists and that you are signed in.',
        typeof uri === 'string' ? uri : uri.toString(true),
      ),
      { cause: error },
    );
  }
}
