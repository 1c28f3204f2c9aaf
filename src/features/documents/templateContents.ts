import * as vscode from 'vscode';
import { isShown, shownAddressOf } from '../../editor/templateTabs';
import { fileNameOf, parseTemplateUri } from '../../model/templates/templateUri';
import type { Services } from '../../services';
import type { KnownTemplate } from '../../store/templates/templateReader';
import { toFileError } from './fileErrors';
import type { Previews } from './previews';
import type { SaveAsTargets } from './saveAsTargets';

type Deps = Pick<Services, 'templateStores' | 'log'>;

/** Times are milliseconds since 1970. */
interface TemplateContent {
  readonly text: string;
  readonly mtime: number;
  readonly ctime: number;
  readonly isReadOnly: boolean;
}

/** The contents of files by address: templates, drafts, previews, and targets of *Save As*. */
export class TemplateContents {
  /** Templates whose folder was listed: only the listed name exists in it. */
  private readonly listed = new Set<number>();

  constructor(
    private readonly deps: Deps,
    private readonly previews: Previews,
    private readonly saveAs: Pick<SaveAsTargets, 'get'>,
  ) {}

  /** Notes that the editor listed the folder of the template, which has one file name. */
  noteListed(id: number): void {
    this.listed.add(id);
  }

  async read(uri: vscode.Uri): Promise<TemplateContent> {
    const target = this.saveAs.get(uri);
    if (target) {
      return this.targetContent(uri, target);
    }
    const read = parseTemplateUri(uri);
    if (!read) {
      throw vscode.FileSystemError.FileNotFound(uri);
    }
    if (read.kind === 'preview') {
      const preview = this.previews.get(read.token);
      if (preview === undefined) {
        throw vscode.FileSystemError.FileNotFound(uri);
      }
      return { ...preview, ctime: 0, isReadOnly: true };
    }
    if (read.kind === 'draft') {
      return this.draftContent(uri, read.token);
    }
    const known = await this.known(uri, read.id);
    if (
      read.kind === 'own' &&
      !isOpen(uri) &&
      (this.listed.has(read.id) || shownAddressOf(uri) !== uri) &&
      read.name !== fileNameOf(known.name)
    ) {
      // Any file name opens the template by its id, but the target of a rename must not exist yet.
      throw vscode.FileSystemError.FileNotFound(uri);
    }
    if (read.kind === 'theirs') {
      const theirs = this.deps.templateStores.documents.conflict(read.id)?.theirs ?? known;
      return { text: theirs.text, mtime: theirs.mtime, ctime: createdAt(theirs), isReadOnly: true };
    }
    const isReadOnly =
      read.kind === 'public' || this.deps.templateStores.documents.readOnlyReason(known) !== undefined;
    return { text: known.text, mtime: known.mtime, ctime: createdAt(known), isReadOnly };
  }

  private async draftContent(uri: vscode.Uri, token: string) {
    const created = await this.createdContent(uri, token);
    if (created) {
      return created;
    }
    const draft = await this.deps.templateStores.creation.draft(token);
    if (!draft) {
      throw vscode.FileSystemError.FileNotFound(uri);
    }
    return { text: draft.text, mtime: draft.mtime, ctime: 0, isReadOnly: false };
  }

  private async targetContent(
    uri: vscode.Uri,
    { token, mtime }: { readonly token: string; readonly mtime: number },
  ) {
    return (await this.createdContent(uri, token)) ?? { text: '', mtime, ctime: 0, isReadOnly: false };
  }

  /** Returns the template that a draft became, for the draft's tab, which closes next. */
  private async createdContent(uri: vscode.Uri, token: string) {
    const id = this.deps.templateStores.creation.createdAs(token);
    const known = id === undefined ? undefined : await this.known(uri, id);
    return known && { text: known.text, mtime: known.mtime, ctime: 0, isReadOnly: false };
  }

  /** Returns the template of a file; throws the editor's `FileNotFound` if there is none. */
  async known(uri: vscode.Uri, id: number): Promise<KnownTemplate> {
    await this.deps.templateStores.documents.ready();
    let known: KnownTemplate | undefined;
    try {
      known = await this.deps.templateStores.documents.open(id);
    } catch (error) {
      throw toFileError(error, this.deps.log);
    }
    if (!known) {
      throw vscode.FileSystemError.FileNotFound(uri);
    }
    return known;
  }
}

/** Returns true if a document or a tab of the file is open. */
export function isOpen(uri: vscode.Uri): boolean {
  const key = uri.toString();
  return isShown(uri) || vscode.workspace.textDocuments.some((document) => document.uri.toString() === key);
}

/** Returns milliseconds since 1970; 0 if the service does not state the time. */
function createdAt({ raw }: KnownTemplate): number {
  const created = raw['created_at'];
  return typeof created === 'number' ? created * 1000 : 0;
}
