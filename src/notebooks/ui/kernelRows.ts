import * as vscode from 'vscode';
import type { KernelTarget } from '../../commandSpecs';
import { t } from '../../editor/localize';
import type { GroupRow, InstanceRows } from '../../editor/treeGroups';
import type { Services } from '../../services';
import type { Kernel } from '../machine/kernels';
import type { NotebookConnections } from './connections';

/** Rows for the kernels of an instance that notebooks of this window use. */
export class KernelRows implements InstanceRows {
  private readonly nodes = new Map<number, ReadonlyMap<string, KernelTarget>>();
  readonly onDidChange;

  constructor(
    private readonly deps: Pick<Services, 'accounts' | 'ssh'>,
    private readonly connections: NotebookConnections,
    private readonly titleOf: (alias: string, kernelName: string) => string = (_, name) => name,
  ) {
    this.onDidChange = connections.onDidChange;
  }

  rows(instanceId: number): readonly GroupRow[] {
    const { accounts, ssh } = this.deps;
    const account = accounts.active;
    const alias = account && ssh.aliasOf(account, instanceId);
    const kernels = alias === undefined ? undefined : this.connections.kernelsOf(alias);
    const isSilent = alias !== undefined && this.connections.isSilent(alias);
    const before = this.nodes.get(instanceId);
    // The same object for the same kernel, so that refreshes do not move the selection.
    const nodes = new Map(
      (kernels ?? []).map(({ id }) => [id, before?.get(id) ?? { kernelId: id, instanceId }]),
    );
    this.nodes.set(instanceId, nodes);
    const shown = (kernel: Kernel) => ({ ...kernel, name: this.titleOf(alias ?? '', kernel.name) });
    return (kernels ?? []).flatMap((kernel) => {
      const node = nodes.get(kernel.id);
      return node
        ? [{ node, item: () => kernelItem(instanceId, shown(kernel), isSilent), onPage: { kind: 'work' } }]
        : [];
    });
  }
}

function kernelItem(instanceId: number, kernel: Kernel, isSilent: boolean): vscode.TreeItem {
  const { id, name } = kernel;
  const item = new vscode.TreeItem(t('Kernel {0}', name));
  item.id = `kernel-${instanceId}-${id}`;
  const { state, explained } = isSilent
    ? {
        state: t('no answer'),
        explained: t('The Jupyter server of the instance does not answer'),
      }
    : stateText(kernel);
  item.description = state;
  item.tooltip = explained;
  item.iconPath = new vscode.ThemeIcon('notebook');
  item.contextValue = ';kernel;';
  return item;
}

function stateText({ isBusy, isDead, connections }: Kernel) {
  if (isDead) {
    return {
      state: t('ended'),
      explained: t('Ended by itself, for example because memory ran out. Its variables are lost'),
    };
  }
  return isBusy
    ? { state: t('busy'), explained: t('Runs a cell. Connections: {0}', connections) }
    : {
        state: t('idle'),
        explained: t(
          'Waits for a cell and keeps its variables and GPU memory. Connections: {0}',
          connections,
        ),
      };
}
