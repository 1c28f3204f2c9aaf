import * as vscode from 'vscode';
import { localize } from '../../editor/localize';
import type { Fix } from '../../model/documents/finding';
import { JsonPlaces, type TextChange } from '../../model/documents/jsonPlaces';
import { isPlainObject } from '../../model/templates/templateDocument';
import { environmentRewrites, referenceChanges } from '../../model/templates/templateFixes';
import { rangeOf, type DocumentDiagnostics } from './documentDiagnostics';
import { kindOf } from './openDocuments';

/** Provides quick fixes for the findings, and the refactorings of an environment. */
export class DocumentFixes implements vscode.CodeActionProvider {
  static readonly metadata: vscode.CodeActionProviderMetadata = {
    providedCodeActionKinds: [vscode.CodeActionKind.QuickFix, vscode.CodeActionKind.RefactorRewrite],
  };

  constructor(private readonly diagnostics: DocumentDiagnostics) {}

  provideCodeActions(
    document: vscode.TextDocument,
    range: vscode.Range,
    context: vscode.CodeActionContext,
  ): vscode.CodeAction[] {
    const kind = kindOf(document);
    if (!kind) {
      return [];
    }
    const fixes = this.diagnostics.at(document, range).flatMap((finding) => {
      const diagnostic = context.diagnostics.find(
        (one) => one.code === finding.code && one.range.isEqual(rangeOf(document, finding.span)),
      );
      return finding.fixes.map((fix) => toAction(document, fix, vscode.CodeActionKind.QuickFix, diagnostic));
    });
    const rewrites =
      kind.kind === 'workspaceFile'
        ? []
        : [...environmentRewrites(document.getText()), ...secretChanges(document)].map((fix) =>
            toAction(document, fix, vscode.CodeActionKind.RefactorRewrite),
          );
    return [...fixes, ...rewrites];
  }
}

function secretChanges(document: vscode.TextDocument): readonly Fix[] {
  const fields = new JsonPlaces(document.getText()).value([]);
  return isPlainObject(fields) ? referenceChanges(fields) : [];
}

function toAction(
  document: vscode.TextDocument,
  fix: Fix,
  kind: vscode.CodeActionKind,
  diagnostic?: vscode.Diagnostic,
): vscode.CodeAction {
  const title = localize(fix.title);
  const action = new vscode.CodeAction(title, kind);
  if (diagnostic) {
    action.diagnostics = [diagnostic];
  }
  action.isPreferred = fix.preferred ?? false;
  if (fix.action.kind === 'edit') {
    action.edit = toEdit(document, fix.action.changes);
  } else {
    action.command = {
      title,
      command: 'gpuRental.template.fix',
      arguments: [{ uri: document.uri.toString(), action: fix.action }],
    };
  }
  return action;
}

/** Returns the changes of a text as one workspace edit. */
export function toEdit(document: vscode.TextDocument, changes: readonly TextChange[]): vscode.WorkspaceEdit {
  const edit = new vscode.WorkspaceEdit();
  for (const change of changes) {
    edit.replace(document.uri, rangeOf(document, change), change.text);
  }
  return edit;
}
