import * as vscode from 'vscode';
import type { TemplateTarget } from '../../commandSpecs';
import { t } from '../../editor/localize';
import { message } from '../../editor/message';
import { templateDocument } from '../../editor/templateTabs';
import { JsonPlaces } from '../../model/documents/jsonPlaces';
import { parseTemplateUri, templateIdOf, templateUriParts } from '../../model/templates/templateUri';
import type { Services } from '../../services';
import { DisposableStore, type Disposable } from '../../util/disposable';
import { plainLabel } from '../../util/plainLabel';
import { rangeOf } from './documentDiagnostics';
import { replaceText } from './openDocuments';

type Deps = Pick<Services, 'templateStores' | 'commands' | 'contextKeys'>;

/** Registers the commands that resolve a template conflict; lenses and the editor title offer them. */
export function registerConflicts(deps: Deps): Disposable {
  const store = new DisposableStore();
  const { documents } = deps.templateStores;
  const { commands } = deps;
  store.add(documents.onDidNotice(() => showKey(deps)));
  store.add(vscode.window.onDidChangeActiveTextEditor(() => showKey(deps)));
  store.add(
    commands.register('gpuRental.template.compare', (target) => compareWithTheirs(deps, idOf(target))),
  );
  store.add(commands.register('gpuRental.template.useMine', (target) => useMine(deps, idOf(target))));
  store.add(commands.register('gpuRental.template.useTheirs', (target) => useTheirs(deps, idOf(target))));
  store.add(commands.register('gpuRental.template.merge', (target) => merge(deps, idOf(target))));
  showKey(deps);
  return store;
}

/** Returns the template of a lens, of a menu in the editor title, or of the active editor. */
function idOf(target: TemplateTarget | undefined): number | undefined {
  const active = vscode.window.activeTextEditor?.document.uri;
  return target?.templateId ?? (active && templateIdOf(active));
}

function showKey({ templateStores, contextKeys }: Deps): void {
  const uri = vscode.window.activeTextEditor?.document.uri;
  const read = uri && parseTemplateUri(uri);
  const id = read && 'id' in read ? read.id : undefined;
  contextKeys.set(
    'gpuRental.templateConflict',
    id !== undefined && templateStores.documents.conflict(id) !== undefined,
  );
}

/** Shows both versions side by side. */
export async function compareWithTheirs(
  { templateStores }: Pick<Deps, 'templateStores'>,
  id: number | undefined,
): Promise<void> {
  const document = id === undefined ? undefined : templateDocument(id);
  if (id === undefined || !document) {
    return;
  }
  const name = templateStores.documents.peek(id)?.name ?? '';
  await vscode.commands.executeCommand(
    'vscode.diff',
    vscode.Uri.from(templateUriParts({ kind: 'theirs', id, name })),
    document.uri,
    t('{0}: theirs ↔ mine', name),
    { preview: true } satisfies vscode.TextDocumentShowOptions,
  );
}

async function useMine(deps: Deps, id: number | undefined): Promise<void> {
  if (id !== undefined) {
    deps.templateStores.documents.useMine(id);
    await save(id);
  }
}

async function useTheirs(deps: Deps, id: number | undefined): Promise<void> {
  const document = id === undefined ? undefined : templateDocument(id);
  const { documents } = deps.templateStores;
  const theirs = id === undefined ? undefined : documents.conflict(id)?.theirs;
  if (id !== undefined && document && theirs) {
    // An edit instead of a revert, so that the user can undo it and get the own version back.
    await replaceText(document, theirs.text);
    // Only then: if the editor refuses, a save must not undo their version.
    documents.useTheirs(id);
    await save(id);
  }
}

async function merge(deps: Deps, id: number | undefined): Promise<void> {
  const kept = id === undefined ? undefined : await showMerged(deps, id);
  if (kept) {
    message(
      'info',
      kept.length === 0
        ? t('The two versions are merged here and not saved yet. Check the text and save.')
        : t(
            'The two versions are merged here and not saved yet. Your version was kept in: {0}. Check the text and save.',
            kept.join(', '),
          ),
    );
  }
}

/**
 * Puts the merged text into the document without saving it. Returns the places where the user's version was kept;
 * `undefined` if there was nothing to merge.
 */
async function showMerged(
  { templateStores }: Pick<Deps, 'templateStores'>,
  id: number,
): Promise<readonly string[] | undefined> {
  const document = templateDocument(id);
  const merged = document && templateStores.documents.merge(id, document.getText());
  if (!document || !merged) {
    return undefined;
  }
  await replaceText(document, merged.text);
  templateStores.documents.useTheirs(id);
  const place = rangeOf(document, new JsonPlaces(merged.text).nearest(merged.conflicts[0]?.path ?? []));
  await vscode.window.showTextDocument(document, { preview: false, selection: place });
  return merged.conflicts.map(({ path }) => plainLabel(path.join('.')));
}

async function save(id: number): Promise<void> {
  await templateDocument(id)?.save();
}
