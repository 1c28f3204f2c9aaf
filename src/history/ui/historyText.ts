import { localize, t } from '../../editor/localize';
import { momentText } from '../../editor/timeText';
import { instanceName } from '../../model/instances/instanceLabel';
import { formatMoney } from '../../model/money';
import { placeText } from '../../model/offers/places';
import { checkText } from '../../model/rentals/machineVerdict';
import { costOfPast, durationOfPast, type PastRental } from '../../model/rentals/pastRental';
import type { MachineProofs } from '../../store/rentals/machineProofs';
import { durationText } from '../../util/duration';
import { plainLabel } from '../../util/plainLabel';

export function nameOfPast({ instance }: PastRental): string {
  return plainLabel(instanceName(instance));
}

export function endText({ end }: PastRental): string {
  switch (end) {
    case 'destroyed':
      return t('destroyed');
    case 'replaced':
      return t('replaced by another machine');
    case 'failed':
      return t('its start failed');
    case 'gone':
      return t('no longer listed by the service, and not destroyed from here');
  }
}

function gpuOf({ instance }: PastRental): string {
  return `${instance.gpuCount ?? 1}× ${plainLabel(instance.gpuName ?? '?')}`;
}

function shortCost(past: PastRental): string {
  const cost = costOfPast(past);
  return cost === undefined ? '' : `${cost.isCharged ? '' : '≤ '}${formatMoney(cost.amount, 2)}`;
}

function duration(past: PastRental): string {
  const ms = durationOfPast(past);
  return ms === undefined ? '' : localize(durationText(ms));
}

/** Returns the agent's name in quotation marks, because it is only a claim of the client. */
export function agentOfPast({ agent }: PastRental): string | undefined {
  return agent === undefined ? undefined : t('“{0}”', agent);
}

/** Returns the text beside the name: agent, GPU, cost, duration and end. */
export function descriptionOfPast(past: PastRental, now: number): string {
  return [
    past.agent === undefined ? '' : t('by agent'),
    gpuOf(past),
    shortCost(past),
    duration(past),
    momentText(past.endedAt, now),
  ]
    .filter((part) => part !== '')
    .join(' · ');
}

/** Returns the cost with its source: the service's charges, or an estimate. */
export function costOfPastText(past: PastRental): string {
  const cost = costOfPast(past);
  if (cost === undefined) {
    return t('unknown: the service stated no price');
  }
  const amount = formatMoney(cost.amount, 2);
  return cost.isCharged
    ? t('{0}, as the service charged', amount)
    : t('at most {0}: an estimate from its price, assuming that it always ran, without traffic', amount);
}

/** Returns the outcome of the last check of the machine. */
export function verdictOfPast(
  { instance }: PastRental,
  proofs: Pick<MachineProofs, 'find'>,
): string | undefined {
  const last = proofs.find(instance.id);
  return last && localize(checkText(instance, undefined, last.check));
}

/** Returns the page of a past rental, with a line for each known fact. */
export function pageOfPast(
  past: PastRental,
  {
    verdict,
    log,
    now,
  }: { readonly verdict: string | undefined; readonly log: string | undefined; readonly now: number },
): string {
  const { instance } = past;
  const rows: readonly (readonly [label: string, value: string | undefined])[] = [
    [t('Instance'), `#${instance.id}`],
    [t('GPU'), gpuOf(past)],
    [t('Rented by agent (unverified name)'), agentOfPast(past)],
    [t('Rented'), instance.startedAt === undefined ? undefined : momentText(instance.startedAt * 1000, now)],
    [t('Ended'), momentText(past.endedAt, now)],
    [t('Duration'), duration(past)],
    [t('How it ended'), endText(past)],
    [t('The host said'), past.message ?? instance.statusMessage],
    [t('Cost'), costOfPastText(past)],
    [
      t('Price'),
      instance.totalPerHour === undefined ? undefined : t('{0}/h', formatMoney(instance.totalPerHour)),
    ],
    [t('Rental type'), rentalType(past)],
    [t('Machine'), instance.machineId === undefined ? undefined : `#${instance.machineId}`],
    [t('Location'), placeText(instance.location ?? '')],
    [t('Image'), instance.image],
    [t('Template'), instance.templateName],
    [
      t('Disk'),
      instance.diskSpaceGb === undefined ? undefined : t('{0} GB', Math.round(instance.diskSpaceGb)),
    ],
    [t('Check of the machine'), verdict ?? t('not made')],
    [t('Log'), log === undefined ? t('not read before the instance ended') : t('kept, see below')],
  ];
  const facts = rows.flatMap(([label, value]) => {
    const plain = plainLabel(value ?? '');
    return plain === '' ? [] : `${label}: ${plain}`;
  });
  return [nameOfPast(past), '', ...facts, ...(log === undefined ? [] : ['', log])].join('\n');
}

function rentalType({ instance }: PastRental): string | undefined {
  if (instance.isInterruptible === undefined) {
    return undefined;
  }
  return instance.isInterruptible ? t('interruptible') : t('on demand');
}
