import * as vscode from 'vscode';
import { DisposableStore } from '../util/disposable';
import { safeFileName } from '../util/fileName';
import { t } from './localize';

const outputScheme = 'gpurental-output';
/** Longest text in characters; longer ones lose their beginning, because they would slow the editor down. */
const longestText = 2_000_000;

/** Facts about a text of which only the end is given. */
export interface Cut {
  readonly isCut: boolean;
  /** The file with the full text. */
  readonly whole?: string;
}

/** Read-only documents for fetched text, such as logs, output and details. Their text is dropped when they close. */
export class OutputDocuments implements vscode.TextDocumentContentProvider, vscode.Disposable {
  private readonly store = new DisposableStore();
  private readonly contents = new Map<string, string>();
  /** The editors that showed the end of a document before it grew, by its address. */
  private readonly atEnd = new Map<string, readonly vscode.TextEditor[]>();
  private readonly changed = this.store.add(new vscode.EventEmitter<vscode.Uri>());
  readonly onDidChange = this.changed.event;

  constructor(private readonly scheme = outputScheme) {
    this.store.add(vscode.workspace.registerTextDocumentContentProvider(scheme, this));
    this.store.add(
      vscode.workspace.onDidCloseTextDocument(({ uri }) => {
        this.contents.delete(uri.toString());
        this.atEnd.delete(uri.toString());
      }),
    );
    this.store.add(
      vscode.workspace.onDidChangeTextDocument(({ document: { uri } }) => {
        this.atEnd.get(uri.toString())?.forEach(showEnd);
      }),
    );
  }

  provideTextDocumentContent(uri: vscode.Uri): string {
    return this.contents.get(uri.toString()) ?? '';
  }

  /** Returns the address of a document; `id` distinguishes documents with the same title. */
  uri(id: string, title: string): vscode.Uri {
    const name = safeFileName(title.replaceAll('#', ''), id);
    return vscode.Uri.from({ scheme: this.scheme, path: `/${id}/${name}` });
  }

  set(uri: vscode.Uri, content: string, cut: Cut = { isCut: false }): void {
    const isLong = content.length > longestText;
    const text = isLong || cut.isCut ? endOf(content, cut) : content;
    if (this.contents.get(uri.toString()) !== text) {
      this.contents.set(uri.toString(), text);
      this.changed.fire(uri);
    }
  }

  /** Sets the text of a document that grows. Editors that show its end show the new end once they have read it. */
  grow(uri: vscode.Uri, content: string, cut?: Cut): void {
    const editors = vscode.window.visibleTextEditors.filter(
      ({ document }) => document.uri.toString() === uri.toString(),
    );
    this.atEnd.set(uri.toString(), editors.filter(showsEnd));
    this.set(uri, content, cut);
  }

  async show(uri: vscode.Uri, content: string, language?: string, cut?: Cut): Promise<vscode.TextEditor> {
    this.set(uri, content, cut);
    const document = await vscode.workspace.openTextDocument(uri);
    if (language !== undefined) {
      await vscode.languages.setTextDocumentLanguage(document, language);
    }
    return vscode.window.showTextDocument(document, { preview: true });
  }

  dispose(): void {
    this.store.dispose();
    this.contents.clear();
  }
}

function showsEnd({ document, visibleRanges }: vscode.TextEditor): boolean {
  return visibleRanges.some(({ end }) => end.line >= document.lineCount - 2);
}

export function showEnd(editor: vscode.TextEditor): void {
  const last = new vscode.Position(Math.max(0, editor.document.lineCount - 1), 0);
  editor.revealRange(new vscode.Range(last, last));
}

/** Returns whole lines from the end, below a line that marks the omitted beginning. */
function endOf(content: string, { whole }: Cut): string {
  const end = content.slice(-longestText);
  const line =
    whole === undefined
      ? t('[The beginning is omitted.]')
      : t('[The beginning is omitted. The full text is in {0}]', whole);
  return `${line}\n${end.slice(end.indexOf('\n') + 1)}`;
}
