import * as vscode from 'vscode';
import { DisposableStore } from '../util/disposable';
import { safeFileName } from '../util/fileName';
import { t } from './localize';

export const outputScheme = 'gpurental-output';
/** More than this is cut at the front: nobody reads it, and the editor would be slow. */
const longestText = 2_000_000;

/** What is known of a text of which only the end is given. */
export interface Cut {
  readonly isCut: boolean;
  /** The file that holds all of it. */
  readonly whole?: string;
}

/** Read-only documents with text that was fetched: logs, output, details. Gone when they are closed. */
export class OutputDocuments implements vscode.TextDocumentContentProvider, vscode.Disposable {
  private readonly store = new DisposableStore();
  private readonly contents = new Map<string, string>();
  private readonly changed = this.store.add(new vscode.EventEmitter<vscode.Uri>());
  readonly onDidChange = this.changed.event;

  constructor(private readonly scheme = outputScheme) {
    this.store.add(vscode.workspace.registerTextDocumentContentProvider(scheme, this));
    this.store.add(
      vscode.workspace.onDidCloseTextDocument(({ uri }) => {
        this.contents.delete(uri.toString());
      }),
    );
  }

  provideTextDocumentContent(uri: vscode.Uri): string {
    return this.contents.get(uri.toString()) ?? '';
  }

  /** The address of a document; `id` tells those with the same title apart. */
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

/** Whole lines of the end, after a line that says so. */
function endOf(content: string, { whole }: Cut): string {
  const end = content.slice(-longestText);
  const line =
    whole === undefined
      ? t('[The beginning is omitted.]')
      : t('[The beginning is omitted. The full text is in {0}]', whole);
  return `${line}\n${end.slice(end.indexOf('\n') + 1)}`;
}
