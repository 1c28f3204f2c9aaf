import * as vscode from 'vscode';
import type { Machine, ScheduledMaintenance } from '../../../api/records/machine';
import { listProblems, problemRow, type ListProblem } from '../../../editor/listRows';
import { localize, t } from '../../../editor/localize';
import { momentText } from '../../../editor/timeText';
import { tooltip } from '../../../editor/tooltip';
import { formatMoney } from '../../../model/money';
import { placeText } from '../../../model/offers/places';
import type { Services } from '../../../services';
import { durationText } from '../../../util/duration';
import { plainLabel } from '../../../util/plainLabel';
import type { TooltipLine } from '../../../util/plainMarkdown';
import type { MachineList } from './machineList';
import { categoryText } from './maintenance';

export type MachineNode =
  | { readonly kind: 'machine'; readonly machineId: number }
  | {
      readonly kind: 'maintenance';
      readonly machineId: number;
      readonly place: number;
      readonly maintenanceId?: number;
    }
  | { readonly kind: 'windows'; readonly problem: ListProblem }
  | ListProblem;

/** A machine without a sign for this long is unreachable (s). */
const reachableSeconds = 60;

/** The tree of machines that the account rents out. */
export class MachineTree implements vscode.TreeDataProvider<MachineNode>, vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<MachineNode | undefined>();
  readonly onDidChangeTreeData = this.changed.event;
  private readonly nodes = new Map<string, MachineNode>();
  private readonly subscription;

  constructor(
    private readonly deps: Pick<Services, 'accounts' | 'clock'>,
    private readonly machines: MachineList,
  ) {
    const fire = () => this.changed.fire(undefined);
    const both = [machines.onDidChange(fire), machines.windows.onDidChange(fire)];
    this.subscription = { dispose: () => both.forEach((one) => one.dispose()) };
  }

  async getChildren(node?: MachineNode): Promise<MachineNode[]> {
    if (node?.kind === 'machine') {
      const { machineId } = node;
      return this.windowsOf(machineId).map(({ id }, place) =>
        this.nodeOf({
          ...{ kind: 'maintenance', machineId, place },
          ...(id === undefined ? {} : { maintenanceId: id }),
        }),
      );
    }
    if (node) {
      return [];
    }
    // An empty view would claim that there are no machines.
    while (this.deps.accounts.active && ['idle', 'loading'].includes(this.machines.state.kind)) {
      await this.nextChange();
    }
    const { state } = this.machines;
    const machines = state.kind === 'ready' ? state.value : [];
    const { windows } = this.machines;
    if (machines.length > 0 && windows.state.kind === 'idle') {
      void this.machines.refreshWindows({ isUnasked: true });
    }
    return [
      ...listProblems(state),
      ...listProblems(windows.state).map((problem) => this.nodeOf({ kind: 'windows', problem })),
      ...machines.map(({ id }) => this.nodeOf({ kind: 'machine', machineId: id })),
    ];
  }

  getParent(): undefined {
    return undefined;
  }

  getTreeItem(node: MachineNode): vscode.TreeItem {
    switch (node.kind) {
      case 'machine':
        return this.machineItem(node.machineId);
      case 'maintenance':
        return this.maintenanceItem(node.machineId, node.place);
      case 'windows':
        return problemRow(node.problem, {
          name: 'maintenance',
          state: this.machines.windows.state,
          now: this.deps.clock.now(),
          retry: 'gpuRental.refreshMachines',
          consequence: t('Maintenance that is scheduled may be missing.'),
        });
      case 'loadError':
      case 'skipped':
        return problemRow(node, {
          name: 'machines',
          state: this.machines.state,
          now: this.deps.clock.now(),
        });
    }
  }

  dispose(): void {
    this.subscription.dispose();
    this.changed.dispose();
  }

  private nextChange(): Promise<void> {
    return new Promise((resolve) => {
      const subscription = this.machines.onDidChange(() => {
        subscription.dispose();
        resolve();
      });
    });
  }

  /** The editor needs the same object for the same row. */
  private nodeOf(node: Exclude<MachineNode, ListProblem>): MachineNode {
    const key = JSON.stringify(node);
    const known = this.nodes.get(key) ?? node;
    this.nodes.set(key, known);
    return known;
  }

  /** Maintenance that is not over, in the order of time. */
  private windowsOf(machineId: number): readonly ScheduledMaintenance[] {
    const now = this.deps.clock.now();
    return this.machines
      .windowsOf(machineId)
      .filter(({ startsAt, endsAt }) => (endsAt ?? startsAt ?? now) >= now)
      .sort((one, other) => (one.startsAt ?? 0) - (other.startsAt ?? 0));
  }

  private machineItem(machineId: number): vscode.TreeItem {
    const machine = this.machines.find(machineId);
    const gpu =
      machine?.gpuName === undefined ? '' : `${machine.gpuCount ?? 1}× ${plainLabel(machine.gpuName)}`;
    const name = gpu === '' ? `#${machineId}` : `#${machineId} ${gpu}`;
    const item = new vscode.TreeItem(name);
    item.id = `machine-${machineId}`;
    item.contextValue = ';machine;';
    item.iconPath = new vscode.ThemeIcon('server');
    if (this.windowsOf(machineId).length > 0) {
      item.collapsibleState = vscode.TreeItemCollapsibleState.Expanded;
    }
    if (machine) {
      const unreachable = unreachableText(machine);
      if (unreachable !== undefined) {
        item.iconPath = new vscode.ThemeIcon('warning', new vscode.ThemeColor('list.warningForeground'));
      }
      const lines = machineLines(machine, this.deps.clock.now());
      // A narrow view cuts off the end, so the tooltip explains the price.
      item.description = [unreachable, priceInRow(machine), occupancyText(machine)]
        .filter((part) => part !== undefined)
        .join(' · ');
      item.tooltip = tooltip(lines);
      // Screen readers don't read a tooltip in Markdown.
      const facts = lines.map(([label, value]) =>
        value === undefined ? '' : `${label}: ${plainLabel(value)}`,
      );
      item.accessibilityInformation = {
        label: [name, item.description, ...facts].filter((part) => part !== '').join(', '),
      };
    }
    return item;
  }

  private maintenanceItem(machineId: number, place: number): vscode.TreeItem {
    const { id, startsAt = Number.NaN, endsAt, category, reason } = this.windowsOf(machineId)[place] ?? {};
    const now = this.deps.clock.now();
    const item = new vscode.TreeItem(t('Maintenance: {0}', momentText(startsAt, now)));
    item.id = `machine-${machineId}-maintenance-${place}`;
    item.contextValue = id === undefined ? ';maintenance;' : ';maintenance;canCancel;';
    item.iconPath = new vscode.ThemeIcon('tools');
    item.description = [
      endsAt === undefined ? '' : t('until {0}', momentText(endsAt, now)),
      category === undefined ? '' : categoryText(category),
      plainLabel(reason ?? ''),
    ]
      .filter((part) => part !== '')
      .join(' · ');
    return item;
  }
}

/** Returns `2 of 4 rented` for the GPUs. */
export function occupancyText(machine: Machine): string | undefined {
  const gpus = gpusRented(machine);
  return gpus && t('{0} of {1} rented', gpus.rented, gpus.all);
}

/** Returns how many GPUs are rented. Each letter of the occupancy is one GPU; `x` means free. */
export function gpusRented({
  occupancy,
}: Machine): { readonly rented: number; readonly all: number } | undefined {
  const letters = (occupancy ?? '')
    .trim()
    .split(/\s+/)
    .filter((letter) => letter !== '');
  const free = letters.filter((letter) => letter.toLowerCase() === 'x').length;
  return letters.length === 0 ? undefined : { rented: letters.length - free, all: letters.length };
}

/** Returns the price; a machine that is not offered has one all the same. */
function priceInRow({ gpuPerHour, isListed }: Machine): string | undefined {
  if (isListed === false) {
    return t('not offered');
  }
  return gpuPerHour === undefined ? undefined : t('{0}/h', formatMoney(gpuPerHour));
}

function unreachableText({ silentSeconds: silent = 0 }: Machine): string | undefined {
  return silent < reachableSeconds
    ? undefined
    : t('unreachable for {0}', localize(durationText(silent * 1000)));
}

function machineLines(machine: Machine, now: number): readonly Exclude<TooltipLine, string>[] {
  const money = (amount: Machine['gpuPerHour'], unit: string) =>
    amount === undefined ? undefined : `${formatMoney(amount)} ${unit}`;
  return [
    [t('Machine'), `#${machine.id}`],
    [t('Host name'), machine.hostname],
    [t('Rented'), occupancyText(machine)],
    [t('Price'), money(machine.gpuPerHour, t('an hour per GPU'))],
    [t('Minimum bid'), money(machine.minBidPerHour, t('an hour per GPU'))],
    [t('Storage'), money(machine.storagePerGbMonth, t('per GB and month'))],
    [
      t('Reliability'),
      machine.reliability === undefined
        ? undefined
        : `${Math.floor(machine.reliability * 10_000 + 1e-6) / 100} %`,
    ],
    [t('Verification'), machine.verification],
    [t('Location'), machine.location && placeText(machine.location)],
    [
      t('Offered until'),
      machine.listedUntil === undefined ? undefined : momentText(machine.listedUntil * 1000, now),
    ],
  ];
}
