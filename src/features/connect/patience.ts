import { isBooting } from '../../model/rentals/machineCheck';
import type { Services } from '../../services';
import type { PreflightProblem } from '../../ssh/preflight';
import {
  NoAddressError,
  NoLoginError,
  type ConnectOutcome,
  type PreparedHost,
  type PrepareRequest,
} from '../../ssh/prepareHost';
import { wait } from '../../util/clock';
import { text, type Text } from '../../util/text';

export interface PatienceDeps extends Pick<Services, 'clock'> {
  readonly attachedKeys: Pick<Services['attachedKeys'], 'isOnTheWay'>;
  readonly fleet: Pick<Services['fleet'], 'find' | 'facts'>;
  readonly startWatches: Pick<Services['startWatches'], 'find'>;
}

export interface Waiting {
  readonly signal: AbortSignal;
  readonly report: (message: Text) => void;
}

/** Each attempt starts a dozen programs, so the pauses between them grow. */
const firstPauseMs = 1000;
const longestPauseMs = 5000;
/** The SSH server starts a little later than its machine, and its keys are added later still. */
const bootProblems: readonly PreflightProblem[] = ['refused', 'noGreeting', 'unreachable', 'timedOut'];

const waitingForKey = text('Waiting for it to accept the key…');

/**
 * Repeats logins that a booting machine refuses, or one that does not have a new
 * key yet; every login of the user uses it.
 */
export class Patience {
  constructor(private readonly deps: PatienceDeps) {}

  /** Returns the last failure; a problem that waiting can't solve is returned at once. */
  async through<T extends ConnectOutcome | PreparedHost>(
    request: PrepareRequest,
    { signal, report }: Waiting,
    login: (request: PrepareRequest) => Promise<T>,
  ): Promise<T> {
    const { fleet, clock, attachedKeys } = this.deps;
    for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(pauseMs + 1000, longestPauseMs)) {
      const boots = this.boots(request.instanceId);
      const instance = fleet.find(request.instanceId) ?? request.instance;
      const attempt = await tried(() => login({ ...request, instance, isBooting: boots }));
      const awaitsKey = attachedKeys.isOnTheWay(request.instanceId) && isKeyRefused(attempt);
      const reason = boots ? waitReason(attempt) : awaitsKey ? waitingForKey : undefined;
      if (reason === undefined) {
        return settled(attempt);
      }
      report(reason);
      await wait(clock, pauseMs, signal);
    }
  }

  private boots(instanceId: number): boolean {
    const { fleet, startWatches, clock } = this.deps;
    const isChecked = startWatches.find(instanceId)?.check !== undefined;
    return isChecked || isBooting(fleet.facts(instanceId), clock.now());
  }
}

type Attempt<T> = { readonly value: T } | { readonly error: unknown };

async function tried<T>(action: () => Promise<T>): Promise<Attempt<T>> {
  try {
    return { value: await action() };
  } catch (error) {
    return { error };
  }
}

function settled<T>(attempt: Attempt<T>): T {
  if ('error' in attempt) {
    throw attempt.error;
  }
  return attempt.value;
}

/** Returns what the login waits for, if waiting may help. */
function waitReason(attempt: Attempt<ConnectOutcome | PreparedHost>): Text | undefined {
  if ('error' in attempt && attempt.error instanceof NoAddressError) {
    return text('Waiting for its SSH address…');
  }
  const failed = failureOf(attempt);
  if (failed && bootProblems.includes(failed.problem)) {
    return text('Waiting for its SSH server…');
  }
  return isKeyRefused(attempt) ? waitingForKey : undefined;
}

/** A key that asks for its passphrase is not accepted later either. */
function isKeyRefused(attempt: Attempt<ConnectOutcome | PreparedHost>): boolean {
  const failed = failureOf(attempt);
  return failed?.problem === 'authentication' && failed.lockedFile === undefined;
}

function failureOf(attempt: Attempt<ConnectOutcome | PreparedHost>) {
  if ('error' in attempt) {
    const { error } = attempt;
    return error instanceof NoLoginError
      ? { problem: error.failure.problem, lockedFile: error.host.identity.lockedFile }
      : undefined;
  }
  const { value } = attempt;
  return 'preflight' in value && !value.preflight.ok
    ? { problem: value.preflight.problem, lockedFile: value.host.identity.lockedFile }
    : undefined;
}
