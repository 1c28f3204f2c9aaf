import { t } from '../../editor/localize';
import { formatMoney } from '../../model/money';
import type { ConfirmNotice } from './confirmStep';
import type { Recheck } from './recheck';

/** Nothing was rented: the confirmation appears again with the reason, or no offer is left. */
export interface NotRented {
  readonly kind: 'again' | 'noneLeft';
  readonly notice: ConfirmNotice;
}

/** The offer still exists, but differs from what was confirmed. */
export function changedOffer(check: Exclude<Recheck, { readonly kind: 'asConfirmed' | 'gone' }>): NotRented {
  switch (check.kind) {
    case 'dearer':
      return again(
        t('The price has risen from {0}/h to {1}/h.', formatMoney(check.before), formatMoney(check.after)),
        t('Press Enter to rent at the price below.'),
      );
    case 'bidTooLow':
      return again(
        t(
          'Your bid is {0}/h, but the machine now requires at least {1}/h.',
          formatMoney(check.bid),
          formatMoney(check.least),
        ),
        t('Choose another bid below, or go back to the offers.'),
      );
    case 'repriced':
      return again(
        t('The service now states a different price.'),
        t('Press Enter to rent at the price below.'),
      );
  }
}

export function again(reason: string, detail?: string): NotRented {
  return { kind: 'again', notice: { reason, detail } };
}

export function noneLeft(reason: string): NotRented {
  return { kind: 'noneLeft', notice: { reason } };
}
