import { overrunText } from '../../model/budget/budgetWords';
import { add, fromDollars, type Micros } from '../../model/money';
import { formatText } from '../../util/text';
import type { Budget } from '../budget/budgetStore';
import { burnNow } from '../instances/burn';

export interface OwnLimitsDeps extends Omit<Parameters<typeof burnNow>[0], 'without'> {
  readonly budget: Pick<Budget, 'current'>;
  /** Dollars an hour that everything which runs may cost; 0 for no limit. */
  readonly limitPerHour: () => number;
}

/**
 * Why the limits of the user leave no room for what an agent wants, in words for a model: a person may pass them by name,
 * an agent may not. `instanceId` where it is an instance that is there already.
 */
export async function ownLimitProblem(
  deps: OwnLimitsDeps,
  perHour: Micros,
  instanceId?: number,
): Promise<string | undefined> {
  const overrun = overrunText(await deps.budget.current());
  if (overrun !== undefined) {
    return `${formatText(overrun)} An agent can't go on. Tell the user.`;
  }
  const limit = deps.limitPerHour();
  const others = burnNow({ ...deps, ...(instanceId === undefined ? {} : { without: instanceId }) });
  if (limit <= 0) {
    return undefined;
  }
  if (add(others.perHour, perHour) > fromDollars(limit)) {
    return `Everything that runs may cost $${limit}/h, and with this it would cost more. Tell the user, or ask for less.`;
  }
  return others.isPartial && !others.isEarly
    ? `It is not known what everything that runs costs, and it may cost $${limit}/h. An agent can't go on. Tell the user.`
    : undefined;
}
