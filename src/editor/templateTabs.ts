import * as vscode from 'vscode';
import { parseTemplateUri } from '../model/templates/templateUri';
import { confirm, type Question } from './confirm';

/** Returns the files that a tab shows, both sides of a comparison included. */
export function urisOfTab({ input }: vscode.Tab): readonly vscode.Uri[] {
  return input instanceof vscode.TabInputText
    ? [input.uri]
    : input instanceof vscode.TabInputTextDiff
      ? [input.original, input.modified]
      : [];
}

/** Returns true if a tab shows the file. The editor keeps a document for some minutes after its last tab closed. */
export function isShown(uri: vscode.Uri): boolean {
  const key = uri.toString();
  return allTabs().some((tab) => urisOfTab(tab).some((one) => one.toString() === key));
}

/**
 * Returns the document of one of the account's templates. After a rename there may be several under different file
 * names: the unsaved one comes first, then the one in front, then one that a tab shows, then the newest.
 */
export function templateDocument(id: number): vscode.TextDocument | undefined {
  const rank = (document: vscode.TextDocument) =>
    (document.isDirty ? 4 : 0) +
    (document === vscode.window.activeTextEditor?.document ? 2 : 0) +
    (isShown(document.uri) ? 1 : 0);
  return vscode.workspace.textDocuments
    .filter(({ uri, isClosed }) => {
      const read = isClosed ? undefined : parseTemplateUri(uri);
      return read?.kind === 'own' && read.id === id;
    })
    .toReversed()
    .toSorted((a, b) => rank(b) - rank(a))[0];
}

/** Returns the unsaved document of one of the account's templates. */
export function unsavedTemplate(id: number): vscode.TextDocument | undefined {
  const document = templateDocument(id);
  return document?.isDirty ? document : undefined;
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
  const document = wanted?.kind === 'own' ? templateDocument(wanted.id) : undefined;
  if (document && isShown(document.uri)) {
    return document.uri;
  }
  const isSame = (other: vscode.Uri) => {
    const read = parseTemplateUri(other);
    return (
      wanted && read && 'id' in wanted && 'id' in read && read.kind === wanted.kind && read.id === wanted.id
    );
  };
  return allTabs().flatMap(urisOfTab).find(isSame) ?? uri;
}

function allTabs(): readonly vscode.Tab[] {
  return vscode.window.tabGroups.all.flatMap((group) => group.tabs);
}
