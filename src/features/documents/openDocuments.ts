import * as vscode from 'vscode';
import {
  draftOwner,
  fileOwner,
  templateOwner,
  type SecretOwner,
} from '../../model/templates/templateReference';
import { draftParts, parseTemplateUri } from '../../model/templates/templateUri';
import { workspaceFilePath } from '../../model/workspace/workspaceFile';
import type { Services } from '../../services';
import { UserError } from '../../util/errors';
import { text } from '../../util/text';

/** The kinds of documents that this extension handles. */
export type DocumentKind =
  | { readonly kind: 'template'; readonly id: number; readonly isOwn: boolean }
  | { readonly kind: 'draft'; readonly token: string }
  /** `*.gpu-template.json` on disk. */
  | { readonly kind: 'templateFile' }
  | { readonly kind: 'workspaceFile' };

/** Returns the kind of a document; `undefined` for documents of others. */
export function kindOf(document: Pick<vscode.TextDocument, 'uri'>): DocumentKind | undefined {
  const { uri } = document;
  const read = parseTemplateUri(uri);
  if (read) {
    switch (read.kind) {
      case 'own':
        return { kind: 'template', id: read.id, isOwn: true };
      case 'public':
        return { kind: 'template', id: read.id, isOwn: false };
      case 'draft':
        return { kind: 'draft', token: read.token };
      case 'theirs':
      case 'preview':
        return undefined;
    }
  }
  if (uri.path.endsWith('.gpu-template.json')) {
    return { kind: 'templateFile' };
  }
  return uri.path.endsWith(`/${workspaceFilePath}`) ? { kind: 'workspaceFile' } : undefined;
}

/** Returns the owner under which secrets of a document are stored. Only templates and drafts have secrets. */
export function ownerOf(uri: vscode.Uri, kind: DocumentKind): SecretOwner {
  switch (kind.kind) {
    case 'template':
      return templateOwner(kind.id);
    case 'draft':
      return draftOwner(kind.token);
    case 'templateFile':
    case 'workspaceFile':
      return fileOwner(uri.toString());
  }
}

/**
 * Returns the key of the account whose secrets a document uses: its own account, or the active one for a file. Call this
 * before asking the user, because another account may be active at the answer.
 */
export function accountKeyOf(
  { accounts, templateStores }: Pick<Services, 'accounts' | 'templateStores'>,
  kind: DocumentKind,
): string | undefined {
  const own =
    kind.kind === 'template'
      ? templateStores.documents.peek(kind.id)?.accountKey
      : kind.kind === 'draft'
        ? draftParts(kind.token).accountKey
        : undefined;
  return own ?? accounts.active?.key;
}

/** Returns all open documents that this extension handles. */
export function openDocuments(): readonly (readonly [vscode.TextDocument, DocumentKind])[] {
  return vscode.workspace.textDocuments.flatMap((document) => {
    const kind = document.isClosed ? undefined : kindOf(document);
    return kind ? [[document, kind] as const] : [];
  });
}

/** Replaces the whole text in one step that the user can undo. */
export async function replaceText(document: vscode.TextDocument, content: string): Promise<void> {
  const edit = new vscode.WorkspaceEdit();
  const whole = new vscode.Range(document.positionAt(0), document.positionAt(document.getText().length));
  edit.replace(document.uri, whole, content);
  await changeDocument(document, edit);
}

/** Changes a document in one step that the user can undo. @throws UserError if the editor refuses. */
export async function changeDocument(
  { uri }: Pick<vscode.TextDocument, 'uri'>,
  edit: vscode.WorkspaceEdit,
): Promise<void> {
  if (!(await vscode.workspace.applyEdit(edit))) {
    const name = uri.path.split('/').at(-1) ?? '';
    throw new UserError(
      text(
        'The editor refused to change {0}. Check that the document is not read-only, then try again.',
        name,
      ),
    );
  }
}
