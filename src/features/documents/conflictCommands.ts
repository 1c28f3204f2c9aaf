import * as vscode from 'vscode';
import type { TemplateTarget } from '../../commandArguments';
import { commandAction } from '../../editor/commands';
import { t } from '../../editor/localize';
import { message } from '../../editor/message';
import { parseTemplateUri, templateIdOf, templateUriParts } from '../../model/templates/templateUri';
import type { Services } from '../../services';
import { DisposableStore, type Disposable } from '../../util/disposable';
import { templateName } from '../../model/templates/templateName';
import { JsonPlaces } from '../../model/documents/jsonPlaces';
import { rangeOf } from './documentDiagnostics';
import { openOwnDocument, replaceText } from './openDocuments';

type Deps = Pick<Services, 'templateStores' | 'commands' | 'contextKeys' | 'log'>;

/** A template that was changed on both sides: shows the two, and does what the user chooses. */
export function registerConflicts(deps: Deps): Disposable {
  const store = new DisposableStore();
  const { documents } = deps.templateStores;
  const { commands } = deps;
  /** The states of theirs that the user was asked about. */
  const asked = new Set<string>();
  store.add(
    documents.onDidNotice((id) => {
      showKey(deps);
      const conflict = documents.conflict(id);
      if (conflict && !asked.has(conflict.theirs.hashId)) {
        asked.add(conflict.theirs.hashId);
        void ask(deps, id).catch((error: unknown) => {
          deps.log.error('A conflict could not be shown', error);
        });
      }
    }),
  );
  store.add(vscode.window.onDidChangeActiveTextEditor(() => showKey(deps)));
  store.add(commands.register('gpuRental.template.compare', (target) => compare(deps, idOf(target))));
  store.add(commands.register('gpuRental.template.useMine', (target) => useMine(deps, idOf(target))));
  store.add(commands.register('gpuRental.template.useTheirs', (target) => useTheirs(deps, idOf(target))));
  store.add(commands.register('gpuRental.template.merge', (target) => merge(deps, idOf(target))));
  showKey(deps);
  return store;
}

/** From a lens, a menu of the editor's title, or the active editor. */
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

async function ask(deps: Deps, id: number): Promise<void> {
  const document = openOwnDocument(id);
  if (!document) {
    return;
  }
  await compare(deps, id);
  const target = { templateId: id };
  message(
    'warning',
    t(
      'The template {0} was changed elsewhere, in the same places as here. Nothing was overwritten. What should it become?',
      templateName({ id, name: deps.templateStores.documents.peek(id)?.name }),
    ),
    commandAction(t('Use Mine'), 'gpuRental.template.useMine', target),
    commandAction(t('Use Theirs'), 'gpuRental.template.useTheirs', target),
    commandAction(t('Merge'), 'gpuRental.template.merge', target),
  );
}

async function compare(deps: Deps, id: number | undefined): Promise<void> {
  const document = id === undefined ? undefined : openOwnDocument(id);
  if (id === undefined || !document) {
    return;
  }
  const name = deps.templateStores.documents.peek(id)?.name ?? '';
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
  const document = id === undefined ? undefined : openOwnDocument(id);
  const content = id === undefined ? undefined : deps.templateStores.documents.useTheirs(id);
  if (id !== undefined && document && content !== undefined) {
    // An edit and not a revert, so that mine can be had back by undoing.
    await replaceText(document, content);
    await save(id);
  }
}

async function merge(deps: Deps, id: number | undefined): Promise<void> {
  const document = id === undefined ? undefined : openOwnDocument(id);
  if (id === undefined || !document) {
    return;
  }
  const conflicts = deps.templateStores.documents.conflict(id)?.conflicts ?? [];
  const kept = conflicts.map(({ path }) => path.join('.'));
  const content = deps.templateStores.documents.merge(id);
  if (content === undefined) {
    return;
  }
  await replaceText(document, content);
  const place = rangeOf(document, new JsonPlaces(content).nearest(conflicts[0]?.path ?? []));
  await vscode.window.showTextDocument(document, { preview: false, selection: place });
  message(
    'info',
    t(
      'Merged. Where both sides had changed something, yours was kept: {0}. Check it and save.',
      kept.join(', '),
    ),
  );
}

async function save(id: number): Promise<void> {
  await openOwnDocument(id)?.save();
}
