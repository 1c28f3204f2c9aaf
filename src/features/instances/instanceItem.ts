import * as vscode from 'vscode';
import { localize, t } from '../../editor/localize';
import { pricePerDay, pricePerHour } from '../../editor/priceText';
import { tooltip } from '../../editor/tooltip';
import type { InstanceNote } from '../../editor/treeGroups';
import type { Instance } from '../../model/instances/instance';
import { costSoFar, ageMs, stoppedCostPerDay } from '../../model/instances/instanceCost';
import { nameInRow } from '../../model/instances/instanceLabel';
import {
  actionsFor,
  billingOf,
  isRateAtMost,
  rateOf,
  stateIcon,
  stateLabel,
  stateOf,
  type InstanceActions,
  type InstanceFacts,
  type StateIcon,
} from '../../model/instances/instanceState';
import { formatMoney, times } from '../../model/money';
import { placeText } from '../../model/offers/places';
import { perDay, perHour } from '../../model/quote';
import { durationText } from '../../util/duration';
import type { TooltipLine } from '../../util/plainMarkdown';

const icons: Record<StateIcon, readonly [icon: string, color: string | undefined]> = {
  running: ['vm-running', 'charts.green'],
  starting: ['sync', 'charts.blue'],
  stopped: ['vm-outline', undefined],
  failed: ['error', 'list.errorForeground'],
  warning: ['warning', 'list.warningForeground'],
  other: ['vm', undefined],
};

/** Returns the row of one instance; values from the service are escaped or plain text. */
export function instanceItem(
  instance: Instance,
  facts: InstanceFacts,
  now: number,
  notes: readonly InstanceNote[] = [],
  /** True if another row has the same name, so that the number is shown. */
  hasTwin = false,
): vscode.TreeItem {
  const kind = stateOf(instance, facts, now);
  const state = localize(stateLabel(instance, kind));
  const rate = rateOf(instance, kind);
  const price =
    rate === undefined
      ? undefined
      : billingOf(instance, kind) === 'disk'
        ? `${isRateAtMost(instance, kind) ? '≤ ' : ''}${pricePerDay(perDay(rate))}`
        : pricePerHour(perHour(rate));
  const own = nameInRow(instance);
  const { label, end } = hasTwin ? { label: `${own.label} #${instance.id}` } : own;
  const item = new vscode.TreeItem(label);
  item.id = `instance-${instance.id}`;
  // A narrow view cuts off the end. A state that needs the user is first of all.
  const needsUser = ['warning', 'failed'].includes(stateIcon(instance, facts, kind));
  const inOrder = [...notes].sort((one, other) => placeOf(one) - placeOf(other)).map(({ row }) => row);
  const parts = [...(needsUser ? [state, price] : [price, state]), ...inOrder].filter(
    (part) => part !== undefined && part !== '',
  );
  item.description = [...parts, ...(end === undefined ? [] : [end])].join(' · ');
  const [icon, color] = icons[iconOfNotes(notes) ?? stateIcon(instance, facts, kind)];
  item.iconPath = new vscode.ThemeIcon(icon, color === undefined ? undefined : new vscode.ThemeColor(color));
  item.contextValue = contextValue(instance, facts, now);
  item.command = {
    command: 'gpuRental.instance.open',
    title: t('Open'),
    arguments: [{ instanceId: instance.id }],
  };
  item.accessibilityInformation = {
    label: [end === undefined ? label : `${label} ${end}`, ...parts].join(', '),
  };
  return item;
}

function placeOf({ isUrgent, isWarning, isWhose, isFigure }: InstanceNote): number {
  return isUrgent || isWarning ? 0 : isWhose ? 1 : isFigure ? 3 : 2;
}

function iconOfNotes(notes: readonly InstanceNote[]): StateIcon | undefined {
  if (notes.some(({ isPending }) => isPending)) {
    return 'starting';
  }
  return notes.some(({ isWarning }) => isWarning) ? 'warning' : undefined;
}

/** Every flag that a `when` clause may use. */
const actionFlags: Readonly<Record<keyof InstanceActions, true>> = {
  canStart: true,
  canStop: true,
  canReboot: true,
  canDestroy: true,
  canConnect: true,
  canDownload: true,
  canReplace: true,
  canChangeBid: true,
  canRunCommand: true,
};

/** Returns the flags for `when` clauses, for example `;instance;canStop;canConnect;`. */
function contextValue(instance: Instance, facts: InstanceFacts, now: number): string {
  const allowed = Object.entries(actionsFor(instance, facts, now))
    .filter(([flag, isAllowed]) => flag in actionFlags && isAllowed)
    .map(([flag]) => flag);
  return `;instance;${allowed.join(';')};`;
}

/** Returns the tooltip, which is made when the pointer rests on the row. */
export function instanceTooltip(
  instance: Instance,
  facts: InstanceFacts,
  now: number,
  notes: readonly InstanceNote[] = [],
): vscode.MarkdownString {
  const lines: TooltipLine[] = [];
  const line = (label: string, value: string | undefined) => lines.push([label, value]);
  const kind = stateOf(instance, facts, now);
  const stopped = stoppedCostPerDay(instance);
  const spent = costSoFar(instance, now);
  const age = ageMs(instance, now);
  line(t('Instance'), `#${instance.id}`);
  line(t('State'), localize(stateLabel(instance, kind)));
  line(t('Host says'), instance.statusMessage);
  line(t('GPU'), gpuText(instance));
  line(t('Image'), instance.image);
  line(
    t('Running'),
    instance.totalPerHour === undefined
      ? undefined
      : t(
          '{0}/h, {1}/day',
          formatMoney(instance.totalPerHour),
          formatMoney(times(instance.totalPerHour, 24)),
        ),
  );
  line(t('Stopped'), stopped === undefined ? undefined : t('{0}/day for storage', formatMoney(stopped)));
  line(
    t('Cost so far'),
    spent === undefined ? undefined : t('at most {0}, without traffic', formatMoney(spent, 2)),
  );
  line(t('Rented for'), age === undefined ? undefined : localize(durationText(age)));
  line(t('Location'), instance.location && placeText(instance.location));
  notes.flatMap((note) => note.lines()).forEach(([label, value]) => line(label, value));
  return tooltip(lines);
}

function gpuText(instance: Instance): string | undefined {
  if (instance.gpuName === undefined) {
    return undefined;
  }
  return `${instance.gpuCount ?? 1}× ${instance.gpuName}`;
}
