import { overrunText } from '../../model/budget/budgetText';
import { add, fromDollars, type Micros } from '../../model/money';
import type { Budget } from '../../store/budget/budgetStore';
import { burnSoon, type BurnSoonDeps } from '../../store/instances/burn';
import type { Fleet } from '../../store/instances/fleetStore';
import { isCurrent } from '../../store/instances/listed';
import { formatText } from '../../util/text';
import { usageOf } from '../model/ledger';
import type { AgentRequest } from '../model/request';
import { rentalOf } from './settle';

export interface OwnLimitsDeps extends BurnSoonDeps {
  readonly fleet: BurnSoonDeps['fleet'] & Pick<Fleet, 'refresh'>;
  readonly budget: Pick<Budget, 'current'>;
  /** Dollars an hour that everything which runs may cost; 0 for no limit. */
  readonly limitPerHour: () => number;
}

/** Why the limits of the user leave no room beside these requests, in words for a model. */
export type OwnProblem = (requests: readonly AgentRequest[]) => string | undefined;

/**
 * Returns why the limits of the user leave no room for what an agent wants: a person may exceed them
 * explicitly, an agent may not. Reads the charges and an outdated list of instances first, so that the
 * answer is of the moment in which it is asked. `instanceId` names an instance that exists already.
 */
export async function ownLimitProblem(
  deps: OwnLimitsDeps,
  perHour: Micros,
  instanceId?: number,
): Promise<OwnProblem> {
  const { fleet, clock } = deps;
  if (deps.limitPerHour() > 0 && !isCurrent(fleet.state, clock.now())) {
    // After a failure the list stays outdated, which leaves no room.
    await fleet.refresh().catch(() => undefined);
  }
  const overrun = overrunText(await deps.budget.current());
  return overrun === undefined
    ? (requests) => hourlyProblem(deps, perHour, instanceId, requests)
    : () => `${formatText(overrun)} An agent can't go on. Tell the user.`;
}

function hourlyProblem(
  deps: OwnLimitsDeps,
  perHour: Micros,
  instanceId: number | undefined,
  requests: readonly AgentRequest[],
): string | undefined {
  const limit = deps.limitPerHour();
  if (limit <= 0) {
    return undefined;
  }
  const agreed = requests.filter(
    (one) => isUnderWay(deps, one) && (instanceId === undefined || one.instanceId !== instanceId),
  );
  const counted = [instanceId, ...agreed.map((one) => one.instanceId)].filter((id) => id !== undefined);
  const others = burnSoon(deps, counted);
  const agents = usageOf(agreed, deps.clock.now(), new Set());
  if (add(others.perHour, agents.perHour, perHour) > fromDollars(limit)) {
    return `Everything that runs may cost $${limit}/h, and with this it would cost more. Tell the user, or ask for less.`;
  }
  return others.isPartial && !others.isEarly
    ? `It is not known what everything that runs costs, and it may cost $${limit}/h. An agent can't go on. Tell the user.`
    : undefined;
}

/** Returns whether the user agreed to it and neither the list nor the journal shows its cost. */
function isUnderWay({ rentals }: OwnLimitsDeps, request: AgentRequest): boolean {
  const { state } = request;
  return (
    state === 'working' ||
    ((state === 'renting' || state === 'unknown') && rentalOf(rentals, request) === undefined)
  );
}
