import { t } from '../../../editor/localize';
import { paidIn, type Invoice } from '../../../model/accounts/invoice';
import { formatMoney, roundUp, sumMoney, zero, type Micros } from '../../../model/money';
import type { ReportView } from '../../../webview/report/protocol';
import { moneyCell, textCell } from './cells';
import { dayName } from './earningsView';
import { reportNotice, type ReportNotice } from './notice';
import type { Spending } from './spendingSource';

interface View {
  readonly tiles: ReportView['tiles'];
  readonly sections: ReportView['sections'];
  readonly notices: readonly ReportNotice[];
}

const secondsPerDay = 86_400;

/** Returns what was paid in, and how it compares with what was spent. */
export function invoicesView({ invoices, charges, origin, isComplete }: Spending): View {
  if ('problem' in invoices) {
    const text = t('Could not read invoices, payments and credits. {0}', invoices.problem);
    return { tiles: [], sections: [], notices: [reportNotice('warning', text)] };
  }
  const { items, skipped } = invoices;
  const isWhole = invoices.isComplete && skipped === 0;
  // Compared as they are shown, or the difference would not be theirs.
  const paid = wholeCents(paidIn(items));
  const spent = wholeCents(sumMoney(charges.map(({ amount }) => amount)));
  // An estimate, or a part of the charges, compares with nothing.
  const isComparable = isWhole && origin === 'service' && isComplete;
  return {
    tiles: [{ label: t('Paid in, less refunds'), value: isWhole ? formatMoney(paid, 2) : t('unknown') }],
    sections: [section(items)],
    notices: [
      ...(isComparable ? [reportNotice('info', differenceText(paid, spent))] : []),
      ...(isWhole
        ? []
        : [
            reportNotice(
              'warning',
              t('Some invoices, payments or credits could not be read and are left out.'),
            ),
          ]),
    ],
  };
}

function wholeCents(amount: Micros): Micros {
  return (roundUp(amount / 1e4) * 1e4) as Micros;
}

function differenceText(paid: Micros, spent: Micros): string {
  const difference = Math.abs(paid - spent) as Micros;
  return difference === zero
    ? t('You paid in as much as you spent in this period.')
    : paid > spent
      ? t('You paid in {0} more than you spent in this period.', formatMoney(difference, 2))
      : t('You spent {0} more than you paid in during this period.', formatMoney(difference, 2));
}

function section(items: readonly Invoice[]): View['sections'][number] {
  return {
    id: 'invoices',
    title: t('Invoices, Payments and Credits'),
    folded: false,
    table: {
      caption: t('Money paid in, and below zero money paid back. The web console has invoices as PDF files.'),
      columns: [
        ...[t('Day'), t('Kind'), t('From'), t('Description'), t('Number'), t('State')].map((label) => ({
          label,
          numeric: false,
        })),
        { label: t('Amount'), numeric: true },
      ],
      rows: items.map(({ at, type, source, description, number, isPaid, amount }, index) => ({
        id: String(index),
        cells: [
          textCell(at === undefined ? undefined : dayName(Math.floor(at / secondsPerDay))),
          textCell(kindText(type)),
          textCell(source),
          textCell(description),
          textCell(number === undefined ? undefined : `#${number}`),
          textCell(isPaid ? t('paid') : t('not paid yet')),
          moneyCell(amount, 2),
        ],
      })),
    },
  };
}

function kindText(type: string): string {
  switch (type) {
    case 'credit':
      return t('Credit');
    case 'transfer':
      return t('Transfer');
    case 'payout':
      return t('Payout');
    case 'refund':
      return t('Refund');
    case 'reserved':
      return t('Deposit for one instance');
    default:
      return type;
  }
}
