import * as vscode from 'vscode';
import type { ParkedTarget } from '../../../commandSpecs';
import { unreadRow } from '../../../editor/listRows';
import { localize, t } from '../../../editor/localize';
import { plainItem } from '../../../editor/plainRow';
import { pricePerHour } from '../../../editor/priceText';
import { stampText } from '../../../editor/timeText';
import { tooltip } from '../../../editor/tooltip';
import type { GroupRow, TreeGroup } from '../../../editor/treeGroups';
import { bytesText } from '../../../util/bytes';
import { shownName } from '../../machine/rawPath';
import {
  accountOf,
  canContinue,
  canResume,
  isAtRest,
  keepsOldMachine,
  type ParkedRow,
} from '../../model/parking';
import type { Services } from '../../services';
import { isUrgent, nameOfSet, priceOfOld, secondCopyOf, stateOfSet } from './parkedText';

const icons: Partial<Readonly<Record<ParkedRow['state']['phase'], string>>> = {
  parked: 'archive',
  stopped: 'debug-pause',
  incomplete: 'warning',
};

/** Parked workspaces beside the instances. */
export class ParkedRows implements TreeGroup {
  readonly id = 'parked';
  readonly label = t('Parked');
  readonly icon = 'archive';
  readonly isOpen = true;
  readonly onDidChange;
  /** The same objects, so that a refresh keeps the selection. */
  private readonly nodes = new Map<string, ParkedTarget>();
  private readonly unread = { kind: 'parkedUnread' };

  constructor(private readonly deps: Pick<Services, 'accounts' | 'clock' | 'fleet' | 'parkings'>) {
    this.onDidChange = deps.parkings.onDidChange;
  }

  rows(): readonly GroupRow[] {
    const { rows, error } = this.deps.parkings;
    return [
      ...(error === undefined
        ? []
        : [
            {
              node: this.unread,
              item: () => unreadRow('parked-unread', t('Could not read the list'), error),
            },
          ]),
      ...rows.map((row) => ({ node: this.node(row), item: () => this.item(row) })),
    ];
  }

  private node({ set: { id } }: ParkedRow): ParkedTarget {
    const node = this.nodes.get(id) ?? { parkedId: id };
    this.nodes.set(id, node);
    return node;
  }

  private item(row: ParkedRow): vscode.TreeItem {
    const { accounts, clock, fleet, parkings } = this.deps;
    const { set, state } = row;
    const item = new vscode.TreeItem(nameOfSet(row));
    item.id = `parked-${set.id}`;
    const isElsewhere = accounts.active?.key !== accountOf(row);
    const isOldGone = keepsOldMachine(row) && fleet.hasEnded(set.from.instanceId);
    const moved = parkings.movedOf(set.id);
    item.description = stateOfSet(row, clock.now(), { moved, isElsewhere, isOldGone });
    item.iconPath = isUrgent(row)
      ? new vscode.ThemeIcon('error', new vscode.ThemeColor('list.errorForeground'))
      : new vscode.ThemeIcon(icons[state.phase] ?? 'sync');
    item.contextValue = `;parkedSet;${flagsOf(row).join('')}`;
    item.tooltip = tooltip([
      shownName(set.root),
      [t('State'), item.description],
      [t('Size'), state.bytes === undefined ? undefined : bytesText(state.bytes)],
      [t('Saved'), state.provedAt === undefined ? undefined : stampText(state.provedAt)],
      [t('Second copy'), secondCopyOf(row)],
      [t('Left out'), set.leftOut.map(shownName).join(', ') || undefined],
      [t('Continued on'), state.resumed && `${state.resumed.name}, ${shownName(state.resumed.root)}`],
      [t('Costs now'), costsNow(row, isOldGone)],
      [t('Problem'), state.trouble && localize(state.trouble.why)],
    ]);
    return plainItem(item);
  }
}

/** Returns which instances of a set cost money. */
function costsNow({ set, state: { endedAt, next } }: ParkedRow, isOldGone: boolean): string {
  const machines = [
    ...(endedAt === undefined && !isOldGone ? [`${set.from.name} ${priceOfOld(set)}`] : []),
    ...(next ? [`${next.name} ${pricePerHour(next.perHour)}`] : []),
  ];
  return machines.join(', ') || t('nothing');
}

function flagsOf(row: ParkedRow): readonly string[] {
  const rests = isAtRest(row);
  return [
    ...(canResume(row.state) && rests ? ['canResume;'] : []),
    ...(canContinue(row) && row.state.phase !== 'copying' ? ['canContinue;'] : []),
    ...(rests ? ['canDelete;'] : ['canStopParking;']),
  ];
}
