import * as vscode from 'vscode';
import { fileNameOf, parseTemplateUri } from '../../model/templates/templateUri';
import type { Services } from '../../services';
import type { KnownTemplate } from '../../store/templates/templateReader';
import { toFileError } from './fileErrors';
import { openOwnDocument } from './openDocuments';
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

/** What is in the file behind an address: a template, a draft, a preview, or what *Save As* is about to make. */
export class TemplateContents {
  /** Templates whose folder was looked into: what is in it has the one name that was listed. */
  private readonly looked = new Set<number>();

  constructor(
    private readonly deps: Deps,
    private readonly previews: Previews,
    private readonly saveAs: Pick<SaveAsTargets, 'get'>,
  ) {}

  /** The folder of the template was listed, with the one name that it has. */
  noteListed(id: number): void {
    this.looked.add(id);
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
      (this.looked.has(read.id) || isOpenElsewhere(read.id, uri)) &&
      read.name !== fileNameOf(known.name)
    ) {
      // Any name leads to a template; but what it is about to be renamed to must not exist yet.
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

  /** What a draft has become, for its tab that closes next. */
  private async createdContent(uri: vscode.Uri, token: string) {
    const id = this.deps.templateStores.creation.createdAs(token);
    const known = id === undefined ? undefined : await this.known(uri, id);
    return known && { text: known.text, mtime: known.mtime, ctime: 0, isReadOnly: false };
  }

  /** The template behind a file; throws the error of the editor where there is none. */
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

/** True where the editor shows the file, or has a tab that it will show it in. */
export function isOpen(uri: vscode.Uri): boolean {
  const key = uri.toString();
  return (
    vscode.workspace.textDocuments.some((document) => document.uri.toString() === key) ||
    vscode.window.tabGroups.all.some(({ tabs }) =>
      tabs.some(({ input }) => input instanceof vscode.TabInputText && input.uri.toString() === key),
    )
  );
}

function isOpenElsewhere(id: number, uri: vscode.Uri): boolean {
  const document = openOwnDocument(id);
  return document !== undefined && document.uri.toString() !== uri.toString();
}

/** Milliseconds since 1970; 0 where the service does not say. */
function createdAt({ raw }: KnownTemplate): number {
  const created = raw['created_at'];
  return typeof created === 'number' ? created * 1000 : 0;
}
