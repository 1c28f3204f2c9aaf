import { runCommand } from '../../../editor/commands';
import { localize, t } from '../../../editor/localize';
import { labelOf } from '../../../editor/titles';
import { chargedBy, listedFrom, type Charge } from '../../../model/accounts/charge';
import type { Invoice } from '../../../model/accounts/invoice';
import type { BudgetNow } from '../../../model/budget/budget';
import { partText } from '../../../model/budget/budgetText';
import type { Micros } from '../../../model/money';
import { DayRange } from './days';
import { rangeFilters } from './earningsSource';
import { dayName } from './earningsView';
import { withDollarNames } from './exports';
import { invoicesView } from './invoicesView';
import { reportNotice } from './notice';
import type { ReportSource } from './reportController';
import { spendingView } from './spendingView';

export interface Spending {
  readonly charges: readonly Charge[];
  readonly skipped: number;
  /** False if there are more charges than are read at once, the oldest of which are missing, or more instances. */
  readonly isComplete: boolean;
  /** Where the figures come from: the service's list of charges, or instances that this computer has seen. */
  readonly origin: 'service' | 'observed';
  readonly invoices: Invoices;
  /** Ids of the instances rented by agents. */
  readonly agentInstances: readonly number[];
}

/** What was paid in and paid back, or why that could not be read. */
export type Invoices =
  | { readonly items: readonly Invoice[]; readonly skipped: number; readonly isComplete: boolean }
  | { readonly problem: string };

/** Reads the charges and invoices from `from` to `to` (Unix seconds, both included). */
type ReadSpending = (
  range: {
    readonly from: number;
    readonly to: number;
    /** From when charges are listed that may be of the range. */
    readonly listedFrom: number;
  },
  signal: AbortSignal,
) => Promise<Spending>;

const secondsPerDay = 86_400;

/** What the account paid for, by day, by instance and by kind. */
export class SpendingSource implements ReportSource<Spending> {
  readonly id = 'spending';
  readonly title = t('My Spending');
  private readonly range: DayRange;

  constructor(
    private readonly readSpending: ReadSpending,
    private readonly now: () => number,
    private readonly budget: () => BudgetNow | undefined,
  ) {
    this.range = new DayRange(now);
  }

  subtitle(): string {
    return t(
      'What this account paid for from {0} to {1}. Days are in UTC, money in US dollars.',
      dayName(this.range.start),
      dayName(this.range.end),
    );
  }

  filters() {
    return rangeFilters(this.range);
  }

  setFilter(id: string, value: string): boolean {
    return this.range.set(id, value);
  }

  buttons() {
    return [{ id: 'console', label: labelOf('gpuRental.openConsole') }];
  }

  press(id: string): void {
    if (id === 'console') {
      void runCommand('gpuRental.openConsole', { part: 'credit' });
    }
  }

  read(signal: AbortSignal): Promise<Spending> {
    return this.range.read(async ({ start, end }) => {
      const range = { from: start * secondsPerDay, to: (end + 1) * secondsPerDay - 1 };
      const asked = { ...range, listedFrom: listedFrom(range.from) };
      const { charges, ...rest } = await this.readSpending(asked, signal);
      const at = this.now() / 1000;
      return { ...rest, charges: charges.flatMap((charge) => spreadOverDays(chargedBy(at, charge), range)) };
    }, signal);
  }

  draw(spending: Spending) {
    const notices = [
      reportNotice(
        'info',
        spending.origin === 'service'
          ? t("These figures come from the service's list of charges.")
          : t(
              "This API key can't read the charges of the account. The figures are an estimate from the instances that this computer has seen, as if they had always run, without bandwidth and volumes.",
            ),
      ),
      ...(spending.charges.length === 0 ? [reportNotice('info', t('Nothing in this period.'))] : []),
      ...(spending.isComplete
        ? []
        : [
            reportNotice(
              'warning',
              spending.origin === 'service'
                ? t(
                    'There are more charges than could be read, so the oldest are left out. Choose a shorter time to see them.',
                  )
                : t('Instances that could not be read, or whose price is unknown, are left out.'),
            ),
          ]),
      ...(spending.skipped > 0
        ? [
            reportNotice(
              'warning',
              t('Could not be read and are left out: {0}. The log names the field.', spending.skipped),
            ),
          ]
        : []),
    ];
    const view = spendingView(spending, localize);
    const paid = invoicesView(spending);
    return {
      tiles: [...view.tiles, ...paid.tiles, ...this.budgetTiles()],
      sections: [...view.sections, ...paid.sections],
      notices: [...notices, ...paid.notices],
    };
  }

  private budgetTiles() {
    const parts = this.budget()?.parts ?? [];
    return parts.map((part) => ({ label: t('Budget'), value: localize(partText(part)) }));
  }

  json(spending: Spending): unknown {
    return withDollarNames(spending, ['amount']);
  }
}

/**
 * Splits a charge into one part per UTC day and returns the parts within the range of whole days (Unix seconds, both ends
 * included). If the range covers the whole charge, the parts add up to its amount.
 */
export function spreadOverDays(
  charge: Charge,
  range: { readonly from: number; readonly to: number },
): readonly Charge[] {
  const { start, end } = charge;
  const at = start ?? end;
  if (at === undefined) {
    return [charge];
  }
  if (start === undefined || end === undefined || end <= start) {
    return at >= range.from && at <= range.to ? [charge] : [];
  }
  const parts: Charge[] = [];
  // Walks the days of the range, because the times of a charge may be absurd.
  for (let from = Math.max(start, range.from); from < end && from <= range.to;) {
    const to = Math.min(end, (Math.floor(from / secondsPerDay) + 1) * secondsPerDay);
    parts.push(partOf(charge, { start, end }, { start: from, end: to }));
    from = to;
  }
  return parts;
}

interface Times {
  readonly start: number;
  readonly end: number;
}

function partOf(charge: Charge, whole: Times, part: Times): Charge {
  const share = (amount: Micros) => {
    const until = (moment: number) =>
      Math.round(amount * ((moment - whole.start) / (whole.end - whole.start)));
    return (until(part.end) - until(part.start)) as Micros;
  };
  const items = charge.items.map((item) => ({ ...item, amount: share(item.amount) }));
  return { ...charge, ...part, amount: share(charge.amount), items };
}
