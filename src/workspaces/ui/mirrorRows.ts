import { basename } from 'node:path';
import * as vscode from 'vscode';
import type { MirroredFileTarget } from '../../commandSpecs';
import { localize, t } from '../../editor/localize';
import { plainItem } from '../../editor/plainRow';
import type { GroupRow, InstanceRows } from '../../editor/treeGroups';
import type { Clock } from '../../util/clock';
import type { Event } from '../../util/emitter';
import type { DifferingFile, FolderMirror, MirroredFolder } from '../model/mirror';
import { changeText, mirrorState } from './mirrorText';

/** A mirrored folder as a window knows it. */
export interface ListedMirror {
  readonly key: string;
  readonly folder: MirroredFolder;
  /** Without it, this window does not have the folder open, and keeps nothing in step. */
  readonly mirror: FolderMirror | undefined;
}

interface Mirrors {
  readonly onDidChange: Event<void>;
  of(instanceId: number): readonly ListedMirror[];
}

/** More rows than this help no reader; the commands of their heading act on all files. */
const mostRows = 500;

type Part = 'changes' | 'leftOut';

/** *Mirror of …* below an instance, what was changed there, and what stays on this computer. */
export class MirrorRows implements InstanceRows {
  readonly onDidChange: Event<unknown>;
  /** Reuses the nodes, so that refreshes do not move the selection. */
  private readonly nodes = new Map<string, object>();

  constructor(
    private readonly mirrors: Mirrors,
    private readonly clock: Clock,
  ) {
    this.onDidChange = mirrors.onDidChange;
  }

  rows(instanceId: number): readonly GroupRow[] {
    return this.mirrors.of(instanceId).map((listed) => {
      const node = this.node({ mirrorKey: listed.key, instanceId });
      const { mirror } = listed;
      const hasRows = mirror && mirror.status.differing.length + mirror.status.leftOut.length > 0;
      return {
        node,
        item: () => mirrorItem(listed, this.clock.now(), hasRows === true),
        ...(hasRows ? { children: () => this.below(listed, mirror) } : {}),
      };
    });
  }

  private below({ key, folder }: ListedMirror, { status }: FolderMirror): readonly GroupRow[] {
    const { instanceId } = folder;
    const { differing, leftOut } = status;
    const canFetch = differing.some(({ change }) => change === 'new' || change === 'changed');
    const part = (name: Part, label: string, count: number, children: () => readonly GroupRow[]) => ({
      node: this.node({ mirrorKey: key, instanceId, part: name }),
      item: () => partItem(`mirror-${name}-${key}`, label, count, name === 'changes', canFetch),
      children,
    });
    return [
      ...(differing.length === 0
        ? []
        : [
            part('changes', t('Changed on the Instance'), differing.length, () =>
              this.page(
                key,
                instanceId,
                sorted(differing).map((file) => {
                  const node = this.node({ mirroredFile: file.name, mirrorKey: key, instanceId });
                  return { node, item: () => fileItem(node, file) };
                }),
              ),
            ),
          ]),
      ...(leftOut.length === 0
        ? []
        : [
            part('leftOut', t('Stays on This Computer'), leftOut.length, () =>
              this.page(
                key,
                instanceId,
                leftOut.map(({ name, why }) => ({
                  node: this.node({ mirrorKey: key, instanceId, leftOut: name }),
                  item: () => leftOutItem(name, localize(why)),
                })),
              ),
            ),
          ]),
    ];
  }

  private page(mirrorKey: string, instanceId: number, rows: readonly GroupRow[]): readonly GroupRow[] {
    const more = rows.length - mostRows;
    const node = this.node({ mirrorKey, instanceId, isMore: true });
    return more > 0
      ? [...rows.slice(0, mostRows), { node, item: () => new vscode.TreeItem(t('{0} more', more)) }]
      : rows;
  }

  private node<T extends object>(target: T): T {
    const key = JSON.stringify(target);
    const known = (this.nodes.get(key) as T | undefined) ?? target;
    this.nodes.set(key, known);
    return known;
  }
}

function mirrorItem({ key, folder, mirror }: ListedMirror, now: number, hasRows: boolean): vscode.TreeItem {
  const { None, Collapsed } = vscode.TreeItemCollapsibleState;
  const item = new vscode.TreeItem(t('Mirror of {0}', basename(folder.local)), hasRows ? Collapsed : None);
  const state = mirror
    ? mirrorState(mirror.status, now)
    : { text: t('not open in this window'), icon: 'sync' };
  item.id = `mirror-${key}`;
  item.description = state.text;
  item.iconPath = new vscode.ThemeIcon(state.icon);
  item.tooltip = `${folder.local}\n${state.text}`;
  item.contextValue = ';mirror;';
  if (mirror?.status.question) {
    item.command = {
      command: 'gpuRental.mirror.review',
      title: t('Review…'),
      arguments: [{ mirrorKey: key, instanceId: folder.instanceId }],
    };
  }
  return plainItem(item);
}

function partItem(
  id: string,
  label: string,
  count: number,
  isChanges: boolean,
  canFetch: boolean,
): vscode.TreeItem {
  const { Expanded, Collapsed } = vscode.TreeItemCollapsibleState;
  const item = new vscode.TreeItem(label, isChanges ? Expanded : Collapsed);
  item.id = id;
  item.description = String(count);
  // What waits for a decision can't be fetched with the others.
  if (isChanges && canFetch) {
    item.contextValue = ';mirrorChanges;';
  }
  return item;
}

/** Conflicts come first, because they wait for the user. */
function sorted(files: readonly DifferingFile[]): readonly DifferingFile[] {
  const rank = ({ change }: DifferingFile) => (change === 'both' ? 0 : 1);
  return [...files].sort((a, b) => rank(a) - rank(b) || a.name.localeCompare(b.name));
}

const icons = { new: 'diff-added', changed: 'diff-modified', gone: 'diff-removed', both: 'warning' } as const;

function fileItem(node: MirroredFileTarget, file: DifferingFile): vscode.TreeItem {
  const item = new vscode.TreeItem(file.name);
  item.id = `mirrored-${node.mirrorKey}-${file.name}`;
  item.description = changeText(file);
  item.iconPath = new vscode.ThemeIcon(icons[file.change]);
  item.tooltip = `${file.name}\n${changeText(file)}`;
  // What is gone there can't be fetched: it is sent again, or deleted here.
  const isDecided = file.change === 'both' || file.change === 'gone';
  item.contextValue = isDecided ? ';mirrorConflict;' : ';mirrorChange;';
  item.command = {
    command: 'gpuRental.mirror.showDifference',
    title: t('Compare'),
    arguments: [node],
  };
  return plainItem(item);
}

function leftOutItem(name: string, why: string): vscode.TreeItem {
  const item = new vscode.TreeItem(name);
  item.description = why;
  item.tooltip = `${name}\n${why}`;
  item.iconPath = new vscode.ThemeIcon('circle-slash');
  return plainItem(item);
}
