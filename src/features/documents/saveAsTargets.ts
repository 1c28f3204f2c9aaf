import type * as vscode from 'vscode';
import { JsonPlaces, applyChanges } from '../../model/documents/jsonPlaces';
import { parseDocument } from '../../model/templates/templateDocument';
import { templateOwner } from '../../model/templates/templateReference';
import { draftTokenOf, fileNameOf, parseTemplateUri } from '../../model/templates/templateUri';
import type { Services } from '../../services';

interface SaveAsTarget {
  readonly token: string;
  readonly mtime: number;
  /** The template that the user saves under another name. */
  readonly from?: number;
}

type Deps = Pick<Services, 'templateStores' | 'clock'>;

/**
 * Creates a template when *Save As* targets a new name among the templates. The editor creates an empty file, reads its
 * state, and then writes the text; nothing is sent before that write.
 */
export class SaveAsTargets {
  private readonly targets = new Map<string, SaveAsTarget>();

  constructor(private readonly deps: Deps) {}

  /** Returns the target for a file that *Save As* created; `undefined` for other files. */
  get(uri: vscode.Uri): SaveAsTarget | undefined {
    return this.targets.get(uri.toString());
  }

  /** Registers an empty file whose name belongs to no template yet; returns false for any other file. */
  begin(uri: vscode.Uri, shownName: (id: number) => string | undefined): boolean {
    const read = parseTemplateUri(uri);
    const shown = read?.kind === 'own' ? shownName(read.id) : undefined;
    const isFree =
      read?.kind === 'own'
        ? shown === undefined || fileNameOf(shown) !== read.name
        : uri.authority === 'templates' && /^\/[^/]+\.json$/i.test(uri.path);
    if (isFree) {
      const token = this.deps.templateStores.creation.newToken();
      const from = read?.kind === 'own' ? { from: read.id } : {};
      this.targets.set(uri.toString(), { token, mtime: this.deps.clock.now(), ...from });
    }
    return isFree;
  }

  /** Called when the document of a file is closed: once its template exists, the name is free again. */
  end(uri: vscode.Uri): void {
    const token = this.get(uri)?.token;
    if (token !== undefined && this.deps.templateStores.creation.createdAs(token) !== undefined) {
      this.targets.delete(uri.toString());
    }
  }

  /** Creates the template, named after its file, and returns its id. */
  create(uri: vscode.Uri, target: SaveAsTarget, source: string): Promise<number> {
    return this.send(target, applyChanges(source, new JsonPlaces(source).set('name', nameOf(uri))));
  }

  /** Creates a deleted template again from its document, and returns the new id. */
  async recreate(uri: Pick<vscode.Uri, 'toString'>, from: number, source: string): Promise<number> {
    // Always the same, so that a creation with a lost answer is not sent again, even after a restart.
    const token = draftTokenOf(this.deps.templateStores.documents.account().key, `again-${from}`);
    const target = { token, mtime: this.deps.clock.now(), from };
    const id = await this.send(target, source);
    // The editor reads the written file again before the new template's tab replaces this one.
    this.targets.set(uri.toString(), target);
    return id;
  }

  private async send({ token, from }: SaveAsTarget, source: string): Promise<number> {
    const { documents, creation } = this.deps.templateStores;
    if (from !== undefined) {
      await creation.inherit(documents.account().key, token, templateOwner(from), parseDocument(source));
    }
    return creation.saveDraft(token, source);
  }
}

function nameOf(uri: vscode.Uri): string {
  return (uri.path.split('/').at(-1) ?? '').replace(/\.json$/i, '');
}
