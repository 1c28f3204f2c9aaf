import type { Charge } from '../../../model/accounts/charge';
import type { Micros } from '../../../model/money';

const secondsPerDay = 86_400;

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
