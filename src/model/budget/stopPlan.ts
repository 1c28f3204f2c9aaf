import { hoursToLimit, partKey, type BudgetNow, type BudgetPart } from './budget';
import { stretchOf } from './period';

/** How long before all instances are stopped a message appears. */
export const noticeMs = 10 * 60_000;

/** A limit that will be reached within the time of the notice. */
export interface DueStop {
  readonly part: BudgetPart;
  /** Identifies the limit and its day. All instances are stopped only once per round. */
  readonly round: string;
  readonly isReached: boolean;
}

/**
 * Returns the limit for which all instances should be stopped, or `undefined` if none is near. Only charges and cost
 * that are certain count, so that a wrong clock or a missing charge never stops a machine.
 */
export function dueStop(budget: BudgetNow): DueStop | undefined {
  if (!budget.isProved) {
    return undefined;
  }
  const due = budget.parts.flatMap((part) => {
    const hours = hoursToLimit(part, budget.rate);
    return hours === undefined || hours * 3_600_000 > noticeMs ? [] : [{ part, hours }];
  });
  const [first] = due.sort((a, b) => a.hours - b.hours);
  return (
    first && {
      part: first.part,
      round: `${partKey(first.part)}:${stretchOf('day', budget.at).from}`,
      isReached: first.hours === 0,
    }
  );
}
