import * as vscode from 'vscode';
import { templateDocument, unsavedTemplate } from '../../editor/templateTabs';
import { momentText } from '../../editor/timeText';
import { tooltip } from '../../editor/tooltip';
import { JsonPlaces } from '../../model/documents/jsonPlaces';
import { serviceFields } from '../../model/templates/templateFields';
import { parseTemplateUri, templateUriParts } from '../../model/templates/templateUri';
import type { Services } from '../../services';
import { DisposableStore, type Disposable } from '../../util/disposable';
import type { TooltipLine } from '../../util/plainMarkdown';
import { registerConflicts } from './conflictCommands';
import { DocumentDiagnostics, rangeOf } from './documentDiagnostics';
import { DocumentFixes, toEdit } from './documentFixes';
import { DocumentLenses } from './documentLenses';
import { kindOf, openDocuments } from './openDocuments';
import { registerPreviews } from './previewCommands';
import { Previews } from './previews';
import { SaveFailures } from './saveFailures';
import { SaveQuestions } from './saveQuestions';
import { applySecretFix } from './secretFixes';
import { useSecret } from './secretUse';
import { TemplateFileSystem, type Renamed } from './templateFileSystem';

type Deps = Pick<
  Services,
  | 'accounts'
  | 'globalState'
  | 'keptSecrets'
  | 'templates'
  | 'templateStores'
  | 'templateFiles'
  | 'commands'
  | 'contextKeys'
  | 'clock'
  | 'log'
  | 'workspaceParts'
>;

const selector: vscode.DocumentSelector = [
  { scheme: 'gpurental' },
  { pattern: '**/*.gpu-template.json' },
  { pattern: '**/.vscode/gpu-rental.json' },
];

/** Registers templates as files, with checks, fixes, lenses and previews. */
export function register(deps: Deps): Disposable {
  const store = new DisposableStore();
  const previews = store.add(new Previews(() => deps.clock.now()));
  const failures = store.add(new SaveFailures());
  const questions = store.add(new SaveQuestions(deps));
  const files = store.add(new TemplateFileSystem(deps, previews, failures, questions));
  deps.templateFiles.setProvider(files);
  deps.templateStores.documents.setDirtyProbe((id) => unsavedTemplate(id) !== undefined);
  store.add(followEdits(deps));
  store.add(followList(deps));
  store.add(openCreated(files));
  store.add(followRenames(deps, files));
  const diagnostics = store.add(new DocumentDiagnostics(deps, failures));
  store.add(
    vscode.languages.registerCodeActionsProvider(
      selector,
      new DocumentFixes(diagnostics),
      DocumentFixes.metadata,
    ),
  );
  store.add(vscode.languages.registerCodeLensProvider(selector, store.add(new DocumentLenses(deps))));
  store.add(vscode.languages.registerHoverProvider({ scheme: 'gpurental' }, new DocumentHover(deps)));
  store.add(registerConflicts(deps));
  store.add(registerPreviews(deps, previews));
  store.add(
    deps.commands.register('gpuRental.template.fix', (request) =>
      applySecretFix({ ...deps, diagnostics }, request),
    ),
  );
  store.add(
    deps.commands.register('gpuRental.secret.useInTemplate', (target) =>
      useSecret({ ...deps, diagnostics }, target),
    ),
  );
  return store;
}

/** Keeps the base version of each edited document, and drops it when the edit ends. */
function followEdits(deps: Deps): Disposable {
  const store = new DisposableStore();
  const { documents } = deps.templateStores;
  const edited = new Set<number>();
  const resume = (id: number) => {
    edited.add(id);
    void documents.resume(id).catch((error: unknown) => {
      deps.log.warn(`An unsaved template could not be read again: ${String(error)}`);
    });
  };
  // An event may be about an old document of the template, whose tab is closed; the edit belongs to the present one.
  const follow = (changed: vscode.TextDocument) => {
    const kind = kindOf(changed);
    if (kind?.kind !== 'template' || !kind.isOwn) {
      return;
    }
    const document = templateDocument(kind.id);
    if (document) {
      documents.noteShown(kind.id, document.getText());
    }
    const change = document?.isDirty === true;
    if (change === edited.has(kind.id)) {
      return;
    }
    if (change) {
      edited.add(kind.id);
    } else {
      edited.delete(kind.id);
    }
    void (change ? documents.beginEdit(kind.id) : documents.settle(kind.id)).catch((error: unknown) => {
      deps.log.warn(`The base of a template could not be kept: ${String(error)}`);
    });
  };
  store.add(vscode.workspace.onDidChangeTextDocument(({ document }) => follow(document)));
  store.add(vscode.workspace.onDidSaveTextDocument(follow));
  store.add(vscode.workspace.onDidCloseTextDocument(follow));
  store.add(vscode.workspace.onDidCloseTextDocument((document) => forgetPublic(deps, document)));
  store.add(
    vscode.workspace.onDidOpenTextDocument((document) => {
      const kind = kindOf(document);
      if (kind?.kind !== 'template' || !kind.isOwn || templateDocument(kind.id) !== document) {
        return;
      }
      documents.noteShown(kind.id, document.getText());
      if (document.isDirty) {
        resume(kind.id);
      } else {
        void documents.settle(kind.id).catch((error: unknown) => {
          deps.log.warn(`A template could not be read again: ${String(error)}`);
        });
      }
    }),
  );
  const noteOpen = async (id: number, document: vscode.TextDocument) => {
    await documents.ready();
    await documents.open(id);
    documents.noteShown(id, document.getText());
  };
  // Documents of a restored window, or of a restarted extension host, exist before these listeners.
  for (const [document, kind] of openDocuments()) {
    if (kind.kind !== 'template' || !kind.isOwn || templateDocument(kind.id) !== document) {
      continue;
    }
    if (document.isDirty) {
      resume(kind.id);
    } else {
      void noteOpen(kind.id, document).catch((error: unknown) => {
        deps.log.warn(`An open template could not be read again: ${String(error)}`);
      });
    }
  }
  return store;
}

/** Drops a template of another user with its document, so that the next document shows its changes. */
function forgetPublic({ templateStores }: Deps, document: vscode.TextDocument): void {
  const kind = kindOf(document);
  if (kind?.kind === 'template' && !kind.isOwn && !templateDocument(kind.id)) {
    templateStores.documents.close(kind.id);
  }
}

/** Updates open documents from the list, which is read more often than single templates. */
function followList({ accounts, templates, templateStores, log }: Deps): Disposable {
  return templates.onDidChange((state) => {
    if (state.kind === 'ready' && accounts.active) {
      void templateStores.documents.noteListed(accounts.active, state.value).catch((error: unknown) => {
        log.warn(`Open templates could not follow the list: ${String(error)}`);
      });
    }
  });
}

/** The time (ms) that a busy editor may need to move unsaved text to the new name of its file. */
const moveMs = 60_000;

/** Puts the new name into unsaved text after a rename, because saving the old text would undo the rename. */
function followRenames({ clock }: Deps, files: TemplateFileSystem): Disposable {
  const store = new DisposableStore();
  const renamed = new Map<number, Renamed & { readonly at: number }>();
  const follow = (document: vscode.TextDocument) => {
    const kind = kindOf(document);
    const names = kind?.kind === 'template' && kind.isOwn ? renamed.get(kind.id) : undefined;
    if (!names || !document.isDirty || parseTemplateUri(document.uri)?.name !== names.to) {
      return;
    }
    renamed.delete(names.id);
    const places = new JsonPlaces(document.getText());
    if (places.value(['name']) === names.from && clock.elapsed() - names.at < moveMs) {
      void vscode.workspace.applyEdit(toEdit(document, places.set('name', names.to)));
    }
  };
  store.add(files.onDidRename((names) => renamed.set(names.id, { ...names, at: clock.elapsed() })));
  // The editor first opens the saved file, then puts the unsaved text into it.
  store.add(vscode.workspace.onDidOpenTextDocument(follow));
  store.add(vscode.workspace.onDidChangeTextDocument(({ document }) => follow(document)));
  return store;
}

/** Replaces the tab of a saved draft with the document of the template. */
function openCreated(files: TemplateFileSystem): Disposable {
  const created = new Map<string, number>();
  const store = new DisposableStore();
  store.add(files.onDidCreate(({ from, id }) => created.set(from.toString(), id)));
  store.add(
    vscode.workspace.onDidSaveTextDocument((document) => {
      const key = document.uri.toString();
      const id = created.get(key);
      if (id === undefined) {
        return;
      }
      created.delete(key);
      const name = nameOfCreated(document);
      const viewColumn = tabOf(key)?.group.viewColumn;
      void vscode.window
        .showTextDocument(vscode.Uri.from(templateUriParts({ kind: 'own', id, name })), {
          preview: false,
          ...(viewColumn === undefined ? {} : { viewColumn }),
        })
        .then(() => store.add(closeTab(key)));
    }),
  );
  return store;
}

/** Returns the name of a created template: from the text of a draft, or from the file name of *Save As*. */
function nameOfCreated(document: vscode.TextDocument): string {
  const read = parseTemplateUri(document.uri);
  const written: unknown =
    read?.kind === 'draft' ? new JsonPlaces(document.getText()).value(['name']) : undefined;
  return typeof written === 'string' ? written : (read?.name ?? '');
}

function tabOf(key: string): vscode.Tab | undefined {
  return vscode.window.tabGroups.all
    .flatMap((group) => group.tabs)
    .find(({ input }) => input instanceof vscode.TabInputText && input.uri.toString() === key);
}

/** Closes a tab, even one that opens later: *Save As* shows its target as its last step. */
function closeTab(key: string): Disposable {
  const tab = tabOf(key);
  if (tab) {
    void vscode.window.tabGroups.close(tab);
    return { dispose: () => undefined };
  }
  const subscription = vscode.window.tabGroups.onDidChangeTabs(() => {
    const opened = tabOf(key);
    if (opened) {
      subscription.dispose();
      void vscode.window.tabGroups.close(opened);
    }
  });
  return subscription;
}

type DocumentHoverDeps = Pick<Services, 'clock' | 'templateStores'>;

const times = new Set(['created_at', 'updated_at', 'recent_create_date']);

/** Shows read-only facts of the service about a template when the pointer rests on its name. */
class DocumentHover implements vscode.HoverProvider {
  constructor(private readonly deps: DocumentHoverDeps) {}

  provideHover(document: vscode.TextDocument, position: vscode.Position): vscode.Hover | undefined {
    const kind = kindOf(document);
    const known = kind?.kind === 'template' ? this.deps.templateStores.documents.peek(kind.id) : undefined;
    const span = new JsonPlaces(document.getText()).span(['name'], true);
    if (!known || !span || !rangeOf(document, span).contains(position)) {
      return undefined;
    }
    const lines = [...serviceFields].map((name): TooltipLine => {
      const value = name === 'hash_id' ? known.hashId : known.raw[name];
      const isKnown = value !== undefined && value !== null && value !== 0;
      return [
        name,
        isKnown ? (times.has(name) ? timeText(value, this.deps.clock.now()) : scalarText(value)) : undefined,
      ];
    });
    return new vscode.Hover(tooltip(lines), rangeOf(document, span));
  }
}

function timeText(value: unknown, now: number): string {
  return typeof value === 'number' ? momentText(value * 1000, now) : scalarText(value);
}

function scalarText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
