import * as vscode from 'vscode';
import { localize } from '../../editor/localize';
import { isShown, urisOfTab } from '../../editor/templateTabs';
import type { Finding, Severity } from '../../model/documents/finding';
import { JsonPlaces, type TextChange } from '../../model/documents/jsonPlaces';
import { withTheirs, type Conflict } from '../../model/templates/templateConflict';
import { findTemplateProblems } from '../../model/templates/templateDiagnostics';
import { isPlainObject, sameJson } from '../../model/templates/templateDocument';
import { findWorkspaceProblems } from '../../model/workspace/workspaceDiagnostics';
import type { Services } from '../../services';
import { watchAccounts } from '../../shared/followAccount';
import { DisposableStore, type Disposable } from '../../util/disposable';
import { text } from '../../util/text';
import { accountKeyOf, type DocumentKind, kindOf, openDocuments, ownerOf } from './openDocuments';
import type { SaveFailures } from './saveFailures';

type Deps = Pick<Services, 'accounts' | 'templateStores' | 'clock' | 'log' | 'workspaceParts'>;

/** Long enough to avoid flicker while the user types, short enough to feel immediate (ms). */
const delayMs = 150;

const severities: Readonly<Record<Severity, vscode.DiagnosticSeverity>> = {
  error: vscode.DiagnosticSeverity.Error,
  warning: vscode.DiagnosticSeverity.Warning,
  information: vscode.DiagnosticSeverity.Information,
  hint: vscode.DiagnosticSeverity.Hint,
};

interface Checked {
  readonly version: number;
  readonly findings: readonly Finding[];
  readonly enteredHere: ReadonlySet<string> | undefined;
}

/** Shows the findings in open documents, and keeps them for the quick fixes. */
export class DocumentDiagnostics implements vscode.Disposable {
  private readonly store = new DisposableStore();
  private readonly collection = vscode.languages.createDiagnosticCollection('gpuRental');
  private readonly checked = new Map<string, Checked>();
  private readonly waiting = new Map<string, Disposable>();
  /** The number of the last check of each document: of two under way, the older may end last. */
  private readonly turns = new Map<string, number>();
  private checks = 0;

  constructor(
    private readonly deps: Deps,
    private readonly failures: SaveFailures,
  ) {
    this.store.add(this.collection);
    this.store.add(vscode.workspace.onDidOpenTextDocument((document) => this.schedule(document, 0)));
    this.store.add(
      vscode.workspace.onDidChangeTextDocument(({ document }) => this.schedule(document, delayMs)),
    );
    this.store.add(vscode.workspace.onDidCloseTextDocument(({ uri }) => this.forget(uri)));
    // The editor keeps a document for some minutes after its last tab closed.
    this.store.add(
      vscode.window.tabGroups.onDidChangeTabs(({ opened, closed }) => {
        for (const uri of closed.flatMap(urisOfTab)) {
          if (!isShown(uri)) {
            this.forget(uri);
          }
        }
        if (opened.length > 0) {
          this.all();
        }
      }),
    );
    this.store.add(failures.onDidChange(() => this.all()));
    this.store.add(deps.workspaceParts.onDidChange(() => this.all()));
    this.store.add(watchAccounts(deps.accounts, () => this.all()));
    this.store.add(deps.templateStores.documents.onDidNotice(() => this.all()));
    this.all();
  }

  /** Returns the findings at a range, if they belong to the current text. */
  at(document: vscode.TextDocument, range: vscode.Range): readonly Finding[] {
    return this.current(document).filter((finding) => rangeOf(document, finding.span).intersection(range));
  }

  /** Checks every open document again. */
  all(): void {
    for (const [document] of openDocuments()) {
      this.schedule(document, 0);
    }
  }

  dispose(): void {
    for (const timer of this.waiting.values()) {
      timer.dispose();
    }
    this.store.dispose();
  }

  /** Returns no findings of an older text, because their fixes would change the wrong place. */
  private current(document: vscode.TextDocument): readonly Finding[] {
    const checked = this.checked.get(document.uri.toString());
    const kind = kindOf(document);
    return checked && kind && checked.version !== document.version
      ? this.find(document, kind, checked.enteredHere)
      : (checked?.findings ?? []);
  }

  private find(
    document: vscode.TextDocument,
    kind: DocumentKind,
    enteredHere: ReadonlySet<string> | undefined,
  ): readonly Finding[] {
    const source = document.getText();
    return kind.kind === 'workspaceFile'
      ? findWorkspaceProblems(source, this.deps.workspaceParts.all)
      : [...findTemplateProblems(source, enteredHere), ...this.notices(document, kind, source)];
  }

  private schedule(document: vscode.TextDocument, afterMs: number): void {
    const kind = kindOf(document);
    if (!kind) {
      return;
    }
    const key = document.uri.toString();
    this.waiting.get(key)?.dispose();
    this.waiting.set(
      key,
      this.deps.clock.schedule(() => {
        this.waiting.delete(key);
        void this.check(document, kind).catch((error: unknown) => {
          this.deps.log.error('A document could not be checked', error);
        });
      }, afterMs),
    );
  }

  private async check(document: vscode.TextDocument, kind: DocumentKind): Promise<void> {
    const key = document.uri.toString();
    const turn = (this.checks += 1);
    this.turns.set(key, turn);
    const enteredHere = await this.enteredHere(document.uri, kind).catch((error: unknown) => {
      // The other marks follow the text all the same.
      this.deps.log.error('The secrets of a document could not be looked up', error);
      return undefined;
    });
    if (this.turns.get(key) !== turn) {
      return;
    }
    // A hidden document is checked when a tab shows it again.
    if (document.isClosed || !isShown(document.uri)) {
      this.checked.delete(key);
      this.collection.delete(document.uri);
      return;
    }
    const findings = this.find(document, kind, enteredHere);
    this.checked.set(key, { version: document.version, findings, enteredHere });
    this.collection.set(
      document.uri,
      findings.map((finding) => {
        const diagnostic = new vscode.Diagnostic(
          rangeOf(document, finding.span),
          localize(finding.message),
          severities[finding.severity],
        );
        diagnostic.source = 'GPU Rental';
        diagnostic.code = finding.code;
        return diagnostic;
      }),
    );
  }

  /** Returns the findings about saving: a refusal, a conflict, or a document that can't be saved. */
  private notices(document: vscode.TextDocument, kind: DocumentKind, source: string): readonly Finding[] {
    const places = new JsonPlaces(source);
    const found: Finding[] = [];
    const failure = document.isDirty || kind.kind === 'draft' ? this.failures.get(document.uri) : undefined;
    // The loop below marks an open conflict place by place.
    if (failure && !failure.isConflict && sameJson(places.value(failure.path), failure.refused)) {
      found.push({
        code: 'notSaved',
        severity: 'error',
        span: places.nearest(failure.path),
        message: failure.message,
        fixes:
          // The finding about the value of a variable already offers this fix.
          failure.reference === undefined || failure.path[0] === 'env'
            ? []
            : [
                {
                  title: text('Enter the Value…'),
                  action: { kind: 'enterSecret', reference: failure.reference },
                },
              ],
      });
    }
    if (kind.kind !== 'template') {
      return found;
    }
    const { documents } = this.deps.templateStores;
    const known = documents.peek(kind.id);
    for (const conflict of documents.conflict(kind.id)?.conflicts ?? []) {
      if (sameJson(places.value(conflict.path), conflict.theirs)) {
        continue;
      }
      found.push({
        code: 'conflict',
        severity: 'error',
        span: places.nearest(conflict.path),
        message: text('Also changed elsewhere. The other value is: {0}', shortJson(conflict.theirs)),
        fixes: [
          {
            title: text('Take Theirs Here'),
            action: { kind: 'edit', changes: acceptTheirsAt(places, conflict) },
          },
        ],
      });
    }
    const reason = kind.isOwn && known ? documents.readOnlyReason(known) : undefined;
    if (reason) {
      found.push({
        code: 'readOnly',
        severity: 'information',
        span: places.nearest([]),
        message: reason.text,
        fixes: [],
      });
    }
    return found;
  }

  private async enteredHere(uri: vscode.Uri, kind: DocumentKind): Promise<ReadonlySet<string> | undefined> {
    const key = accountKeyOf(this.deps, kind);
    return key === undefined ? undefined : this.deps.templateStores.secrets.names(key, ownerOf(uri, kind));
  }

  private forget(uri: vscode.Uri): void {
    const key = uri.toString();
    this.waiting.get(key)?.dispose();
    this.waiting.delete(key);
    this.turns.delete(key);
    this.checked.delete(key);
    this.collection.delete(uri);
    this.failures.clear(uri);
  }
}

export function rangeOf(
  document: vscode.TextDocument,
  span: { readonly offset: number; readonly length: number },
): vscode.Range {
  return new vscode.Range(document.positionAt(span.offset), document.positionAt(span.offset + span.length));
}

/** Returns the changes that put the other version into the disputed place. */
function acceptTheirsAt(places: JsonPlaces, conflict: Conflict): readonly TextChange[] {
  const [field = ''] = conflict.path;
  const mine = places.value([]);
  const theirs = isPlainObject(mine) ? withTheirs(mine, conflict)[field] : undefined;
  return theirs === undefined ? places.remove([field]) : places.set(field, theirs);
}

function shortJson(value: unknown): string {
  const written = value === undefined ? '–' : JSON.stringify(value);
  return written.length > 120 ? `${written.slice(0, 120)}…` : written;
}
