import { createHash } from 'node:crypto';
import { roundUp, type Micros } from '../../model/money';
import type { InstanceSchedules } from '../../schedules/store/instanceSchedules';
import type { Account, Accounts } from '../../store/accounts/accounts';
import type { Fleet } from '../../store/instances/fleetStore';
import type { SearchBudget } from '../../store/offers/searchBudget';
import type { EndSettings } from '../../store/rentals/lastRental';
import type { RentalStore } from '../../store/rentals/rentalStore';
import { wait, type Clock } from '../../util/clock';
import type { Log } from '../../util/log';
import { ToolError, untrustedText } from '../model/answer';
import { claimedName } from '../model/claimedName';
import type { AgentRequest } from '../model/request';
import type { ToolName } from '../model/toolShapes';
import type { AgentDesk } from './agentDesk';
import type { ToolContext } from './agentTools';
import type { CommandAnswers } from './commandAnswers';
import type { JobPlans } from './jobPlans';
import type { AgentJobs } from './plannedJob';

/** The result of a command on an instance. */
export interface CommandOutcome {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  /** Set if its own end was not seen, as in `runTimed`. */
  readonly trouble?: 'ended' | 'mayRun' | 'cut' | undefined;
}

/** The SSH functions that tools need. Each asks `checkNow`, which throws, right before it writes or logs in. */
export interface AgentSsh {
  /** Writes the SSH entry of an instance; returns its alias and the command to log in. */
  prepare(
    account: Account,
    instanceId: number,
    checkNow: () => Promise<void>,
  ): Promise<{ readonly alias: string; readonly command: string }>;
  run(
    account: Account,
    instanceId: number,
    command: string,
    options: {
      readonly timeoutMs: number;
      readonly signal: AbortSignal;
      readonly checkNow: () => Promise<void>;
    },
  ): Promise<CommandOutcome>;
}

export interface ToolDeps {
  readonly desk: AgentDesk;
  readonly accounts: Accounts;
  readonly fleet: Fleet;
  readonly schedules: InstanceSchedules;
  readonly rentals: RentalStore;
  readonly settings: EndSettings;
  readonly searchBudget: Pick<SearchBudget, 'waitMs' | 'note'>;
  /** Returns true if the last check passed: a login worked, and the machine matches what was rented. */
  readonly isReady: (instanceId: number) => boolean;
  readonly ssh: AgentSsh;
  readonly commandAnswers: CommandAnswers;
  readonly agentJobs: AgentJobs;
  readonly jobPlans: JobPlans;
  readonly redact: (text: string) => string;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * Returns the active account once it and its schedules are read: a client sends an open call again to a window that has
 * just opened.
 */
export async function activeAccount({
  accounts,
  schedules,
}: Pick<ToolDeps, 'accounts' | 'schedules'>): Promise<Account> {
  await accounts.load();
  const { active, state } = accounts;
  if (active) {
    await schedules.ready;
    return active;
  }
  throw new ToolError(
    state.kind === 'unreadable'
      ? 'The key of the account could not be read on this computer. Nothing was done. Ask the user to look at GPU Rental in the editor, then call again.'
      : 'The user is not signed in. Ask the user to sign in to GPU Rental in the editor.',
  );
}

/** A call that would wait longer for its search (ms) returns when the agent should call again. */
const longestTurnMs = 30_000;

/**
 * Waits until a search of an agent may leave, and counts it. Agents can search without end, and a rental that the user
 * confirmed must not wait for them.
 */
export async function awaitSearchTurn(
  { searchBudget, clock }: Pick<ToolDeps, 'searchBudget' | 'clock'>,
  signal: AbortSignal,
): Promise<void> {
  for (let waitMs = searchBudget.waitMs(); waitMs > 0; waitMs = searchBudget.waitMs()) {
    if (waitMs > longestTurnMs) {
      throw new ToolError(
        `The service takes only some searches a minute. Call again in ${Math.ceil(waitMs / 1000)} seconds.`,
      );
    }
    await wait(clock, waitMs, signal);
  }
  searchBudget.note();
}

/** Returns how long a tool may wait for a change (ms): some clients give up a call after 30 seconds. */
export function waitMsOf({ waitSeconds = 0 }: { readonly waitSeconds?: number | undefined }): number {
  return Math.min(waitSeconds, 25) * 1000;
}

/** Returns dollars with four decimals, rounded up. */
export function usd(amount: Micros): number {
  return roundUp(amount / 100) / 10_000;
}

export function idIn(handle: string): number {
  const id = Number(handle.slice(handle.indexOf('_') + 1));
  if (!Number.isSafeInteger(id) || id < 0) {
    throw new ToolError(`${handle} is no handle of this kind. Use one that a tool returned.`);
  }
  return id;
}

/** Marks text from untrusted sources, by kind. */
export function untrusted(
  deps: Pick<ToolDeps, 'redact'>,
  texts: Readonly<Record<string, string | undefined>>,
  most = 80,
): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(texts).flatMap(([key, value]) =>
      value === undefined ? [] : [[key, untrustedText(deps.redact(value), most)] as const],
    ),
  );
}

export function requestBase(
  { desk, clock }: Pick<ToolDeps, 'desk' | 'clock'>,
  tool: AgentRequest['tool'] & ToolName,
  input: { readonly requestId: string; readonly reason?: string | undefined },
  { caller }: ToolContext,
): Pick<AgentRequest, 'id' | 'requestId' | 'tool' | 'print' | 'caller' | 'reason' | 'at' | 'state'> {
  // A retry may phrase the reason differently, so it is not compared.
  const { reason, requestId, ...rest } = input;
  return {
    id: desk.newId('request'),
    requestId,
    tool,
    print: createHash('sha256')
      .update(JSON.stringify([tool, rest]))
      .digest('hex'),
    caller: { ...caller, name: claimedName(caller.name) },
    ...(reason === undefined ? {} : { reason: untrustedText(reason, 200) }),
    at: clock.now(),
    state: 'pending',
  };
}

const nexts: Readonly<Record<AgentRequest['state'], string>> = {
  pending:
    'The user is being asked in the editor. This is not a failure: do not ask again, call get_request until it changes.',
  declined: 'The user said no. Do not ask again unless the user tells you to.',
  expired: 'The user did not answer. Nothing was done. Ask the user in the chat before a new request.',
  overLimit: 'A limit of the user is reached. Nothing was done. Tell the user.',
  renting: 'The rental is under way. Call get_request until it changes.',
  unknown: 'There was no answer yet. It is being read back. Never ask again, call get_request.',
  rented:
    'It is rented and costs money. Call get_request until ready is true, and destroy it when the work is done.',
  notRented: 'Nothing was rented.',
  approved: 'The user said yes. Call run_command again with the same requestId and arguments.',
  working: 'It is under way. Call get_request until it changes.',
  done: 'Done.',
  failed: 'It was not done. Look at the instance before you try again.',
};

const commandRan =
  'The command ran. Call run_command again with the same requestId and arguments for its output.';

export const commandMayHaveRun =
  'The command may have run, in part or in whole: look at the instance before you ask to run it again with a new requestId.';

const jobOrdered = 'The job is ordered, and its machine costs money. Call get_job until isOver is true.';

function nextOf({ tool, state, jobId }: AgentRequest): string {
  const isRun = tool === 'run_command';
  const isRunning = tool === 'run_job' || isRun;
  if (isRunning && jobId !== undefined && (state === 'rented' || state === 'done')) {
    return jobOrdered;
  }
  return isRun && state === 'done'
    ? commandRan
    : isRun && state === 'failed'
      ? commandMayHaveRun
      : nexts[state];
}

/** Returns a request in the form that a model receives. */
export function requestAnswer(request: AgentRequest): Readonly<Record<string, unknown>> {
  const { id, state, problem, instanceId, jobId } = request;
  return {
    request: id,
    state: state === 'approved' ? 'working' : state,
    next: nextOf(request),
    ...(problem === undefined ? {} : { problem }),
    ...(instanceId === undefined ? {} : { instance: `inst_${instanceId}` }),
    ...(jobId === undefined ? {} : { job: `job_${jobId}` }),
  };
}
