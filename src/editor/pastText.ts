import { formatMoney } from '../model/money';
import type { PastRental } from '../model/rentals/pastRental';
import { costOfPast, durationOfPast } from '../model/rentals/pastRental';
import { durationText } from '../util/duration';
import { localize, t } from './localize';

/** Returns how a rental ended, as far as this computer knows. */
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

/** Returns the amount alone; `undefined` without a price. */
export function shortCost(past: PastRental): string | undefined {
  const cost = costOfPast(past);
  return cost && `${cost.isCharged ? '' : '≤ '}${formatMoney(cost.amount, 2)}`;
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

export function durationOfPastText(past: PastRental): string | undefined {
  const ms = durationOfPast(past);
  return ms === undefined ? undefined : localize(durationText(ms));
}

/** Returns the agent's name in quotation marks, because it is only a claim of the client. */
export function agentOfPast({ agent }: PastRental): string | undefined {
  return agent === undefined ? undefined : t('“{0}”', agent);
}
