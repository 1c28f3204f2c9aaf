import * as vscode from 'vscode';
import type { RemoteFileTarget } from '../../commandSpecs';
import { runCommand } from '../../editor/commands';
import { t } from '../../editor/localize';
import type { GroupRow, InstanceRows } from '../../editor/treeGroups';
import type { Fleet } from '../../store/instances/fleetStore';
import { Emitter } from '../../util/emitter';

/** *Files* below each running instance. The wing loads, and the machine is asked, when the user opens it. */
export class FilesRows implements InstanceRows {
  readonly onDidChange = new Emitter<undefined>().event;
  private readonly nodes = new Map<number, RemoteFileTarget>();

  constructor(private readonly fleet: Pick<Fleet, 'find'>) {}

  rows(instanceId: number): readonly GroupRow[] {
    if (this.fleet.find(instanceId)?.actualStatus !== 'running') {
      return [];
    }
    const node = this.nodes.get(instanceId) ?? { instanceId, remotePath: '' };
    this.nodes.set(instanceId, node);
    return [
      {
        node,
        item: () => filesItem(instanceId),
        children: async () => (await runCommand('gpuRental.files.list', node)) ?? [],
      },
    ];
  }
}

function filesItem(instanceId: number): vscode.TreeItem {
  const item = new vscode.TreeItem(t('Files'), vscode.TreeItemCollapsibleState.Collapsed);
  item.id = `files-${instanceId}`;
  item.iconPath = new vscode.ThemeIcon('files');
  item.contextValue = ';files;';
  return item;
}
