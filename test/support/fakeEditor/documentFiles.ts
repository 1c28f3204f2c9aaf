import { readFile, writeFile } from 'node:fs/promises';
import type * as vscode from 'vscode';
import { FakeEventEmitter, resolved } from './events';
import { FakeFileSystemError } from './values';

/** Where the text of documents comes from and goes to: what the product provides by scheme, else the disk. */
export class DocumentFiles {
  readonly contents = new Map<string, vscode.TextDocumentContentProvider>();
  readonly systems = new Map<string, vscode.FileSystemProvider>();

  /** The time of the file in ms; 0 for what has none. */
  async timeOf(uri: vscode.Uri): Promise<number> {
    const files = this.systems.get(uri.scheme);
    return files && !this.contents.has(uri.scheme) ? (await resolved(files.stat(uri))).mtime : 0;
  }

  async read(uri: vscode.Uri): Promise<string> {
    const content = this.contents.get(uri.scheme);
    if (content) {
      const token = {
        isCancellationRequested: false,
        onCancellationRequested: new FakeEventEmitter<unknown>().event as never,
      };
      return (await resolved(content.provideTextDocumentContent(uri, token))) ?? '';
    }
    const files = this.systems.get(uri.scheme);
    if (files) {
      return new TextDecoder().decode(await resolved(files.readFile(uri)));
    }
    if (uri.scheme !== 'file') {
      throw FakeFileSystemError.Unavailable(uri);
    }
    return readFile(uri.fsPath, 'utf8');
  }

  async write(uri: vscode.Uri, bytes: Uint8Array): Promise<void> {
    const files = this.systems.get(uri.scheme);
    if (files) {
      await resolved(files.writeFile(uri, bytes, { create: false, overwrite: true }));
    } else {
      await writeFile(uri.fsPath, bytes);
    }
  }
}
