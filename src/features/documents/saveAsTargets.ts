import type * as vscode from 'vscode';
import { readTemplateUri } from '../../editor/templateUris';
import { JsonPlaces, applyChanges } from '../../model/documents/jsonPlaces';
import { fileNameOf } from '../../model/templates/templateUri';
import type { Services } from '../../services';

type Deps = Pick<Services, 'templateDesk' | 'clock'>;

/**
 * *Save As* to another name among the templates makes another template. The editor first makes an empty file,
 * looks at it, and then writes the text; nothing is sent before that.
 */
export class SaveAsTargets {
  private readonly targets = new Map<string, { readonly token: string; readonly mtime: number }>();

  constructor(private readonly deps: Deps) {}

  /** What a file that *Save As* made stands for; `undefined` for all other files. */
  get(uri: vscode.Uri): { readonly token: string; readonly mtime: number } | undefined {
    return this.targets.get(uri.toString());
  }

  /** Takes an empty file under a name that leads to no template yet; false for any other file. */
  begin(uri: vscode.Uri, shownName: (id: number) => string | undefined): boolean {
    const read = readTemplateUri(uri);
    const shown = read?.kind === 'own' ? shownName(read.id) : undefined;
    const isFree =
      read?.kind === 'own'
        ? shown !== undefined && fileNameOf(shown) !== read.name
        : uri.authority === 'templates' && /^\/[^/]+\.json$/i.test(uri.path);
    if (isFree) {
      const token = this.deps.templateDesk.creation.newToken();
      this.targets.set(uri.toString(), { token, mtime: this.deps.clock.now() });
    }
    return isFree;
  }

  /** Creates the template, named like its file, and gives its id. */
  async create(uri: vscode.Uri, token: string, source: string): Promise<number> {
    const named = applyChanges(source, new JsonPlaces(source).set('name', nameOf(uri)));
    return this.deps.templateDesk.creation.saveDraft(token, named);
  }
}

function nameOf(uri: vscode.Uri): string {
  return (uri.path.split('/').at(-1) ?? '').replace(/\.json$/i, '');
}
