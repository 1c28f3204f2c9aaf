import { stateOf, type InstanceStateKind } from '../../model/instances/instanceState';
import { currentRental } from '../../store/rentals/currentRental';
import type { Rental } from '../../store/rentals/rentalStore';
import type { ReplaceResult } from '../../store/rentals/replacement';
import { isBeingReplaced } from '../../store/rentals/replacementMark';
import { UserError } from '../../util/errors';
import { text, type Text } from '../../util/text';
import { isAtWork, isBeforeStart, machineOf, type JobRow } from '../model/job';
import { hardLimit, limitInputs } from '../model/jobLimits';
import { otherJobText } from '../model/jobText';
import { type LossCause, lossOf, mayTryAgain } from '../model/nextAttempt';
import type { JobStepDeps, Step } from './jobStep';

/** How soon to check again on another job or window (ms). */
const checkMs = 3_000;

/**
 * Moves a job to another machine if the rented one is lost and its file allows another attempt. The replacement of
 * rentals does the work, with its price limit and journal: it first destroys the rest of the old one, and rents
 * nothing beside a machine that may exist. Returns `undefined` if the job stays.
 */
export async function goOnElsewhere(
  deps: JobStepDeps,
  row: JobRow,
  signal: AbortSignal,
): Promise<Step | undefined> {
  const { job, state } = row;
  const { instanceId } = machineOf(row);
  if (!job.rental || instanceId === undefined || !isAtWork(row)) {
    return undefined;
  }
  const rental = deps.rentals.rentals.find(
    ({ phase }) => 'instanceId' in phase && phase.instanceId === instanceId,
  );
  // Jobs that have not started follow a started job of the same machine.
  const hasNotBegun = isBeforeStart(state.phase) || state.phase === 'waiting';
  if (rental && (state.leaving || hasNotBegun)) {
    if (wasReplaced(deps, rental)) {
      return { event: { kind: 'moved', cause: state.leaving ?? 'machineLost' } };
    }
    if (isBeingReplaced(deps, rental)) {
      return { waitMs: checkMs };
    }
  }
  const cause = state.leaving ?? lossHere(deps, row, instanceId);
  if (!cause || !mayTryAgain(job, state, cause) || !hardLimit(...limitInputs(row, deps.clock.now()))) {
    return undefined;
  }
  if (!state.leaving) {
    // Noted first: after a crash the next window follows the new rental.
    return { event: { kind: 'leaving', cause } };
  }
  return held(deps, row, instanceId) ?? stepAfter(await deps.replaceMachine(instanceId, signal), cause);
}

/**
 * Repeats the replacement of a lost machine if the first request rented nothing, as after a crash before it left.
 * Returns `undefined` if there is a rental to follow.
 */
export async function rentAgain(
  deps: JobStepDeps,
  { job, state }: JobRow,
  signal: AbortSignal,
): Promise<Step | undefined> {
  const isAnother = state.phase === 'renting' && (state.firstHere ?? 1) > 1;
  const { phase } = (isAnother && currentRental(deps.rentals.rentals, job.rental?.marker ?? '')) || {};
  if (phase?.kind !== 'ended' || phase.instanceId === undefined) {
    return undefined;
  }
  if (job.decidedAt.stop !== undefined) {
    return { event: { kind: 'notStarted' } };
  }
  const step = stepAfter(await deps.replaceMachine(phase.instanceId, signal), 'machineLost');
  return step.event?.kind === 'moved' ? { waitMs: checkMs } : step;
}

/** Returns the next step while the old machine is spared for other jobs, until it is gone or back. */
function held(deps: JobStepDeps, { job }: JobRow, instanceId: number): Step | undefined {
  if (deps.fleet.hasEnded(instanceId)) {
    return undefined;
  }
  const here = deps.jobs.ofInstance(instanceId);
  const others = here.filter((one) => one.job.id !== job.id);
  const isHeldHere = others.some((one) => !one.state.leaving && !isBeforeStart(one.state.phase));
  if (isHeldHere && others.every(isAtWork)) {
    return { waitMs: checkMs };
  }
  // A lost machine can't be asked, so what each job here last saw there counts: this one may never have asked.
  const [foreign] = here.flatMap((one) => one.state.others ?? []);
  if (!isHeldHere && !foreign) {
    return undefined;
  }
  const kind = stateHere(deps, instanceId);
  if (kind === 'running' || kind === 'stopped') {
    return { event: { kind: 'stayed' }, waitMs: checkMs };
  }
  return notReplaced(
    foreign && !isHeldHere
      ? text('{0} Destroy the old machine to run the job elsewhere.', otherJobText(foreign))
      : heldByOthers,
  );
}

function stateHere({ fleet, clock }: JobStepDeps, instanceId: number): InstanceStateKind | undefined {
  const instance = fleet.find(instanceId);
  return instance && stateOf(instance, fleet.facts(instanceId), clock.now());
}

/** Counts a replacement that may have been rented. */
function wasReplaced({ rentals }: Pick<JobStepDeps, 'rentals'>, { marker }: Rental): boolean {
  return rentals.rentals.some(({ replaces, phase }) => replaces === marker && phase.kind !== 'notRented');
}

function lossHere(
  deps: JobStepDeps,
  { state: { trouble } }: JobRow,
  instanceId: number,
): LossCause | undefined {
  if (deps.fleet.hasEnded(instanceId)) {
    return 'machineLost';
  }
  const kind = stateHere(deps, instanceId);
  const isSilent = trouble?.kind === 'unreachable' || trouble?.kind === 'sync';
  return kind && isSilent ? lossOf(kind, trouble.lastedMs) : undefined;
}

function stepAfter(result: ReplaceResult, cause: LossCause): Step {
  switch (result.kind) {
    case 'replaced':
      return { event: { kind: 'moved', cause } };
    case 'replacedBefore':
    case 'elsewhere':
      return { waitMs: checkMs };
    case 'notNeeded':
      return { event: { kind: 'stayed' }, waitMs: checkMs };
    case 'overBudget':
      return notReplaced(text('Another machine would exceed your budget.'));
    case 'noOffer':
      return notReplaced(text('No offer fits its search and price limit.'));
    case 'templateChanged':
      return notReplaced(text('Its template was changed.'));
    case 'notDestroyed':
      return notReplaced(text('The service has not confirmed that the old machine is destroyed.'));
    case 'destroyedOnly':
      return notReplaced(
        result.error instanceof UserError
          ? result.error.text
          : text('No offer fits its search and price limit.'),
      );
  }
}

function notReplaced(why: Text): Step {
  return { event: { kind: 'failed', trouble: 'notReplaced', why } };
}

const heldByOthers = text('The outputs of another job on the old machine are not on this computer.');
