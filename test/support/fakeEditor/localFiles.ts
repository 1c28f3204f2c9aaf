import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type * as vscode from 'vscode';
import { resolved } from './events';
import { FakeFileSystemError } from './values';

/** `workspace.fs`: the disk, and the file systems of extensions. */
export function fileAccess(providers: ReadonlyMap<string, vscode.FileSystemProvider>) {
  const of = (uri: vscode.Uri) => providers.get(uri.scheme);
  const checked = async <T>(uri: vscode.Uri, work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      const code = (error as NodeJS.ErrnoException).code;
      throw code === 'ENOENT' ? FakeFileSystemError.FileNotFound(uri) : error;
    }
  };
  return {
    stat: (uri: vscode.Uri) =>
      checked(uri, async () => {
        const provider = of(uri);
        if (provider) {
          return resolved(provider.stat(uri));
        }
        const found = await stat(uri.fsPath);
        return {
          type: found.isDirectory() ? 2 : 1,
          size: found.size,
          ctime: found.ctimeMs,
          mtime: found.mtimeMs,
        };
      }),
    readFile: (uri: vscode.Uri) =>
      checked(uri, async () => {
        const provider = of(uri);
        return provider ? resolved(provider.readFile(uri)) : new Uint8Array(await readFile(uri.fsPath));
      }),
    writeFile: (uri: vscode.Uri, bytes: Uint8Array) =>
      checked(uri, async () => {
        const provider = of(uri);
        if (provider) {
          await resolved(provider.writeFile(uri, bytes, { create: true, overwrite: true }));
        } else {
          // The editor makes the folders of a file that it writes.
          await mkdir(path.dirname(uri.fsPath), { recursive: true });
          await writeFile(uri.fsPath, bytes);
        }
      }),
    delete: (uri: vscode.Uri, options: { recursive?: boolean } = {}) =>
      checked(uri, async () => {
        const provider = of(uri);
        if (provider) {
          await resolved(provider.delete(uri, { recursive: options.recursive ?? false }));
        } else {
          await rm(uri.fsPath, { recursive: options.recursive ?? false });
        }
      }),
    rename: (from: vscode.Uri, to: vscode.Uri) => checked(from, () => rename(from.fsPath, to.fsPath)),
    createDirectory: async (uri: vscode.Uri) => {
      await mkdir(uri.fsPath, { recursive: true });
    },
    readDirectory: (uri: vscode.Uri) =>
      checked(uri, async () => {
        const provider = of(uri);
        if (provider) {
          return resolved(provider.readDirectory(uri));
        }
        const entries = await readdir(uri.fsPath, { withFileTypes: true });
        return entries.map((entry) => [entry.name, entry.isDirectory() ? 2 : 1] as [string, vscode.FileType]);
      }),
    isWritableFileSystem: (scheme: string) => scheme === 'file' || providers.has(scheme),
  };
}
