import * as vscode from 'vscode';
import type { KernelTarget } from '../../commandArguments';
import { t } from '../../editor/localize';
import type { GroupRow, InstanceRows } from '../../editor/treeGroups';
import type { Services } from '../../services';
import type { Kernel } from '../../ssh/notebooks/kernels';
import type { NotebookConnections } from './connections';

/** The kernels of an instance to which a notebook of this window is connected. */
export class KernelRows implements InstanceRows {
  private readonly nodes = new Map<string, KernelTarget>();
  readonly onDidChange;

  constructor(
    private readonly deps: Pick<Services, 'accounts' | 'ssh'>,
    private readonly connections: NotebookConnections,
  ) {
    this.onDidChange = connections.onDidChange;
  }

  rows(instanceId: number): readonly GroupRow[] {
    const { accounts, ssh } = this.deps;
    const account = accounts.active;
    const alias = account && ssh.aliasOf(account, instanceId);
    const kernels = alias === undefined ? undefined : this.connections.kernelsOf(alias);
    const isSilent = alias !== undefined && this.connections.isSilent(alias);
    return (kernels ?? []).map((kernel) => ({
      node: this.node({ kernelId: kernel.id, instanceId }),
      item: () => kernelItem(instanceId, kernel, isSilent),
    }));
  }

  /** The same object for the same kernel, so that refreshes do not move the selection. */
  private node(target: KernelTarget): KernelTarget {
    const known = this.nodes.get(target.kernelId) ?? target;
    this.nodes.set(target.kernelId, known);
    return known;
  }
}

function kernelItem(
  instanceId: number,
  { id, name, isBusy, connections }: Kernel,
  isSilent: boolean,
): vscode.TreeItem {
  const item = new vscode.TreeItem(t('Kernel {0}', name));
  item.id = `kernel-${instanceId}-${id}`;
  item.description = isSilent ? t('no answer') : isBusy ? t('busy') : t('idle');
  item.tooltip = isSilent
    ? t('The Jupyter server of the instance does not answer')
    : isBusy
      ? t('Runs a cell. Connections: {0}', connections)
      : t('Waits for a cell and keeps its variables and GPU memory. Connections: {0}', connections);
  item.iconPath = new vscode.ThemeIcon('notebook');
  item.contextValue = ';kernel;';
  return item;
}
