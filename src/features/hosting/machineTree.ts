import * as vscode from 'vscode';
import { listProblems, problemRow, type ListProblem } from '../../editor/listRows';
import { t } from '../../editor/localize';
import { momentText } from '../../editor/timeText';
import { tooltip, type TooltipLine } from '../../editor/tooltip';
import { plain } from '../../model/instances/instanceState';
import type { Machine } from '../../model/hosting/machine';
import { formatMoney } from '../../model/money';
import { placeText } from '../../model/offers/places';
import type { Services } from '../../services';
import type { MachineList } from './machineList';

export type MachineNode = { readonly kind: 'machine'; readonly machineId: number } | ListProblem;

/** The tree of machines that the account rents out. */
export class MachineTree implements vscode.TreeDataProvider<MachineNode>, vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<MachineNode | undefined>();
  readonly onDidChangeTreeData = this.changed.event;
  private readonly nodes = new Map<number, MachineNode>();
  private readonly subscription;

  constructor(
    private readonly machines: MachineList,
    private readonly clock: Services['clock'],
  ) {
    this.subscription = machines.onDidChange(() => {
      this.changed.fire(undefined);
    });
  }

  getChildren(node?: MachineNode): MachineNode[] {
    const { state } = this.machines;
    if (node || state.kind === 'idle' || state.kind === 'loading') {
      return [];
    }
    const machines = state.kind === 'ready' ? state.value : [];
    return [...listProblems(state), ...machines.map(({ id }) => this.nodeOf(id))];
  }

  getParent(): undefined {
    return undefined;
  }

  getTreeItem(node: MachineNode): vscode.TreeItem {
    return node.kind === 'machine'
      ? this.machineItem(node.machineId)
      : problemRow(node, {
          name: 'machines',
          state: this.machines.state,
          now: this.clock.now(),
          unread,
        });
  }

  dispose(): void {
    this.subscription.dispose();
    this.changed.dispose();
  }

  private nodeOf(machineId: number): MachineNode {
    const node = this.nodes.get(machineId) ?? { kind: 'machine', machineId };
    this.nodes.set(machineId, node);
    return node;
  }

  private machineItem(machineId: number): vscode.TreeItem {
    const machine = this.machines.find(machineId);
    const gpu = machine?.gpuName === undefined ? '' : `${machine.gpuCount ?? 1}× ${plain(machine.gpuName)}`;
    const name = gpu === '' ? `#${machineId}` : `#${machineId} ${gpu}`;
    const item = new vscode.TreeItem(name);
    item.id = `machine-${machineId}`;
    item.contextValue = ';machine;';
    item.iconPath = new vscode.ThemeIcon('server');
    if (machine) {
      item.description = [
        // A narrow view cuts off the end, so the tooltip explains the price.
        machine.gpuPerHour === undefined ? undefined : t('{0}/h', formatMoney(machine.gpuPerHour)),
        occupancyText(machine),
      ]
        .filter((part) => part !== undefined)
        .join(' · ');
      item.tooltip = machineTooltip(machine, this.clock.now());
      item.accessibilityInformation = { label: `${name}, ${item.description}` };
    }
    return item;
  }
}

function unread(count: number): string {
  return count === 1 ? t('1 machine could not be read') : t('{0} machines could not be read', count);
}

/** Returns `2 of 4 rented` for the GPUs. Each letter of the occupancy is one GPU; `x` means free. */
export function occupancyText({ occupancy }: Machine): string | undefined {
  const letters = occupancy
    ?.trim()
    .split(/\s+/)
    .filter((letter) => letter !== '');
  if (letters === undefined || letters.length === 0) {
    return undefined;
  }
  const free = letters.filter((letter) => letter.toLowerCase() === 'x').length;
  return t('{0} of {1} rented', letters.length - free, letters.length);
}

function machineTooltip(machine: Machine, now: number): vscode.MarkdownString {
  const lines: TooltipLine[] = [];
  const line = (label: string, value: string | undefined) => lines.push([label, value]);
  const money = (amount: Machine['gpuPerHour'], unit: string) =>
    amount === undefined ? undefined : `${formatMoney(amount)} ${unit}`;
  line(t('Machine'), `#${machine.id}`);
  line(t('Host name'), machine.hostname);
  line(t('Rented'), occupancyText(machine));
  line(t('Price'), money(machine.gpuPerHour, t('an hour per GPU')));
  line(t('Minimum bid'), money(machine.minBidPerHour, t('an hour per GPU')));
  line(t('Storage'), money(machine.storagePerGbMonth, t('per GB and month')));
  line(
    t('Reliability'),
    machine.reliability === undefined
      ? undefined
      : `${Math.floor(machine.reliability * 10_000 + 1e-6) / 100}%`,
  );
  line(t('Verification'), machine.verification);
  line(t('Location'), machine.location && placeText(machine.location));
  line(
    t('Offered until'),
    machine.listedUntil === undefined ? undefined : momentText(machine.listedUntil * 1000, now),
  );
  return tooltip(lines);
}
