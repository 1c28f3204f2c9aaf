import type { Schedule } from '../../schedules/model/schedule';
import { powerVerdictOn } from '../../store/instances/power';
import type { RentalStore, Rental } from '../../store/rentals/rentalStore';
import { isWithin } from '../../util/duration';
import { silenceMs } from '../model/agreed';
import { isForRental, type AgentRequest } from '../model/request';
import type { DoAgreedDeps } from './doAgreed';
import { settleJob } from './settleJob';

/** A request whose answer was lost may take this long to appear in the list. */
const showsAfterMs = 60_000;

/**
 * Settles requests whose answer was lost or whose window closed: rentals by the journal, other changes by the
 * list. Runs in the leading window.
 */
export async function settle(deps: DoAgreedDeps): Promise<void> {
  const { accountKey, requests } = deps.desk;
  for (const request of requests) {
    if (accountKey === undefined || deps.desk.isAtWork(request.id)) {
      continue;
    }
    if (request.job || request.tool === 'extend_job') {
      await settleJob(deps, request, accountKey);
    }
    if (isForRental(request)) {
      await settleRental(deps, request);
    } else if (request.job) {
      continue;
    } else if (request.tool === 'change_state' || request.tool === 'destroy_instance') {
      await settleChange(deps, request, accountKey);
    } else {
      await settleOther(deps, request);
    }
  }
}

/**
 * Sets the schedule before the result is reported: every instance of an agent has an end from the start, whichever
 * account is active by then. Does nothing for an account that was removed.
 */
export async function settleRented(
  deps: DoAgreedDeps,
  request: AgentRequest,
  instanceId: number,
): Promise<void> {
  const { commitment, quote } = request;
  if (!quote || !(await deps.desk.find(request.id, quote.accountKey))) {
    return;
  }
  const { accountKey, then } = quote;
  if (commitment) {
    await deps.schedules.setFirst(accountKey, instanceId, then, { kind: 'at', at: commitment.until });
  }
  await deps.desk.move(request.id, ['renting', 'unknown'], { state: 'rented', instanceId }, accountKey);
}

/**
 * Ensures that an instance which an agent started still has its end: a list may have shown it as stopped until the start
 * left, which finishes a scheduled stop. No list finishes a destruction.
 */
export async function keepEnd(
  { schedules, clock }: DoAgreedDeps,
  { instanceId, to, then = 'stop', endsAt }: AgentRequest,
  accountKey: string,
): Promise<void> {
  const isAhead = endsAt !== undefined && endsAt > clock.now();
  if (instanceId !== undefined && to === 'running' && then === 'stop' && isAhead) {
    await schedules.setFirst(accountKey, instanceId, then, { kind: 'at', at: endsAt });
  }
}

/** Puts back the schedule that the end of a start replaced, which did not happen. */
export async function giveBackEnd(
  { schedules }: DoAgreedDeps,
  request: AgentRequest,
  accountKey: string,
): Promise<void> {
  const { instanceId, to, scheduleBefore } = request;
  if (instanceId !== undefined && to === 'running') {
    await schedules.putBack(accountKey, instanceId, (schedule) => isEndOf(request, schedule), scheduleBefore);
  }
}

function isEndOf({ endsAt, then = 'stop' }: AgentRequest, { action, term }: Schedule): boolean {
  return term.kind === 'at' && term.at === endsAt && action === then;
}

async function settleRental(deps: DoAgreedDeps, request: AgentRequest): Promise<void> {
  const { desk, rentals, clock } = deps;
  if (request.state !== 'unknown' && request.state !== 'renting') {
    return;
  }
  const rental = rentalOf(rentals, request);
  const instanceId = rental && instanceOf(rental);
  if (instanceId !== undefined) {
    await settleRented(deps, request, instanceId);
  } else if (rental?.phase.kind === 'notRented' || rental?.phase.kind === 'ended') {
    await desk.move(request.id, ['renting', 'unknown'], {
      state: 'notRented',
      problem: 'The service rented nothing. Get a new quote.',
    });
  } else if (request.marker === undefined && !isWithin(silenceMs, decidedAt(request), clock.now())) {
    // The marker is stored before the request leaves and only while it is open: a request that was given up
    // can't be sent, also where the clock was set back and the time that passed is unknown.
    await desk.move(request.id, ['renting', 'unknown'], ({ marker }) =>
      marker === undefined
        ? { state: 'notRented', problem: 'The window closed before anything was sent. Nothing was rented.' }
        : undefined,
    );
  }
}

/** Returns the journal entry of a request; it exists once anything may have been sent. */
export function rentalOf(
  { rentals }: Pick<RentalStore, 'rentals'>,
  { marker }: AgentRequest,
): Rental | undefined {
  return marker === undefined ? undefined : rentals.find((one) => one.marker === marker);
}

function instanceOf({ phase }: Rental): number | undefined {
  return 'instanceId' in phase ? phase.instanceId : undefined;
}

function decidedAt(request: AgentRequest): number {
  return request.decidedAt ?? request.at;
}

/** Settles a schedule by whether it exists. A command may have run; more can't be known. */
async function settleOther({ desk, schedules, clock }: DoAgreedDeps, request: AgentRequest): Promise<void> {
  const { id, tool, instanceId, state } = request;
  if (state !== 'working' || isWithin(silenceMs, decidedAt(request), clock.now())) {
    return;
  }
  const known = instanceId === undefined ? undefined : schedules.find(instanceId)?.schedule;
  if (tool === 'set_schedule' && known && isEndOf(request, known)) {
    await desk.move(id, [state], { state: 'done' });
    return;
  }
  await desk.move(id, [state], {
    state: 'failed',
    problem:
      tool === 'run_command'
        ? 'The window closed while the command ran. It may have run, in part or in whole, and its output is lost.'
        : tool === 'set_schedule'
          ? 'The window closed, and the schedule may not be set. Call list_instances to see when it ends.'
          : 'The window closed, and the job may not have been changed. Call get_job to see.',
  });
}

/** Settles a change by a list that was read after the request had time to appear. */
async function settleChange(deps: DoAgreedDeps, request: AgentRequest, accountKey: string): Promise<void> {
  const { desk, fleet, clock } = deps;
  const { id, instanceId, to, state } = request;
  const isSilent = state === 'working' && !isWithin(silenceMs, decidedAt(request), clock.now());
  if ((state !== 'unknown' && !isSilent) || instanceId === undefined) {
    return;
  }
  if (fleet.hasEnded(instanceId)) {
    await desk.move(
      id,
      [state],
      to === undefined ? { state: 'done' } : { state: 'failed', problem: 'The instance is gone.' },
    );
    return;
  }
  const instance = fleet.find(instanceId);
  const list = fleet.state;
  if (!instance || list.kind !== 'ready' || list.fetchedAt < decidedAt(request) + showsAfterMs) {
    return;
  }
  const verdict =
    to === undefined ? 'notDone' : powerVerdictOn(to === 'running' ? 'start' : 'stop', instance);
  if (verdict === 'done') {
    await keepEnd(deps, request, accountKey);
    await desk.move(id, [state], { state: 'done' }, accountKey);
  } else if (verdict === 'notDone') {
    await giveBackEnd(deps, request, accountKey);
    await desk.move(
      id,
      [state],
      {
        state: 'failed',
        problem: 'Nothing changed, by the list of instances. You may ask again with a new requestId.',
      },
      accountKey,
    );
  }
}
