import path from 'node:path';
import type * as vscode from 'vscode';
import { DocumentFiles } from './documentFiles';
import { FakeDisposable, FakeEventEmitter } from './events';
import type { Messages } from './messages';
import { FakeTextDocument, withChanges } from './textDocument';
import { FakeRange, FakeSelection, FakeTabInputText, FakeUri, type FakeWorkspaceEdit } from './values';

interface FakeTextEditor {
  readonly document: FakeTextDocument;
  selection: FakeSelection;
  selections: FakeSelection[];
  visibleRanges: FakeRange[];
  options: object;
  viewColumn: number;
  revealRange(range: FakeRange): void;
}

interface FakeTab {
  readonly label: string;
  readonly input: FakeTabInputText;
  readonly isDirty: boolean;
  readonly group: { readonly viewColumn: number };
}

/** Documents, their editors and tabs, and where their text comes from and goes to. */
export class Documents {
  readonly all: FakeTextDocument[] = [];
  /** Every document that was shown, in that order. */
  readonly shown: FakeTextDocument[] = [];
  readonly files = new DocumentFiles();
  readonly opened = new FakeEventEmitter<FakeTextDocument>();
  readonly closed = new FakeEventEmitter<FakeTextDocument>();
  readonly changed = new FakeEventEmitter<unknown>();
  readonly willSave = new FakeEventEmitter<unknown>();
  readonly saved = new FakeEventEmitter<FakeTextDocument>();
  readonly activeChanged = new FakeEventEmitter<FakeTextEditor | undefined>();
  readonly visibleChanged = new FakeEventEmitter<readonly FakeTextEditor[]>();
  readonly tabsChanged = new FakeEventEmitter<unknown>();
  active: FakeTextEditor | undefined;
  private tabs: FakeTab[] = [];
  private untitled = 0;
  /** The time of the file, in ms, that the text of a document is of. */
  private readonly times = new WeakMap<FakeTextDocument, number>();

  constructor(private readonly messages: Messages) {}

  get tabGroups() {
    const { tabs } = this;
    return {
      all: [{ tabs, isActive: true, viewColumn: 1 }],
      onDidChangeTabs: this.tabsChanged.event,
      close: async (which: FakeTab | readonly FakeTab[]) => {
        const gone = Array.isArray(which) ? (which as readonly FakeTab[]) : [which as FakeTab];
        for (const tab of gone) {
          this.closeTabs(tab.input.uri);
        }
        return Promise.resolve(true);
      },
    };
  }

  byUri(uri: vscode.Uri): FakeTextDocument | undefined {
    return this.all.find((document) => document.uri.toString() === uri.toString());
  }

  async open(what: unknown): Promise<FakeTextDocument> {
    if (typeof what === 'string') {
      return this.openUri(FakeUri.file(what));
    }
    if (FakeUri.isUri(what)) {
      return this.openUri(what);
    }
    const { content = '', language = 'plaintext' } = (what ?? {}) as { content?: string; language?: string };
    this.untitled += 1;
    return this.add(
      FakeUri.from({ scheme: 'untitled', path: `Untitled-${this.untitled}` }),
      content,
      language,
    );
  }

  async openUri(uri: vscode.Uri): Promise<FakeTextDocument> {
    const content = async () => {
      try {
        return { time: await this.files.timeOf(uri), text: await this.files.read(uri) };
      } catch (error) {
        // The editor's error names no code.
        throw new Error(`cannot open ${uri.toString()}. Detail: ${String(error)}`);
      }
    };
    const known = this.byUri(uri);
    if (known) {
      return known;
    }
    if (uri.scheme === 'untitled') {
      return this.add(uri, '', languageOf(uri));
    }
    const { time, text } = await content();
    const document = this.add(uri, text, languageOf(uri));
    this.noteTime(document, time);
    return document;
  }

  /** The editor keeps the latest time that it was told. */
  private noteTime(document: FakeTextDocument, time: number): void {
    this.times.set(document, Math.max(time, this.times.get(document) ?? 0));
  }

  /** A document from before the extension was loaded, as after its host was started again. */
  keep(what: string | vscode.Uri, text: string): FakeTextDocument {
    const uri = typeof what === 'string' ? FakeUri.file(what) : what;
    return this.add(uri, text, languageOf(uri));
  }

  private add(uri: vscode.Uri, text: string, language: string): FakeTextDocument {
    const known = this.byUri(uri);
    if (known) {
      return known;
    }
    const document = new FakeTextDocument(uri, text, language, (own) => this.save(own));
    this.all.push(document);
    this.opened.fire(document);
    return document;
  }

  async show(what: unknown, options: { readonly selection?: FakeRange } = {}): Promise<FakeTextEditor> {
    const document = what instanceof FakeTextDocument ? what : await this.openUri(what as vscode.Uri);
    const { start, end } = options.selection ?? new FakeRange(0, 0, 0, 0);
    const selection = new FakeSelection(start, end);
    const editor: FakeTextEditor = {
      document,
      selection,
      selections: [selection],
      visibleRanges: [new FakeRange(0, 0, document.lineCount, 0)],
      options: {},
      viewColumn: 1,
      revealRange: (range) => {
        editor.visibleRanges = [range];
      },
    };
    this.shown.push(document);
    const tab = {
      label: path.posix.basename(document.uri.path),
      input: new FakeTabInputText(document.uri),
      isDirty: false,
      group: { viewColumn: 1 },
    };
    this.tabs = [...this.tabs.filter((other) => other.input.uri.toString() !== document.uri.toString()), tab];
    this.activate(editor);
    this.tabsChanged.fire({ opened: [tab], closed: [], changed: [] });
    return editor;
  }

  /** Both sides of a comparison are documents; the right one is in front. */
  async showDiff(left: unknown, right: unknown): Promise<void> {
    this.shown.push(await this.open(left));
    await this.show(right);
  }

  private activate(editor: FakeTextEditor | undefined): void {
    this.active = editor;
    this.activeChanged.fire(editor);
    this.visibleChanged.fire(editor ? [editor] : []);
  }

  close(document: FakeTextDocument | undefined): void {
    if (!document || document.isClosed) {
      return;
    }
    this.all.splice(this.all.indexOf(document), 1);
    document.isClosed = true;
    this.closeTabs(document.uri);
    this.closed.fire(document);
  }

  /** The editor keeps a document for some minutes after its last tab was closed. */
  closeTabs(uri: vscode.Uri): void {
    const gone = this.tabs.filter((tab) => tab.input.uri.toString() === uri.toString());
    this.tabs = this.tabs.filter((tab) => !gone.includes(tab));
    if (this.active?.document.uri.toString() === uri.toString()) {
      this.activate(undefined);
    }
    this.tabsChanged.fire({ opened: [], closed: gone, changed: [] });
  }

  /** As if a user made the whole text this one. */
  edit(document: FakeTextDocument, text: string): void {
    this.change(document, text);
    this.setDirty(document, true);
  }

  /** The editor tells this after the change itself, as a change of no text. */
  private setDirty(document: FakeTextDocument, isDirty: boolean): void {
    if (document.isDirty === isDirty) {
      return;
    }
    document.isDirty = isDirty;
    this.changed.fire({ document, contentChanges: [], reason: undefined });
  }

  private change(document: FakeTextDocument, text: string): void {
    const range = new FakeRange(document.positionAt(0), document.positionAt(document.getText().length));
    const rangeLength = document.getText().length;
    document.setText(text);
    this.changed.fire({
      document,
      contentChanges: [{ range, rangeOffset: 0, rangeLength, text }],
      reason: undefined,
    });
  }

  async apply(edit: FakeWorkspaceEdit): Promise<boolean> {
    for (const key of new Set(edit.changes.map(({ uri }) => uri.toString()))) {
      const document = await this.openUri(FakeUri.parse(key));
      const changes = edit.changes.filter(({ uri }) => uri.toString() === key);
      this.edit(document, withChanges(document, changes));
    }
    return true;
  }

  /** *Save* of the editor, which also writes what has not changed. */
  async saveActive(): Promise<void> {
    if (this.active) {
      await this.save(this.active.document, true);
    }
  }

  /** *Save As* of the document in front: a new file is made empty first, and its document takes the place. */
  async saveAs(uri: vscode.Uri): Promise<void> {
    const document = this.active?.document;
    if (!document) {
      return;
    }
    if (uri.toString() === document.uri.toString()) {
      await this.save(document, true);
      return;
    }
    const isThere = await this.files.timeOf(uri).then(
      () => true,
      () => false,
    );
    if (!isThere) {
      await this.files.write(uri, new Uint8Array());
    }
    const target = await this.openUri(uri);
    this.edit(target, document.getText());
    if (await this.save(target)) {
      this.setDirty(document, false);
      await this.show(target);
      this.close(document);
    }
  }

  /** The editor shows what a refused save says, and the text stays unsaved. */
  private async save(document: FakeTextDocument, isForced = false, reason = 1): Promise<boolean> {
    if (!document.isDirty && !isForced) {
      return true;
    }
    // The editor asks for a file, which has no answer here.
    if (document.isUntitled) {
      return false;
    }
    this.willSave.fire({ document, reason, waitUntil: () => undefined });
    const name = path.posix.basename(document.uri.path);
    const { version } = document;
    try {
      // What another has written since is not written over; a file that is gone is written again.
      const time = await this.files.timeOf(document.uri).catch(() => 0);
      if (time > (this.times.get(document) ?? time)) {
        const asked = `Failed to save '${name}': The content of the file is newer.`;
        void this.messages.show('error', asked, ['Compare', 'Overwrite']);
        return false;
      }
      const bytes = new TextEncoder().encode(document.getText());
      await this.files.write(document.uri, bytes).catch((error: unknown) => {
        throw new Error(`Unable to write file '${document.uri.toString()}' (${String(error)})`);
      });
      // The editor shows an error of this second question as it is.
      this.noteTime(document, await this.files.timeOf(document.uri));
    } catch (error) {
      const said = error instanceof Error ? error.message : String(error);
      void this.messages.show('error', `Failed to save '${name}': ${said}`, ['Retry']);
      return false;
    }
    if (document.version === version) {
      this.setDirty(document, false);
    }
    this.saved.fire(document);
    return true;
  }

  /** The editor saves by itself a while after an edit, where it is told to. */
  async saveByItself(document: FakeTextDocument): Promise<boolean> {
    return this.save(document, false, 2);
  }

  /** *Revert File* of the document in front. */
  async revertActive(): Promise<void> {
    const document = this.active?.document;
    if (!document) {
      return;
    }
    this.noteTime(document, await this.files.timeOf(document.uri));
    const text = await this.files.read(document.uri);
    this.change(document, text);
    this.setDirty(document, false);
  }

  /** Documents without edits follow their file; those with edits stay as they are. */
  registerFileSystem(scheme: string, provider: vscode.FileSystemProvider): FakeDisposable {
    this.files.systems.set(scheme, provider);
    const subscription = provider.onDidChangeFile((events) => {
      for (const { uri, type } of events) {
        if (type !== 3) {
          void this.reload(uri);
        }
      }
    });
    return new FakeDisposable(() => {
      subscription.dispose();
      this.files.systems.delete(scheme);
    });
  }

  registerContent(scheme: string, provider: vscode.TextDocumentContentProvider): FakeDisposable {
    this.files.contents.set(scheme, provider);
    const subscription = provider.onDidChange?.((uri) => void this.reload(uri));
    return new FakeDisposable(() => {
      subscription?.dispose();
      this.files.contents.delete(scheme);
    });
  }

  private isUnedited(uri: vscode.Uri): FakeTextDocument | undefined {
    const document = this.byUri(uri);
    return document?.isDirty === false ? document : undefined;
  }

  private async reload(uri: vscode.Uri): Promise<void> {
    if (this.isUnedited(uri)) {
      const time = await this.files.timeOf(uri);
      const text = await this.files.read(uri);
      const document = this.isUnedited(uri);
      if (!document) {
        return;
      }
      this.noteTime(document, time);
      if (text !== document.getText()) {
        this.change(document, text);
      }
    }
  }

  async setLanguage(document: FakeTextDocument, language: string): Promise<FakeTextDocument> {
    document.languageId = language;
    return Promise.resolve(document);
  }
}

const languages: Readonly<Record<string, string>> = {
  '.json': 'json',
  '.md': 'markdown',
  '.py': 'python',
  '.log': 'log',
};

function languageOf(uri: vscode.Uri): string {
  return languages[path.posix.extname(uri.path)] ?? 'plaintext';
}
