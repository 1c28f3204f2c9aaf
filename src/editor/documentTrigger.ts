import * as vscode from 'vscode';

const ours = /(\.gpu-template\.json|\/\.vscode\/gpu-rental\.json)$/;

/** A notebook whose kernel the Jupyter extension chooses. */
export function isNotebook({ notebookType }: vscode.NotebookDocument): boolean {
  return notebookType === 'jupyter-notebook';
}

/** Loads the product once a notebook is open, because its instances stand in the kernel picker. */
export function loadForNotebooks(load: () => Promise<unknown>): vscode.Disposable {
  const look = (notebook: vscode.NotebookDocument) => {
    if (isNotebook(notebook)) {
      subscription.dispose();
      void load().catch(() => undefined);
    }
  };
  const subscription = vscode.workspace.onDidOpenNotebookDocument(look);
  vscode.workspace.notebookDocuments.forEach(look);
  return subscription;
}

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
