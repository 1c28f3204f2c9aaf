import * as vscode from 'vscode';
import { parseTemplateUri, templateUriParts } from '../../model/templates/templateUri';

/** Read-only texts, each under its own address. */
export class Previews implements vscode.Disposable {
  private readonly texts = new Map<string, { readonly text: string; readonly mtime: number }>();
  private readonly changed = new vscode.EventEmitter<vscode.Uri>();
  readonly onDidChange = this.changed.event;
  private readonly closing: vscode.Disposable;

  constructor(private readonly now: () => number) {
    this.closing = vscode.workspace.onDidCloseTextDocument(({ uri }) => {
      const read = parseTemplateUri(uri);
      if (read?.kind === 'preview') {
        this.texts.delete(read.token);
      }
    });
  }

  get(token: string): { readonly text: string; readonly mtime: number } | undefined {
    return this.texts.get(token);
  }

  /** Stores a text under a token; the same token updates the same document. */
  put(token: string, name: string, text: string): vscode.Uri {
    const before = this.texts.get(token);
    const uri = vscode.Uri.from(templateUriParts({ kind: 'preview', token, name }));
    if (before?.text !== text) {
      this.texts.set(token, { text, mtime: Math.max(this.now(), (before?.mtime ?? 0) + 1) });
      this.changed.fire(uri);
    }
    return uri;
  }

  dispose(): void {
    this.closing.dispose();
    this.changed.dispose();
  }
}
