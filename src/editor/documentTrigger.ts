import * as vscode from 'vscode';

const ours = /(\.gpu-template\.json|\/\.vscode\/gpu-rental\.json)$/;

/** Loads the product once a file of ours is open, because its checks and what can be done with it belong to it. */
export function loadForDocuments(load: () => Promise<unknown>): vscode.Disposable {
  const look = ({ uri }: vscode.TextDocument) => {
    if (ours.test(uri.path)) {
      subscription.dispose();
      // A failure is reported where it happens.
      void load().catch(() => undefined);
    }
  };
  const subscription = vscode.workspace.onDidOpenTextDocument(look);
  vscode.workspace.textDocuments.forEach(look);
  return subscription;
}
