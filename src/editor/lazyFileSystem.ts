import * as vscode from 'vscode';
import { t } from './localize';

/**
 * A file system that exists from activation, so that restored editors open, and loads its provider at the first read.
 */
export class LazyFileSystem implements vscode.FileSystemProvider, vscode.Disposable {
  private provider: vscode.FileSystemProvider | undefined;
  private subscription: vscode.Disposable | undefined;
  private readonly changed = new vscode.EventEmitter<vscode.FileChangeEvent[]>();
  readonly onDidChangeFile = this.changed.event;

  constructor(private readonly load: () => Promise<unknown>) {}

  /** Sets the provider. Called once, by the feature that owns the documents. */
  setProvider(provider: vscode.FileSystemProvider): void {
    this.provider = provider;
    this.subscription = provider.onDidChangeFile((events) => {
      this.changed.fire(events);
    });
  }

  watch(): vscode.Disposable {
    // Change events fire for every document, so a watch needs no work.
    return new vscode.Disposable(() => undefined);
  }

  async stat(uri: vscode.Uri): Promise<vscode.FileStat> {
    return (await this.loaded()).stat(uri);
  }

  async readDirectory(uri: vscode.Uri): Promise<[string, vscode.FileType][]> {
    return (await this.loaded()).readDirectory(uri);
  }

  async createDirectory(uri: vscode.Uri): Promise<void> {
    await (await this.loaded()).createDirectory(uri);
  }

  async readFile(uri: vscode.Uri): Promise<Uint8Array> {
    return (await this.loaded()).readFile(uri);
  }

  async writeFile(
    uri: vscode.Uri,
    content: Uint8Array,
    options: { readonly create: boolean; readonly overwrite: boolean },
  ): Promise<void> {
    await (await this.loaded()).writeFile(uri, content, options);
  }

  async delete(uri: vscode.Uri, options: { readonly recursive: boolean }): Promise<void> {
    await (await this.loaded()).delete(uri, options);
  }

  async rename(from: vscode.Uri, to: vscode.Uri, options: { readonly overwrite: boolean }): Promise<void> {
    await (await this.loaded()).rename(from, to, options);
  }

  dispose(): void {
    this.subscription?.dispose();
    this.changed.dispose();
  }

  private async loaded(): Promise<vscode.FileSystemProvider> {
    if (!this.provider) {
      await this.load();
    }
    if (!this.provider) {
      throw vscode.FileSystemError.Unavailable(t('This could not be loaded. Try again.'));
    }
    return this.provider;
  }
}
