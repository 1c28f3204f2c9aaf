import { hoursToLimit, partKey, type BudgetNow, type BudgetPart } from './budget';
import { stretchOf } from './period';

/** A message comes so long before all instances are stopped. */
export const noticeMs = 10 * 60_000;

/** What to do about a limit that is reached within the time of the notice. */
export interface DueStop {
  readonly part: BudgetPart;
  /** Names the limit and the day: all instances are stopped once for it. */
  readonly round: string;
  readonly isReached: boolean;
}

/**
 * The limit that all instances are to be stopped for, `undefined` where none is near. Only what the service has
 * charged and what has certainly run since counts: a wrong clock or a missing charge stops no machine.
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
