import type * as vscode from 'vscode';
import { FakeDisposable, resolved } from './events';
import type { FakeTextDocument } from './textDocument';
import type { FakeDiagnostic, FakePosition, FakeRange } from './values';

interface Registered<T> {
  readonly selector: vscode.DocumentSelector;
  readonly provider: T;
}

const token = {
  isCancellationRequested: false,
  onCancellationRequested: () => new FakeDisposable(undefined),
};

interface KnownLenses {
  readonly version: number;
  readonly lenses: readonly vscode.CodeLens[];
}

/** Fixes, hovers and findings, asked for when a test looks; lenses once for a text, and again when their provider says so. */
export class LanguageFeatures {
  private readonly lenses = new Set<Registered<vscode.CodeLensProvider>>();
  private readonly actions = new Set<Registered<vscode.CodeActionProvider>>();
  private readonly hovers = new Set<Registered<vscode.HoverProvider>>();
  private readonly knownLenses = new Map<vscode.CodeLensProvider, WeakMap<FakeTextDocument, KnownLenses>>();
  private readonly findings = new Map<string, Map<string, readonly FakeDiagnostic[]>>();

  registerLenses(selector: vscode.DocumentSelector, provider: vscode.CodeLensProvider) {
    this.knownLenses.set(provider, new WeakMap());
    const following = provider.onDidChangeCodeLenses?.(() => this.knownLenses.set(provider, new WeakMap()));
    const registered = register(this.lenses, { selector, provider });
    return new FakeDisposable(() => {
      following?.dispose();
      this.knownLenses.delete(provider);
      registered.dispose();
    });
  }

  registerActions(selector: vscode.DocumentSelector, provider: vscode.CodeActionProvider) {
    return register(this.actions, { selector, provider });
  }

  registerHovers(selector: vscode.DocumentSelector, provider: vscode.HoverProvider) {
    return register(this.hovers, { selector, provider });
  }

  createDiagnosticCollection(name = ''): Partial<vscode.DiagnosticCollection> {
    const own = new Map<string, readonly FakeDiagnostic[]>();
    this.findings.set(name, own);
    return {
      name,
      set: (uri: unknown, found?: unknown) => {
        own.set(String(uri), (found ?? []) as readonly FakeDiagnostic[]);
      },
      delete: (uri) => void own.delete(uri.toString()),
      clear: () => {
        own.clear();
      },
      has: (uri) => own.has(uri.toString()),
      get: (uri) => own.get(uri.toString()),
      dispose: () => void this.findings.delete(name),
    };
  }

  diagnosticsOf(uri: vscode.Uri): readonly FakeDiagnostic[] {
    return [...this.findings.values()].flatMap((own) => own.get(uri.toString()) ?? []);
  }

  async lensesOf(document: FakeTextDocument): Promise<vscode.CodeLens[]> {
    const found = await Promise.all(
      matching(this.lenses, document).map((one) => this.lensesBy(one, document)),
    );
    return found.flat();
  }

  private async lensesBy(
    provider: vscode.CodeLensProvider,
    document: FakeTextDocument,
  ): Promise<readonly vscode.CodeLens[]> {
    const known = this.knownLenses.get(provider);
    const before = known?.get(document);
    const { version } = document;
    if (before?.version === version) {
      return before.lenses;
    }
    const lenses = (await resolved(provider.provideCodeLenses(asReal(document), token))) ?? [];
    known?.set(document, { version, lenses });
    return lenses;
  }

  /** What the light bulb offers at a place. */
  async actionsAt(document: FakeTextDocument, range: FakeRange): Promise<vscode.CodeAction[]> {
    const diagnostics = this.diagnosticsOf(document.uri).filter(
      (found) => (found.range as FakeRange).intersection(range) !== undefined,
    );
    const context = { diagnostics, only: undefined, triggerKind: 1 } as unknown as vscode.CodeActionContext;
    const found = await Promise.all(
      matching(this.actions, document).map((one) =>
        resolved(one.provideCodeActions(asReal(document), range as unknown as vscode.Range, context, token)),
      ),
    );
    return found.flatMap((actions) => (actions ?? []) as vscode.CodeAction[]);
  }

  async hoverAt(document: FakeTextDocument, position: FakePosition): Promise<string> {
    const found = await Promise.all(
      matching(this.hovers, document).map((one) =>
        resolved(one.provideHover(asReal(document), position as unknown as vscode.Position, token)),
      ),
    );
    return found
      .flatMap((hover) => (hover ? (Array.isArray(hover.contents) ? hover.contents : [hover.contents]) : []))
      .map((content) => (typeof content === 'string' ? content : (content as { value: string }).value))
      .join('\n');
  }
}

function register<T>(all: Set<T>, one: T): FakeDisposable {
  all.add(one);
  return new FakeDisposable(() => all.delete(one));
}

function matching<T>(all: Set<Registered<T>>, document: FakeTextDocument): T[] {
  return [...all].filter(({ selector }) => selects(selector, document)).map(({ provider }) => provider);
}

/** A document fits where each part that a filter names fits; `*` and `**` in patterns mean any text. */
export function selects(selector: vscode.DocumentSelector, document: FakeTextDocument): boolean {
  if (Array.isArray(selector)) {
    return (selector as readonly vscode.DocumentFilter[]).some((one) => selects(one, document));
  }
  if (typeof selector === 'string') {
    return selector === '*' || selector === document.languageId;
  }
  const { language, scheme, pattern } = selector as vscode.DocumentFilter;
  if (language !== undefined && language !== document.languageId) {
    return false;
  }
  if (scheme !== undefined && scheme !== document.uri.scheme) {
    return false;
  }
  if (pattern === undefined) {
    return true;
  }
  const text = typeof pattern === 'string' ? pattern : pattern.pattern;
  const source = text.replace(/\*\*\/|\*+|[.+?^${}()|[\]\\]/g, (part) =>
    part === '**/' ? '(?:.*/)?' : part === '**' ? '.*' : part === '*' ? '[^/]*' : `\\${part}`,
  );
  return new RegExp(`^${source}$`).test(document.uri.path);
}

function asReal(document: FakeTextDocument): vscode.TextDocument {
  return document as unknown as vscode.TextDocument;
}
