import { formatMoney, type Micros } from '../model/money';
import { t } from './localize';

/** Returns `$0.31/h` for a sentence, or words if the record has no price. */
export function pricePerHour(cost: Micros | undefined): string {
  return cost === undefined ? notStated() : t('{0}/h', formatMoney(cost));
}

/** Returns `$0.12/day` for a sentence, or words if the record has no price. */
export function pricePerDay(cost: Micros | undefined): string {
  return cost === undefined ? notStated() : t('{0}/day', formatMoney(cost));
}

function notStated(): string {
  return t('a price that the service does not state');
}
