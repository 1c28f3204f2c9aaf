import * as vscode from 'vscode';
import { isShown } from '../../editor/templateTabs';
import { draftParts, parseTemplateUri } from '../../model/templates/templateUri';
import type { Services } from '../../services';
import { plainLabel } from '../../util/plainLabel';

/**
 * Returns the names of open templates of an account that the service does not have as they are shown: drafts, which are removed with
 * the account, and unsaved changes, whose secrets are.
 */
export function unsavedTemplates(
  { templateStores }: Pick<Services, 'templateStores'>,
  accountKey: string,
): readonly string[] {
  return vscode.workspace.textDocuments.flatMap(({ uri, isDirty, isClosed }) => {
    const read = isClosed ? undefined : parseTemplateUri(uri);
    const isUnsaved =
      (read?.kind === 'draft' && isShown(uri) && draftParts(read.token).accountKey === accountKey) ||
      (read?.kind === 'own' && isDirty && templateStores.documents.peek(read.id)?.accountKey === accountKey);
    return isUnsaved ? [plainLabel(read.name)] : [];
  });
}
