import * as vscode from 'vscode';
import { confirm, type Question } from './confirm';
import { parseTemplateUri } from '../model/templates/templateUri';

/** Returns the files that a tab shows, both sides of a comparison included. */
export function urisOfTab({ input }: vscode.Tab): readonly vscode.Uri[] {
  return input instanceof vscode.TabInputText
    ? [input.uri]
    : input instanceof vscode.TabInputTextDiff
      ? [input.original, input.modified]
      : [];
}

/** Returns the unsaved document of one of the account's templates. */
export function unsavedTemplate(id: number): vscode.TextDocument | undefined {
  return vscode.workspace.textDocuments.find(({ uri, isDirty, isClosed }) => {
    const read = isDirty && !isClosed ? parseTemplateUri(uri) : undefined;
    return read?.kind === 'own' && read.id === id;
  });
}

/**
 * Offers to save the document of a template, because what follows uses the version at the service. Returns false if the
 * user cancels or the save is refused.
 */
export async function isSavedFirst(
  document: vscode.TextDocument,
  question: Pick<Question, 'message' | 'button'>,
): Promise<boolean> {
  return (await confirm(question)) && document.save();
}

/**
 * Returns the address under which a tab shows this template, otherwise the given one. After a rename the tab keeps its
 * file name, and a second document of one template would save over the first.
 */
export function shownAddressOf(uri: vscode.Uri): vscode.Uri {
  const wanted = parseTemplateUri(uri);
  const isSame = (other: vscode.Uri) => {
    const read = parseTemplateUri(other);
    return (
      wanted && read && 'id' in wanted && 'id' in read && read.kind === wanted.kind && read.id === wanted.id
    );
  };
  const tabs = vscode.window.tabGroups.all.flatMap((group) => group.tabs);
  return tabs.flatMap(urisOfTab).find(isSame) ?? uri;
}
