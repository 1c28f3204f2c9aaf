import * as vscode from 'vscode';
import type { PastTarget } from '../../commandSpecs';
import { unreadRow } from '../../editor/listRows';
import { t } from '../../editor/localize';
import { agentOfPast, costOfPastText, endText } from '../../editor/pastText';
import { tooltip } from '../../editor/tooltip';
import type { GroupRow, TreeGroup } from '../../editor/treeGroups';
import type { PastRental } from '../../model/rentals/pastRental';
import type { Services } from '../services';
import { descriptionOfPast, nameOfPast, verdictOfPast } from './historyText';

const icons: Readonly<Record<PastRental['end'], string>> = {
  destroyed: 'vm-outline',
  replaced: 'arrow-swap',
  failed: 'error',
  gone: 'question',
};

/** Shows past rentals below the instances, latest first. */
export class HistoryGroup implements TreeGroup {
  readonly id = 'history';
  readonly label = t('Rental History');
  readonly icon = 'history';
  readonly onDidChange;
  private readonly nodes = new Map<number, PastTarget>();
  private readonly unread = { kind: 'historyUnread' };

  constructor(private readonly deps: Pick<Services, 'history' | 'machineProofs' | 'clock'>) {
    this.onDidChange = deps.history.onDidChange;
  }

  description(): string {
    const { length } = this.deps.history.rows;
    return length === 0 ? '' : String(length);
  }

  rows(): readonly GroupRow[] {
    const { rows, error } = this.deps.history;
    return [
      ...(error === undefined ? [] : [{ node: this.unread, item: () => unreadItem(error) }]),
      ...rows.map((past) => ({ node: this.node(past), item: () => this.item(past) })),
    ];
  }

  /** Returns the same object for the same rental, so that a refresh keeps the selection. */
  private node({ instance: { id } }: PastRental): PastTarget {
    const node = this.nodes.get(id) ?? { pastId: id };
    this.nodes.set(id, node);
    return node;
  }

  private item(past: PastRental): vscode.TreeItem {
    const node = this.node(past);
    const item = new vscode.TreeItem(nameOfPast(past));
    item.id = `past-${node.pastId}`;
    item.description = descriptionOfPast(past, this.deps.clock.now());
    item.iconPath = new vscode.ThemeIcon(icons[past.end]);
    item.contextValue = ';past;';
    item.tooltip = tooltip([
      t('Instance #{0}', node.pastId),
      [t('Rented by agent (unverified name)'), agentOfPast(past)],
      [t('How it ended'), endText(past)],
      [t('Cost'), costOfPastText(past)],
      [t('Check of the machine'), verdictOfPast(past, this.deps.machineProofs)],
    ]);
    item.command = { command: 'gpuRental.history.showDetails', title: t('Open'), arguments: [node] };
    return item;
  }
}

function unreadItem(error: unknown): vscode.TreeItem {
  return unreadRow('history-unread', t('Could not read the list'), error);
}
