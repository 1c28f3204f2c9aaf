import * as vscode from 'vscode';
import { parseTemplateUri, templateUriParts, type TemplateUri } from '../model/templates/templateUri';

/** The editor's address of a template document. */
export function toTemplateUri(uri: TemplateUri): vscode.Uri {
  return vscode.Uri.from(templateUriParts(uri));
}

/** `undefined` for an address that is no document of ours. */
export function readTemplateUri(uri: vscode.Uri): TemplateUri | undefined {
  return parseTemplateUri(uri);
}

/** The template that a tree node, a link, an editor or a call of another extension is about. */
export function templateIdOf(target: unknown): number | undefined {
  if (target instanceof vscode.Uri) {
    const read = readTemplateUri(target);
    return read && 'id' in read ? read.id : undefined;
  }
  if (typeof target !== 'object' || target === null || !('templateId' in target)) {
    return undefined;
  }
  const { templateId } = target;
  return typeof templateId === 'number' && Number.isSafeInteger(templateId) && templateId > 0
    ? templateId
    : undefined;
}
