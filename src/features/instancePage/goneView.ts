import { localize, t } from '../../editor/localize';
import { agentOfPast, costOfPastText, durationOfPastText, endText, shortCost } from '../../editor/pastText';
import { momentText } from '../../editor/timeText';
import { labelOf } from '../../editor/titles';
import type { CheckResult } from '../../model/rentals/machineCheck';
import { checkText } from '../../model/rentals/machineVerdict';
import type { PastRental } from '../../model/rentals/pastRental';
import type { ReportView } from '../../webview/report/protocol';
import { subtitleOf } from './instanceView';
import { configurationSection, factsSection, logOutput, machineSection } from './sections';

const pastCommands = ['gpuRental.history.rentAgain', 'gpuRental.history.showLog'] as const;

/** Returns the command of a button of a past rental; `undefined` for another button. */
export function pastCommand(button: string): (typeof pastCommands)[number] | undefined {
  return pastCommands.find((id) => id === button);
}

export interface GoneFacts {
  /** False while no list could be read: it may be there. */
  readonly isListed: boolean;
  readonly hasEnded: boolean;
  /** The last check of the machine. */
  readonly check: CheckResult | undefined;
  /** The end of the log that is kept of it. */
  readonly log: string | undefined;
  readonly now: number;
  /** Who ended it, once that was read. */
  readonly endedBy: string | undefined;
  readonly canReadEnd: boolean;
}

export const whoEndedButton = 'whoEnded';

/** Returns the page of an instance that no list has, with what the history knows of its rental. */
export function goneView(
  name: string,
  past: PastRental | undefined,
  facts: GoneFacts,
): Pick<ReportView, 'subtitle' | 'notices' | 'buttons' | 'tiles' | 'sections' | 'output'> {
  const { isListed, hasEnded, log, now } = facts;
  const text =
    past || hasEnded
      ? t('{0} no longer exists. It costs nothing, and its data is lost.', name)
      : t('{0} is missing from the list of instances.', name);
  const severity = past && past.end !== 'gone' ? 'info' : 'warning';
  const notices: ReportView['notices'] = isListed || past ? [{ severity, text, buttons: [] }] : [];
  const showLog = past ? [{ id: 'gpuRental.history.showLog', label: labelOf('gpuRental.showLog') }] : [];
  const output = log === undefined ? {} : { output: logOutput(log, showLog) };
  if (!past) {
    const sections = isListed ? [endSection(past, facts)] : [];
    return { subtitle: '', notices, buttons: [], tiles: [], sections, ...output };
  }
  const tiles: readonly (readonly [label: string, value: string | undefined])[] = [
    [t('Ended'), momentText(past.endedAt, now)],
    [t('Rented for'), durationOfPastText(past)],
    [t('Cost'), shortCost(past)],
  ];
  return {
    subtitle: subtitleOf(past.instance),
    notices,
    buttons: [
      { id: 'gpuRental.history.rentAgain', label: labelOf('gpuRental.history.rentAgain'), primary: true },
    ],
    tiles: tiles.flatMap(([label, value]) => (value === undefined ? [] : [{ label, value }])),
    sections: [
      endSection(past, facts),
      machineSection(past.instance, { isRunning: false }),
      configurationSection(past.instance, now),
    ],
    ...output,
  };
}

function endSection(
  past: PastRental | undefined,
  { check, log, endedBy, canReadEnd }: GoneFacts,
): ReportView['sections'][number] {
  const ended = [t('Ended by'), endedBy] as const;
  const facts = past ? [...factsOf(past, check), ended] : [ended];
  return factsSection(
    'status',
    t('Status'),
    past && log === undefined ? [...facts, [t('Log'), t('not read before the instance ended')]] : facts,
    canReadEnd ? [{ id: whoEndedButton, label: t('Who Ended It?') }] : [],
  );
}

function factsOf(past: PastRental, check: CheckResult | undefined) {
  const { instance, message } = past;
  return [
    [t('How it ended'), endText(past)],
    [t('Host says'), message ?? (past.end === 'destroyed' ? undefined : instance.statusMessage)],
    [t('Cost'), costOfPastText(past)],
    [t('Rented by agent (unverified name)'), agentOfPast(past)],
    [t('Check of the machine'), check && localize(checkText(instance, undefined, check))],
  ] as const;
}
