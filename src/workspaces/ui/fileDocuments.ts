import { createHash } from 'node:crypto';
import * as vscode from 'vscode';
import { confirm } from '../../editor/confirm';
import { localize, t } from '../../editor/localize';
import { RefusedSaves } from '../../editor/refusedSaves';
import type { SshService } from '../../ssh/service';
import type { Clock } from '../../util/clock';
import { UserError } from '../../util/errors';
import { SftpError, type SftpClient } from '../machine/client';
import type { SftpConnections } from '../machine/connections';
import { rawOf } from '../machine/rawPath';
import { ifThere, replaceRemote } from '../machine/replaceRemote';
import type { Attributes } from '../machine/wire';
import { remoteKind } from '../model/remoteKind';

const fileScheme = 'gpurental-files';

/** The editor keeps the whole text of a document in memory; larger files are downloaded. In bytes. */
const mostBytes = 50_000_000;

export function fileUri(alias: string, path: string): vscode.Uri {
  return vscode.Uri.from({ scheme: fileScheme, authority: alias, path });
}

/** What the file was when the editor read or saved it. */
interface Version {
  readonly size: number;
  readonly modified: number;
  readonly hash: string;
}

/**
 * Single files of instances as documents. It is no folder to work in: search, Git and language servers need real files,
 * which a remote window has.
 */
export class FileDocuments implements vscode.FileSystemProvider {
  private readonly changed = new vscode.EventEmitter<vscode.FileChangeEvent[]>();
  readonly onDidChangeFile = this.changed.event;
  private readonly versions = new Map<string, Version>();
  /** Versions of which the editor itself has told the user. */
  private readonly told = new Map<string, string>();
  private readonly refusals: RefusedSaves;

  constructor(
    private readonly connections: Pick<SftpConnections, 'use'>,
    private readonly ssh: Pick<SshService, 'entry'>,
    clock: Clock,
  ) {
    this.refusals = new RefusedSaves(clock);
  }

  /** Has the editor read a document again that it shows, unless it has unsaved changes. */
  reread(uri: vscode.Uri): void {
    this.changed.fire([{ type: vscode.FileChangeType.Changed, uri }]);
  }

  watch(): vscode.Disposable {
    // Nothing is watched: the machine would be asked without end. A save compares what is there.
    return new vscode.Disposable(() => undefined);
  }

  async stat(uri: vscode.Uri): Promise<vscode.FileStat> {
    this.refusals.throwRefusal(uri);
    const attributes = await this.with(uri, (client, path) => client.stat(path));
    const { size = 0, modified = 0 } = attributes;
    const read = this.versions.get(uri.toString());
    // The editor compares these two, and asks by itself where both differ.
    if (read && modified > read.modified && size !== read.size) {
      this.told.set(uri.toString(), markOf(attributes));
    }
    return {
      type: remoteKind(attributes) === 'folder' ? vscode.FileType.Directory : vscode.FileType.File,
      ctime: 0,
      mtime: modified * 1000,
      size,
    };
  }

  async readFile(uri: vscode.Uri): Promise<Uint8Array> {
    return this.with(uri, async (client, path) => {
      const attributes = await client.stat(path);
      if (remoteKind(attributes) !== 'file' || (attributes.size ?? 0) > mostBytes) {
        throw vscode.FileSystemError.Unavailable(
          t('This is no file, or too large for a document. Download it.'),
        );
      }
      const content = await contentOf(client, path);
      this.note(uri, attributes, content);
      return content;
    });
  }

  async writeFile(...[uri, content, how]: Parameters<FileDocuments['write']>): Promise<void> {
    this.refusals.clear(uri);
    try {
      await this.write(uri, content, how);
    } catch (error) {
      // A save of the editor asks for the time next; another extension that writes must hear of it at once.
      const key = uri.toString();
      const isSave = vscode.workspace.textDocuments.some((one) => one.isDirty && one.uri.toString() === key);
      if (!isSave || !(error instanceof vscode.FileSystemError)) {
        throw error;
      }
      this.refusals.note(uri, error);
    }
  }

  private async write(
    uri: vscode.Uri,
    content: Uint8Array,
    { create, overwrite }: { readonly create: boolean; readonly overwrite: boolean },
  ): Promise<void> {
    await this.with(uri, async (client, path) => {
      const now = await ifThere(client.stat(path));
      if (now ? !overwrite : !create) {
        throw now ? vscode.FileSystemError.FileExists(uri) : vscode.FileSystemError.FileNotFound(uri);
      }
      if (now && !(await this.mayReplace(uri, client, path, now, content))) {
        throw vscode.FileSystemError.Unavailable(t('Not saved: the file was changed on the instance.'));
      }
      this.note(uri, await replaceRemote(client, path, content), content);
    });
  }

  readDirectory(): never {
    throw vscode.FileSystemError.Unavailable(
      t(
        'Search, Git and languages need real files. Connect a window to the instance to work in its folders.',
      ),
    );
  }

  createDirectory(): never {
    throw vscode.FileSystemError.NoPermissions();
  }

  delete(): never {
    throw vscode.FileSystemError.NoPermissions();
  }

  rename(): never {
    throw vscode.FileSystemError.NoPermissions();
  }

  /**
   * A change of the same size, or with an older time, escapes the editor. What is there may also be the content itself, of a
   * save whose answer was lost.
   */
  private async mayReplace(
    uri: vscode.Uri,
    client: SftpClient,
    path: string,
    now: Attributes,
    content: Uint8Array,
  ): Promise<boolean> {
    const key = uri.toString();
    const read = this.versions.get(key);
    if (!read || this.told.get(key) === markOf(now)) {
      return true;
    }
    if (now.size === read.size || now.size === content.length) {
      const there = hashOf(await contentOf(client, path));
      if (there === read.hash || there === hashOf(content)) {
        return true;
      }
    }
    return confirm({
      message: t('{0} was changed on the instance after you opened it.', uri.path),
      detail: t('Overwrite it with what you have here?'),
      button: t('Overwrite'),
    });
  }

  private note(uri: vscode.Uri, { size = 0, modified = 0 }: Attributes, content: Uint8Array): void {
    this.told.delete(uri.toString());
    this.versions.set(uri.toString(), { size, modified, hash: hashOf(content) });
  }

  /** Logs in only where this computer has an entry: opening a document asks for nothing. */
  private async with<T>(
    uri: vscode.Uri,
    action: (client: SftpClient, path: string) => Promise<T>,
  ): Promise<T> {
    const alias = uri.authority;
    if (!/^gpu-[a-z0-9-]+$/.test(alias) || !(await this.ssh.entry(alias))) {
      throw vscode.FileSystemError.Unavailable(
        t('This computer does not know this instance. Connect to it first.'),
      );
    }
    try {
      return await this.connections.use(alias, (client) => action(client, rawOf(uri.path)));
    } catch (error) {
      if (error instanceof SftpError && error.kind === 'missing') {
        throw vscode.FileSystemError.FileNotFound(uri);
      }
      if (error instanceof SftpError && error.kind === 'denied') {
        throw vscode.FileSystemError.NoPermissions(uri);
      }
      throw error instanceof UserError ? vscode.FileSystemError.Unavailable(localize(error.text)) : error;
    }
  }
}

async function contentOf(client: SftpClient, path: string): Promise<Buffer> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of client.read(path)) {
    bytes += piece.length;
    // A machine may send more than it said.
    if (bytes > mostBytes) {
      throw vscode.FileSystemError.Unavailable(
        t('This is no file, or too large for a document. Download it.'),
      );
    }
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}

function hashOf(content: Uint8Array): string {
  return createHash('sha256').update(content).digest('hex');
}

function markOf({ size = 0, modified = 0 }: Attributes): string {
  return `${size} ${modified}`;
}
