import { t } from '../../editor/localize';
import { formatMoney } from '../../model/money';
import type { RentChoices } from '../../model/rentals/rentPlan';
import type { RentResult } from '../../store/rentals/rentalStore';
import { plainLabel } from '../../util/plainLabel';
import type { ConfirmNotice } from './confirmStep';
import type { Recheck } from './recheck';

type Rented = Extract<RentResult, { readonly kind: 'rented' }>;

/** Returns whether a message is needed beside the progress that each rented machine shows. */
export function needsMessage(
  results: readonly RentResult[],
  wanted: number,
  choices: Pick<RentChoices, 'targetState'>,
): boolean {
  return (
    wanted > 1 ||
    choices.targetState === 'stopped' ||
    results.some((result) => result.kind !== 'rented' || result.warning !== undefined)
  );
}

/** Describes the results of rentals; `whyNotAll` accounts for the machines that were not asked for. */
export function resultText(results: readonly RentResult[], wanted: number, whyNotAll?: string): string {
  const sentence = outcomeText(results, wanted);
  return whyNotAll === undefined ? sentence : t('{0} {1}', sentence, whyNotAll);
}

function outcomeText(results: readonly RentResult[], wanted: number): string {
  const rented = results.filter((result) => result.kind === 'rented');
  const open = results.filter((result) => result.kind === 'notKnown').length;
  const [first] = rented;
  if (first && rented.length === 1 && wanted === 1) {
    return first.warning === undefined
      ? t('Rented as instance {0}.', first.instanceId)
      : t(
          'Rented as instance {0}, but the service answered: {1}. It exists and costs money.',
          first.instanceId,
          plainLabel(first.warning),
        );
  }
  return [countText(rented, open, wanted), ...lostTexts(results), ...warningTexts(results)].join(' ');
}

function countText(rented: readonly Rented[], open: number, wanted: number): string {
  const numbers = rented.map(({ instanceId }) => String(instanceId)).join(', ');
  if (rented.length > 0) {
    return open === 0
      ? t('Rented {0} of {1} machines: {2}.', rented.length, wanted, numbers)
      : t('Rented: {0}. Not confirmed yet: {1} more.', numbers, open);
  }
  return open > 0
    ? t('The service did not answer, so the machine may have been rented. Checking your instances…')
    : t('The service did not answer, and no machine was rented.');
}

/** Gives the reason for the machines that were not rented beside others that were or may have been. */
function lostTexts(results: readonly RentResult[]): readonly string[] {
  const lost = results.filter(({ kind }) => kind === 'notRented').length;
  return lost === 0 || lost === results.length ? [] : [t('No answer, and not rented: {0} more.', lost)];
}

function warningTexts(results: readonly RentResult[]): readonly string[] {
  return results.flatMap((result) =>
    result.kind === 'rented' && result.warning !== undefined
      ? t(
          'Instance {0} exists and costs money, but the service answered: {1}.',
          result.instanceId,
          plainLabel(result.warning),
        )
      : [],
  );
}

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

export function nothingRentable(reason: string): NotRented {
  return { kind: 'noneLeft', notice: { reason } };
}
