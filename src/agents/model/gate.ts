import { ToolError } from './answer';
import { overLimit, type LedgerNow } from './ledger';
import { hasYes, hasOutcome, isForRental, type AgentRequest, type AgentState } from './request';

export const hourMs = 3_600_000;
/** A question without an answer is refused after this time. */
export const answerWithinMs = 600_000;
export const quoteLastsMs = 600_000;
const mostPending = 2;
const keptMs = 72 * hourMs;
const mostKept = 300;

/** The facts on which the gate decides at one moment. */
export interface GateNow extends LedgerNow {
  /** Questions of the last hour in the user's other accounts. */
  readonly askedElsewhere: number;
  /** Why the limits that the user has for everything leave no room. */
  readonly ownProblem?: string | undefined;
}

/** The service's time and this computer's differ by less, and no clock is corrected by more. */
const setBackMs = 60_000;

/** Whether something lasts still. What began in the future is over: a clock that was set back prolongs nothing. */
export function lasts(from: number, forMs: number, now: number): boolean {
  return now > from - setBackMs && now < from + forMs;
}

/** It waits for the user, and may still be answered. */
export function isPending({ state, at }: AgentRequest, now: number): boolean {
  return state === 'pending' && lasts(at, answerWithinMs, now);
}

/** Returns a request, expired if its question was not answered in time or its yes was not used. */
function expired(request: AgentRequest, now: number): AgentRequest {
  const { state, at, decidedAt = at } = request;
  if (state === 'pending' && !isPending(request, now)) {
    return { ...request, state: 'expired' };
  }
  return state === 'approved' && !lasts(decidedAt, answerWithinMs, now)
    ? { ...request, state: 'expired', problem: 'The user said yes, and the command came too late.' }
    : request;
}

/** Expires questions and yeses whose time is over, and removes old requests. */
export function tidied(state: AgentState, now: number): AgentState {
  const requests = state.requests.map((one) => expired(one, now));
  // A commitment counts for its day, an unknown rental until it is read back, and an instance stays an agent's.
  const keeps = (one: AgentRequest) =>
    one.instanceId !== undefined ||
    one.state === 'renting' ||
    one.state === 'unknown' ||
    now < Math.max(one.at, one.commitment?.until ?? 0) + keptMs;
  return {
    quotes: state.quotes.filter(({ expiresAt }) => now < expiresAt + answerWithinMs).slice(-50),
    requests: requests.filter(
      (one, at) => keeps(one) && (requests.length - at <= mostKept || one.commitment || hasYes(one)),
    ),
  };
}

/** No client retries a call for longer. */
const retriesWithinMs = hourMs;

/**
 * The request of an earlier call with this id. Throws if it asked for something else,
 * or if it has been over for too long to be retried: a model that makes up the same
 * id again means a new request, and would mistake the old outcome for the new one.
 */
export function repeated(
  state: AgentState,
  requestId: string,
  print: string,
  now: number,
): AgentRequest | undefined {
  const known = state.requests.find((one) => one.requestId === requestId);
  if (known && known.print !== print) {
    throw new ToolError(
      'This requestId was used with other arguments. Use a new requestId for something new, and the same arguments for a retry.',
    );
  }
  if (known && hasOutcome(known) && now >= known.at + retriesWithinMs) {
    throw new ToolError(
      `This requestId belongs to ${known.id}, which is over. Nothing was done by this call. Use a new requestId to ask again, or call get_request for the outcome of then.`,
    );
  }
  return known;
}

/** Adds a request that is a question for the user; throws if it is over a limit or there are too many questions. */
export function asked(state: AgentState, request: AgentRequest, gate: GateNow): AgentState {
  const { now, limits } = gate;
  const about = subjectOf(request);
  const same = about === undefined ? undefined : state.requests.find((one) => subjectOf(one) === about);
  if (same) {
    throw new ToolError(
      `The user was asked about this ${request.job ? 'plan' : 'quote'} already. Call get_request with ${same.id}, or get a new one.`,
    );
  }
  if (state.requests.filter((one) => one.state === 'pending').length >= mostPending) {
    throw new ToolError('Two requests wait for the user already. Wait for their answers with get_request.');
  }
  if (questionsOf(state.requests, now) + gate.askedElsewhere >= limits.questionsPerHour) {
    throw new ToolError(
      `The limit of questions to the user is ${limits.questionsPerHour} an hour. Wait, or ask the user in the chat.`,
    );
  }
  const problem = problemOf(state, request, gate);
  if (problem !== undefined) {
    throw new ToolError(problem);
  }
  return { ...state, requests: [...state.requests, { ...request, state: 'pending' }] };
}

/** The plan or the quote that the user is asked about once. */
function subjectOf({ job, quote }: AgentRequest): string | undefined {
  return job?.plan ?? quote?.id;
}

/** The user's answer, against the limits as they are now. Nothing happens to a request that waits no more. */
export function answered(
  state: AgentState,
  id: string,
  yes: boolean,
  windowId: string,
  gate: GateNow,
): { readonly state: AgentState; readonly request: AgentRequest | undefined } {
  const waiting = tidied(state, gate.now).requests.find((one) => one.id === id && one.state === 'pending');
  if (!waiting) {
    return { state, request: undefined };
  }
  const problem = yes ? problemOf(state, waiting, gate) : undefined;
  const request: AgentRequest = !yes
    ? { ...waiting, state: 'declined', decidedAt: gate.now }
    : problem === undefined
      ? { ...waiting, state: stateAfterYes(waiting), windowId, decidedAt: gate.now }
      : { ...waiting, state: 'overLimit', problem, decidedAt: gate.now };
  return { state: changed(state, request), request };
}

export function changed(state: AgentState, request: AgentRequest): AgentState {
  return { ...state, requests: state.requests.map((one) => (one.id === request.id ? request : one)) };
}

function stateAfterYes(request: AgentRequest): AgentRequest['state'] {
  return isForRental(request) ? 'renting' : request.tool === 'run_command' ? 'approved' : 'working';
}

/** Returns how many questions agents put to the user in the last hour. */
export function questionsOf(requests: readonly AgentRequest[], now: number): number {
  return requests.filter((one) => one.at > now - hourMs && wasAsked(one)).length;
}

function wasAsked(request: AgentRequest): boolean {
  return hasYes(request) || ['pending', 'expired', 'declined', 'overLimit'].includes(request.state);
}

/**
 * Returns why a request that the user agreed to, or that needs no question, may
 * not be carried out now; `undefined` if it may.
 */
export function problemNow(state: AgentState, request: AgentRequest, gate: GateNow): string | undefined {
  const known = state.requests.find(({ id }) => id === request.id);
  return known === undefined || hasOutcome(known)
    ? 'The request was given up before anything was sent.'
    : problemOf(state, known, gate);
}

export function accessProblem({ limits }: Pick<GateNow, 'limits'>): string | undefined {
  return limits.access === 'ask' ? undefined : 'The user does not let agents ask any more.';
}

function problemOf(
  state: AgentState,
  { id, commitment, instanceId }: AgentRequest,
  gate: GateNow,
): string | undefined {
  const refused = accessProblem(gate);
  if (refused !== undefined) {
    return refused;
  }
  return (
    commitment &&
    (gate.ownProblem ??
      overLimit(
        gate,
        state.requests.filter((one) => one.id !== id),
        { commitment, instanceId, hours: (commitment.until - gate.now) / hourMs },
      ))
  );
}
