import { printedLog } from '../instanceKeys';
import type { Instance } from '../model/instances/instance';
import { aliasOf } from '../ssh/alias';
import { probeAgainScript } from '../ssh/gpuProbe';
import { parseProof, proofGreeting } from '../ssh/proofText';
import type { SshService } from '../ssh/service';
import type { Account } from '../store/accounts/accounts';
import type { RunningProofs } from '../store/rentals/runningProofs';
import type { Clock } from '../util/clock';
import type { Log } from '../util/log';
import { armTimer, checkTimer, checkTimerAnd, disarmTimer } from './machine/machineTimer';
import { timerSeconds, type ArmedTimer, type Schedule } from './model/schedule';
import type { ArmResult, TimerProof } from './store/timerProofs';

interface Deps {
  readonly ssh: Pick<SshService, 'entry' | 'exec' | 'prepare'>;
  readonly clock: Pick<Clock, 'now'>;
  readonly log: Log;
}

interface ProofDeps extends Deps {
  readonly runningProofs: Pick<RunningProofs, 'isDue' | 'learn'>;
}

/**
 * Checks a timer without questions or messages, and only if this computer has logged in to its machine before. The same
 * login probes the machine where that is due.
 */
export async function proveTimer(
  deps: ProofDeps,
  account: Account,
  instance: Instance,
  { action, term }: Schedule,
  { token }: ArmedTimer,
): Promise<TimerProof> {
  const alias = await aliasWithoutQuestion(deps, account, instance);
  if (alias === undefined) {
    return 'nothing';
  }
  const { serviceUrl } = account;
  const order = { serviceUrl, instanceId: instance.id, action, seconds: 0, token, mode: term.kind };
  const { runningProofs, clock } = deps;
  const probe = { program: probeAgainScript, mark: proofGreeting };
  const { verdict, rest } = runningProofs.isDue(account.key, instance.id)
    ? await checkTimerAnd(deps.ssh, alias, order, probe)
    : { verdict: await checkTimer(deps.ssh, alias, order), rest: '' };
  const { kind } = verdict;
  const probed = parseProof(rest, clock.now());
  if (probed?.kind === 'proof') {
    await runningProofs.learn(account.key, instance.id, probed.proof);
  }
  deps.log.info(`The check of the timer on ${instance.id} says: ${kind}`);
  // Other problems may resolve before its time.
  return kind === 'armed' ? 'armed' : kind === 'notAlive' ? 'gone' : 'nothing';
}

/** Starts the timer that keeps the agreed idle time, in the same way: the user confirmed it with the rental. */
export async function armQuietly(
  deps: Deps,
  account: Account,
  instance: Instance,
  { action, term }: Schedule,
  token: string,
  mayStart: () => Promise<boolean>,
): Promise<ArmResult> {
  const alias = term.kind === 'idle' ? await aliasWithoutQuestion(deps, account, instance) : undefined;
  if (alias === undefined || term.kind !== 'idle') {
    return 'notAsked';
  }
  if (!(await mayStart())) {
    return 'notAsked';
  }
  const { serviceUrl } = account;
  const times = timerSeconds(term, deps.clock.now());
  const order = { serviceUrl, instanceId: instance.id, action, ...times, token, mode: term.kind };
  const { kind } = await armTimer(deps.ssh, alias, order);
  deps.log.info(`The start of the timer on ${instance.id} says: ${kind}`);
  return kind === 'armed' ? 'armed' : kind === 'notKnown' ? 'notKnown' : 'notArmed';
}

/** Ends a timer in the same way that was started after all; returns whether that is proved. */
export async function endQuietly(deps: Deps, account: Account, instance: Instance): Promise<boolean> {
  const alias = await aliasWithoutQuestion(deps, account, instance);
  return alias !== undefined && disarmTimer(deps.ssh, alias, instance.id);
}

async function aliasWithoutQuestion(
  { ssh }: Deps,
  account: Account,
  instance: Instance,
): Promise<string | undefined> {
  const { id: instanceId } = instance;
  if (!(await ssh.entry(aliasOf(account, instanceId)))) {
    return undefined;
  }
  const log = printedLog(account.client, instanceId, { isUnasked: true });
  const { alias } = await ssh.prepare({ account, instanceId, instance, registeredKeys: undefined, log });
  return alias;
}
