import * as vscode from 'vscode';
import type { RemoteFileTarget } from '../../commandSpecs';
import { reasonOf, t } from '../../editor/localize';
import { stampText } from '../../editor/timeText';
import { labelOf } from '../../editor/titles';
import type { GroupRow, InstanceRows } from '../../editor/treeGroups';
import { bytesText } from '../../util/bytes';
import type { Disposable } from '../../util/disposable';
import { Emitter } from '../../util/emitter';
import type { Log } from '../../util/log';
import type { RemoteName } from '../machine/client';
import { joinRaw, nameOf, shownName, wordsOf } from '../machine/rawPath';
import { remoteKind } from '../model/remoteKind';

/** The most names of a folder that are read, and the rows that are shown before *Show More*. */
const mostNames = 100_000;
const page = 1_000;

type Listing =
  | { readonly kind: 'reading' }
  | { readonly kind: 'failed'; readonly error: unknown }
  | { readonly kind: 'read'; readonly names: readonly RemoteName[]; readonly shown: number };

interface Reader {
  /** Returns the folder where the files of an instance begin. */
  start(instanceId: number): Promise<string>;
  list(instanceId: number, path: string, limit: number): Promise<readonly RemoteName[]>;
}

/** The folders of instances that the user has opened, as they were read; read again only on request. */
export class FileTree implements InstanceRows, Disposable {
  private readonly changed = new Emitter<undefined>();
  readonly onDidChange = this.changed.event;
  private readonly listings = new Map<string, Listing>();
  private readonly starts = new Map<number, string>();
  /** Reuses the nodes, so that refreshes do not move the selection. */
  private readonly nodes = new Map<string, RemoteFileTarget>();
  private readonly kinds = new WeakMap<object, ReturnType<typeof remoteKind>>();

  constructor(
    private readonly reader: Reader,
    private readonly log: Log,
  ) {}

  /** The rows stand below those of `FilesRows`; this class only reports changes. */
  rows(): readonly GroupRow[] {
    return [];
  }

  /** Returns the rows below a folder, at once; reads it first where nobody has. An empty path is where files begin. */
  below({ instanceId, remotePath }: RemoteFileTarget): readonly GroupRow[] {
    const listing = this.listings.get(keyOf(instanceId, remotePath)) ?? this.read(instanceId, remotePath);
    const folder = remotePath === '' ? this.starts.get(instanceId) : remotePath;
    if (listing.kind === 'read' && folder !== undefined) {
      return this.rowsOf(instanceId, folder, remotePath, listing);
    }
    const node = this.node({ instanceId, remotePath, note: listing.kind });
    return [{ node, item: () => noteItem(listing, node) }];
  }

  /** The folder that is shown below *Files*; undefined before it is known. */
  startOf(instanceId: number): string | undefined {
    return this.starts.get(instanceId);
  }

  /** What a row was when it was read; undefined for a row of another kind. */
  kindOf(row: object): ReturnType<typeof remoteKind> | undefined {
    return this.kinds.get(row);
  }

  /** Shows another folder below *Files*. */
  goTo(instanceId: number, folder: string): void {
    this.starts.set(instanceId, folder);
    this.listings.delete(keyOf(instanceId, ''));
    this.read(instanceId, '');
    this.changed.fire(undefined);
  }

  showMore({ instanceId, remotePath }: RemoteFileTarget): void {
    const key = keyOf(instanceId, remotePath);
    const listing = this.listings.get(key);
    if (listing?.kind === 'read') {
      this.listings.set(key, { ...listing, shown: listing.shown + page });
      this.changed.fire(undefined);
    }
  }

  /** Reads all folders of an instance again that were read. */
  refresh(instanceId: number): void {
    for (const key of [...this.listings.keys()].filter((one) => one.startsWith(`${instanceId} `))) {
      this.read(instanceId, key.slice(`${instanceId} `.length));
    }
    // A row that had failed shows that it is read again.
    this.changed.fire(undefined);
  }

  /** Forgets what belongs to instances that do not run. */
  keepOnly(isKept: (instanceId: number) => boolean): void {
    for (const map of [this.listings, this.nodes]) {
      for (const key of map.keys()) {
        if (!isKept(Number.parseInt(key))) {
          map.delete(key);
        }
      }
    }
    for (const id of this.starts.keys()) {
      if (!isKept(id)) {
        this.starts.delete(id);
      }
    }
  }

  dispose(): void {
    this.changed.dispose();
  }

  private read(instanceId: number, path: string): Listing {
    const key = keyOf(instanceId, path);
    const before = this.listings.get(key);
    const reading: Listing = { kind: 'reading' };
    // What is shown stays while it is read again.
    const waiting = before?.kind === 'read' ? { ...before } : reading;
    this.listings.set(key, waiting);
    const done = (listing: Listing) => {
      if (this.listings.get(key) === waiting) {
        this.listings.set(key, listing);
        this.changed.fire(undefined);
      }
    };
    const shown = before?.kind === 'read' ? before.shown : page;
    this.namesOf(instanceId, path).then(
      (names) => {
        done({ kind: 'read', names, shown });
      },
      (error: unknown) => {
        this.log.warn(`The files of ${instanceId} could not be listed: ${String(error)}`);
        done({ kind: 'failed', error });
      },
    );
    return waiting;
  }

  private async namesOf(instanceId: number, path: string): Promise<readonly RemoteName[]> {
    const folder =
      path === '' ? (this.starts.get(instanceId) ?? (await this.reader.start(instanceId))) : path;
    if (path === '') {
      this.starts.set(instanceId, folder);
    }
    const names = await this.reader.list(instanceId, folder, mostNames);
    const place = new Intl.Collator(undefined, { numeric: true });
    return names
      .map((name) => ({
        name,
        words: shownName(name.raw),
        isFolder: remoteKind(name.attributes) === 'folder',
      }))
      .sort((a, b) => Number(b.isFolder) - Number(a.isFolder) || place.compare(a.words, b.words))
      .map(({ name }) => name);
  }

  private rowsOf(
    instanceId: number,
    folder: string,
    listed: string,
    { names, shown }: Extract<Listing, { kind: 'read' }>,
  ): readonly GroupRow[] {
    const rows: GroupRow[] = names.slice(0, shown).map((name) => {
      const node = this.node({ instanceId, remotePath: joinRaw(folder, name.raw) });
      const kind = remoteKind(name.attributes);
      const isFolder = kind === 'folder';
      this.kinds.set(node, kind);
      return {
        node,
        item: () => fileItem(node, name),
        ...(isFolder ? { children: () => this.below(node) } : {}),
      };
    });
    const left = names.length - shown;
    if (left > 0) {
      const node = this.node({ instanceId, remotePath: listed, note: 'more' });
      rows.push({ node, item: () => moreItem(node, left) });
    }
    if (names.length === 0) {
      const node = this.node({ instanceId, remotePath: listed, note: 'empty' });
      rows.push({ node, item: () => new vscode.TreeItem(t('empty')) });
    }
    return rows;
  }

  private node(target: RemoteFileTarget): RemoteFileTarget {
    const key = `${target.instanceId} ${target.note ?? ''} ${target.remotePath}`;
    const known = this.nodes.get(key) ?? target;
    this.nodes.set(key, known);
    return known;
  }
}

function keyOf(instanceId: number, path: string): string {
  return `${instanceId} ${path}`;
}

function noteItem(listing: Listing, node: RemoteFileTarget): vscode.TreeItem {
  if (listing.kind !== 'failed') {
    return new vscode.TreeItem(t('Loading…'));
  }
  const item = new vscode.TreeItem(reasonOf(listing.error) ?? t('no answer'));
  item.iconPath = new vscode.ThemeIcon('error');
  item.tooltip = item.label as string;
  item.command = {
    command: 'gpuRental.files.refresh',
    title: labelOf('gpuRental.files.refresh'),
    arguments: [node],
  };
  return item;
}

function moreItem(node: RemoteFileTarget, left: number): vscode.TreeItem {
  const item = new vscode.TreeItem(t('{0} more', left));
  item.command = {
    command: 'gpuRental.files.open',
    title: labelOf('gpuRental.files.open'),
    arguments: [node],
  };
  return item;
}

const icons = { folder: 'folder', file: 'file', link: 'file-symlink-file', other: 'circle-slash' } as const;

function fileItem(node: RemoteFileTarget, { raw, attributes }: RemoteName): vscode.TreeItem {
  const kind = remoteKind(attributes);
  const item = new vscode.TreeItem(
    shownName(nameOf(raw)),
    kind === 'folder' ? vscode.TreeItemCollapsibleState.Collapsed : vscode.TreeItemCollapsibleState.None,
  );
  item.id = `file-${node.instanceId}-${node.remotePath}`;
  item.iconPath = new vscode.ThemeIcon(icons[kind]);
  // A transfer names what it copies in UTF-8, and would create or read something else.
  if (wordsOf(node.remotePath) !== undefined) {
    item.contextValue = `;${kind === 'folder' ? 'remoteFolder' : 'remoteFile'};`;
  }
  if (kind === 'file' && attributes.size !== undefined) {
    item.description = bytesText(attributes.size);
  }
  const path = shownName(node.remotePath);
  item.tooltip =
    attributes.modified === undefined
      ? path
      : t('{0}, changed {1}', path, stampText(attributes.modified * 1000));
  if (kind === 'file' || kind === 'link') {
    item.command = {
      command: 'gpuRental.files.open',
      title: labelOf('gpuRental.files.open'),
      arguments: [node],
    };
  }
  return item;
}
