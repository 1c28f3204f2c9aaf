import { t } from '../../editor/localize';
import { labelOf } from '../../editor/titles';
import { depositTerms, type Deposit } from '../../model/instances/deposit';
import type { Instance } from '../../model/instances/instance';
import { formatMoney } from '../../model/money';
import type { ReportView } from '../../webview/report/protocol';
import type { ReadOnRequest } from './readOnRequest';
import { factsSection } from './sections';

export const readDepositButton = 'readDeposit';
export const openConsoleButton = 'openConsole';

/** Returns what a deposit would save, and what was paid in advance; nothing for a machine without such a discount. */
export function depositSections(
  instance: Instance,
  asked: Pick<ReadOnRequest<Deposit>, 'value' | 'text' | 'canRead'> | undefined,
): ReportView['sections'] {
  const terms = depositTerms(instance);
  const { discountNow = 0 } = instance;
  if (terms.length === 0 && discountNow === 0) {
    return [];
  }
  const facts = [
    [t('Discount now'), discountNow > 0 ? t('{0} %', Math.floor(discountNow * 100 + 1e-9)) : undefined],
    ...terms.map(
      ({ months, percent, paysFromDays }) =>
        [
          months === 1 ? t('Deposit for 1 month') : t('Deposit for {0} months', months),
          t('about {0} % less: pays if you keep it for at least {1} days', percent, paysFromDays),
        ] as const,
    ),
    [t('If it ends earlier'), t('The service takes back the discount, and 5 % of it')],
    ...depositFacts(asked?.value),
    [t('Deposit'), asked?.text],
  ] as const;
  return [
    factsSection('deposit', t('Reserved Discount'), facts, [
      ...(asked?.canRead === true ? [{ id: readDepositButton, label: t('Read Deposit') }] : []),
      { id: openConsoleButton, label: labelOf('gpuRental.openConsole') },
    ]),
  ];
}

function depositFacts(deposit: Deposit | undefined) {
  if (!deposit) {
    return [];
  }
  const { refundable, discount, months = 0 } = deposit;
  return [
    [t('Paid back if it ends now'), formatMoney(refundable, 2)],
    [t('Discount so far'), discount === undefined ? undefined : formatMoney(discount, 2)],
    [t('Discount lasts'), months > 0 ? t('{0} months', Math.floor(months * 10) / 10) : undefined],
  ] as const;
}
