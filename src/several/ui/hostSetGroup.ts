import * as vscode from 'vscode';
import type { HostSetTarget } from '../../commandSpecs';
import { unreadRow } from '../../editor/listRows';
import { t } from '../../editor/localize';
import { titleOf } from '../../editor/titles';
import { tooltip } from '../../editor/tooltip';
import type { GroupRow, TreeGroup } from '../../editor/treeGroups';
import { DisposableStore, type Disposable } from '../../util/disposable';
import { Emitter } from '../../util/emitter';
import type { HostSet } from '../model/hostSet';
import type { HostFileKeeper } from '../store/hostFileKeeper';
import type { HostSets } from '../store/hostSets';
import { membersText } from './chooseHosts';

/** Shows the groups for other tools below the instances. */
export class HostSetGroup implements TreeGroup, Disposable {
  readonly id = 'hostSets';
  readonly label = t('Groups for Other Tools');
  readonly icon = 'references';
  private readonly owned = new DisposableStore();
  private readonly changed = this.owned.add(new Emitter<void>());
  readonly onDidChange = this.changed.event;
  private readonly nodes = new Map<string, HostSetTarget>();
  private readonly unread = { kind: 'hostSetsUnread' };

  constructor(
    private readonly sets: HostSets,
    private readonly keeper: HostFileKeeper,
  ) {
    this.owned.add(sets.onDidChange(() => this.changed.fire()));
    this.owned.add(keeper.onDidChange(() => this.changed.fire()));
  }

  description(): string {
    const { length } = this.sets.rows;
    return length === 0 ? '' : String(length);
  }

  rows(): readonly GroupRow[] {
    const { rows, error } = this.sets;
    return [
      ...(error === undefined ? [] : [{ node: this.unread, item: () => unreadItem(error) }]),
      ...rows.map((set) => ({ node: this.node(set), item: () => this.item(set) })),
    ];
  }

  dispose(): void {
    this.owned.dispose();
  }

  private node({ id }: HostSet): HostSetTarget {
    const node = this.nodes.get(id) ?? { hostSetId: id };
    this.nodes.set(id, node);
    return node;
  }

  private item(set: HostSet): vscode.TreeItem {
    const isLost = this.keeper.isLost(set.id);
    const item = new vscode.TreeItem(set.name);
    item.id = `hostSet-${set.id}`;
    const strangers = this.keeper.strangersOf(set.id);
    const isBlocked = isLost || strangers.length > 0;
    item.description = isLost
      ? t('its folder is gone')
      : isBlocked
        ? t('not current: {0} is another file now', strangers.join(', '))
        : membersText(set.members);
    item.iconPath = new vscode.ThemeIcon(isBlocked ? 'warning' : 'references');
    item.contextValue = ';hostSet;';
    item.tooltip = tooltip([
      [t('Group'), set.name],
      [t('Instances'), membersText(set.members)],
      [t('Folder'), set.folder],
    ]);
    item.command = {
      command: 'gpuRental.hostSet.use',
      title: titleOf('gpuRental.instance.useIn'),
      arguments: [this.node(set)],
    };
    return item;
  }
}

function unreadItem(error: unknown): vscode.TreeItem {
  return unreadRow('host-sets-unread', t('Could not read the list'), error);
}
