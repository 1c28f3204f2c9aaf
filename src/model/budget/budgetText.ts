import { text, type Text } from '../../util/text';
import { formatCents, formatMoney, type Micros } from '../money';
import { budgetState, usedUp, type BudgetLimits, type BudgetNow, type BudgetPart } from './budget';

/** Formats a limit as the user typed it: `$10`, or `$10.50` with cents. */
function limitText(limit: Micros): string {
  return limit % 1e6 === 0 ? formatMoney(limit, 0) : formatCents(limit);
}

/** Returns, for example, "$10/day". */
export function limitPerPeriod({ period, limit }: Pick<BudgetPart, 'period' | 'limit'>): Text {
  return period === 'day' ? text('{0}/day', limitText(limit)) : text('{0}/month', limitText(limit));
}

/** Returns, for example, "$3.20 of $10/day". */
export function partText(part: BudgetPart): Text {
  const { spent } = part;
  const amount = `${spent.isAtLeast ? '≥ ' : ''}${formatCents(spent.amount)}`;
  return text('{0} of {1}', amount, limitPerPeriod(part));
}

/** Returns a note for the tooltip about what the figures include. */
export function budgetNote({ isWhole }: BudgetNow): Text {
  return isWhole
    ? text('Charges and the cost since the last of them, in UTC days and months')
    : text('At least this much, because not all charges and instances could be read, in UTC days and months');
}

/** Returns which limits are used up, or that the charges could not be read; `undefined` if money may be spent. */
export function overrunText(budget: BudgetNow | undefined): Text | undefined {
  const [first, second] = budget === undefined ? [] : usedUp(budget).map(spentText);
  if (first !== undefined) {
    return second === undefined ? first : text('{0} {1}', first, second);
  }
  return budgetState(budget) === 'unread'
    ? text('Could not read all charges and instances, so your budget may be used up.')
    : undefined;
}

/** Returns a sentence about a limit that is nearly or wholly used up. */
export function spentText(part: BudgetPart): Text {
  const { spent } = part;
  const amount = formatCents(spent.amount);
  return text(
    'You have spent {0} of your budget of {1}.',
    spent.isAtLeast ? text('at least {0}', amount) : amount,
    limitPerPeriod(part),
  );
}

/** Parses typed dollars. Returns 0 for no limit, `undefined` for text that is not an amount. */
export function readLimit(typed: string): number | undefined {
  const line = typed.trim();
  if (line === '') {
    return 0;
  }
  const [, digits] = /^\$?\s*(\d{1,7}(?:\.\d{1,2})?)$/.exec(line) ?? [];
  const dollars = Number(digits);
  return digits !== undefined && dollars <= 1e6 ? dollars : undefined;
}

/** Returns a sentence about the limits that are set. */
export function dayAndMonthText(limits: BudgetLimits): Text {
  const [first, second] = (['day', 'month'] as const).flatMap((period) =>
    limits[period] === undefined ? [] : [limitPerPeriod({ period, limit: limits[period] })],
  );
  return first === undefined
    ? text('No budget is set.')
    : text('Budget of each account: {0}', second === undefined ? first : text('{0}, {1}', first, second));
}
