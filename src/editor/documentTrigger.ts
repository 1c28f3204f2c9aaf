import * as vscode from 'vscode';

const ours = /(\.gpu-template\.json|\/\.vscode\/gpu-rental\.json)$/;

/** Returns true for notebooks whose kernel the Jupyter extension chooses. */
export function isNotebook({ notebookType }: vscode.NotebookDocument): boolean {
  return notebookType === 'jupyter-notebook';
}

/** Loads the product when a notebook opens, because the kernel picker lists its instances. */
export function loadForNotebooks(load: () => Promise<unknown>): vscode.Disposable {
  const check = (notebook: vscode.NotebookDocument) => {
    if (isNotebook(notebook)) {
      subscription.dispose();
      void load().catch(() => undefined);
    }
  };
  const subscription = vscode.workspace.onDidOpenNotebookDocument(check);
  vscode.workspace.notebookDocuments.forEach(check);
  return subscription;
}

/** Loads the product when one of its files opens, because it provides the checks and lenses. */
export function loadForDocuments(load: () => Promise<unknown>): vscode.Disposable {
  const check = ({ uri }: vscode.TextDocument) => {
    // A template from before a restart of the extension host is read from no file system again.
    if (uri.scheme === 'gpurental' || ours.test(uri.path)) {
      subscription.dispose();
      // `load` reports its own failure.
      void load().catch(() => undefined);
    }
  };
  const subscription = vscode.workspace.onDidOpenTextDocument(check);
  vscode.workspace.textDocuments.forEach(check);
  return subscription;
}
