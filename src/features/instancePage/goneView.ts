import { localize, t } from '../../editor/localize';
import { momentText } from '../../editor/timeText';
import { formatMoney } from '../../model/money';
import { costOfPast, durationOfPast, type PastRental } from '../../model/rentals/pastRental';
import { durationText } from '../../util/duration';
import type { ReportView } from '../../webview/report/protocol';
import { subtitleOf } from './instanceView';
import { configurationSection } from './sections';

const pastCommands = [
  'gpuRental.history.rentAgain',
  'gpuRental.history.showLog',
  'gpuRental.history.showDetails',
] as const;

/** Returns the command of a button of a past rental; `undefined` for another button. */
export function pastCommand(button: string): (typeof pastCommands)[number] | undefined {
  return pastCommands.find((id) => id === button);
}

/** Returns the page of an instance that no list has, with what the history knows of its rental. */
export function goneView(
  name: string,
  past: PastRental | undefined,
  {
    isListed,
    hasEnded,
    now,
  }: {
    /** False while no list could be read: it may be there. */ readonly isListed: boolean;
    readonly hasEnded: boolean;
    readonly now: number;
  },
): Pick<ReportView, 'subtitle' | 'notices' | 'buttons' | 'tiles' | 'sections'> {
  const text =
    past || hasEnded
      ? t('{0} no longer exists. It costs nothing, and its data is lost.', name)
      : t('{0} is missing from the list of instances.', name);
  const notices: ReportView['notices'] = isListed || past ? [{ severity: 'warning', text, buttons: [] }] : [];
  if (!past) {
    return { subtitle: '', notices, buttons: [], tiles: [], sections: [] };
  }
  const cost = costOfPast(past);
  const duration = durationOfPast(past);
  const labels = [t('Rent Again…'), t('Show Log'), t('Show Details')];
  const tiles: readonly (readonly [label: string, value: string | undefined])[] = [
    [t('Ended'), momentText(past.endedAt, now)],
    [t('Rented for'), duration === undefined ? undefined : localize(durationText(duration))],
    [t('Cost'), cost && `${cost.isCharged ? '' : '≤ '}${formatMoney(cost.amount, 2)}`],
  ];
  return {
    subtitle: subtitleOf(past.instance),
    notices,
    buttons: pastCommands.map((id, index) => ({ id, label: labels[index] ?? '', primary: index === 0 })),
    tiles: tiles.flatMap(([label, value]) => (value === undefined ? [] : [{ label, value }])),
    sections: [configurationSection(past.instance, now)],
  };
}
