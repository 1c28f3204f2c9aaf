import * as vscode from 'vscode';
import { t } from '../../editor/localize';
import { titleOf } from '../../editor/titles';
import { JsonPlaces } from '../../model/documents/jsonPlaces';
import { workspaceFilePath } from '../../model/workspace/workspaceFile';
import { DisposableStore } from '../../util/disposable';

/** Adds *Run Job* and *Export Job…* above each job of the workspace file. */
export class JobLenses implements vscode.CodeLensProvider, vscode.Disposable {
  private readonly store = new DisposableStore();
  private readonly changed = this.store.add(new vscode.EventEmitter<void>());
  readonly onDidChangeCodeLenses = this.changed.event;

  constructor() {
    this.store.add(vscode.workspace.onDidGrantWorkspaceTrust(() => this.changed.fire()));
    const selector = { scheme: 'file', pattern: `**/${workspaceFilePath}` };
    this.store.add(vscode.languages.registerCodeLensProvider(selector, this));
  }

  provideCodeLenses(document: vscode.TextDocument): vscode.CodeLens[] {
    return new JsonPlaces(document.getText()).keys(['jobs']).flatMap(({ name, span }) => {
      const at = document.positionAt(span.offset);
      const range = new vscode.Range(at, at);
      const target = [{ uri: document.uri.toString(), jobName: name }];
      return vscode.workspace.isTrusted
        ? [
            new vscode.CodeLens(range, {
              title: t('$(play) Run Job'),
              command: 'gpuRental.job.run',
              arguments: target,
            }),
            new vscode.CodeLens(range, {
              title: titleOf('gpuRental.job.export'),
              command: 'gpuRental.job.export',
              arguments: target,
            }),
          ]
        : [
            new vscode.CodeLens(range, {
              title: t('$(workspace-untrusted) Trust This Workspace to Run Jobs'),
              command: 'workbench.trust.manage',
            }),
          ];
    });
  }

  dispose(): void {
    this.store.dispose();
  }
}
