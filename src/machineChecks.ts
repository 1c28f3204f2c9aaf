import { accountLines, printedLog } from './instanceKeys';
import type { SshKey } from './model/accounts/account';
import type { FoundService } from './model/instances/foundServices';
import type { MachineProof } from './model/proof/machineProof';
import type { CheckAnswer, CheckProblem, CheckStage, NotCheckedReason } from './model/rentals/machineCheck';
import type { Reading } from './shared/reading';
import { probeGpus, type ProbeAnswer } from './ssh/gpuProbe';
import { HostKeyError } from './ssh/hostKey';
import { matchKeys } from './ssh/localKeys';
import { parseServices, servicesScript } from './ssh/machineServices';
import type { Failure, PreflightProblem } from './ssh/preflight';
import { NoAddressError, NoLoginError, type PreparedHost, type PrepareRequest } from './ssh/prepareHost';
import { triedKeyName } from './ssh/problemText';
import { ProgramMissingError } from './ssh/run';
import type { SshService } from './ssh/service';
import { ManualStepError } from './ssh/userConfig';
import type { SshConsent } from './sshConsent';
import type { Account, Accounts } from './store/accounts/accounts';
import type { Fleet } from './store/instances/fleetStore';
import type { SaidByMachine } from './store/instances/saidByMachine';
import type { MachineChecks } from './store/rentals/checkRuns';
import type { MachineProofs } from './store/rentals/machineProofs';
import type { Clock } from './util/clock';
import type { Log } from './util/log';

export interface MachineChecksDeps {
  readonly accounts: Pick<Accounts, 'active'>;
  readonly fleet: Pick<Fleet, 'find'>;
  readonly ssh: Pick<
    SshService,
    'aliasOf' | 'connect' | 'entry' | 'exec' | 'localKeys' | 'prepare' | 'unreadKeys' | 'unusableKeys'
  >;
  readonly sshConsent: Pick<SshConsent, 'isAnswered'>;
  /** Read at most once per session, so that a check costs the service no requests. */
  readonly sshKeys: Pick<Reading<readonly SshKey[]>, 'state' | 'refresh'>;
  readonly proofs: Pick<MachineProofs, 'keep'>;
  /** What is read of a machine beside its proof. */
  readonly machineServices?: Pick<SaidByMachine<readonly FoundService[]>, 'note' | 'of'>;
  readonly clock: Clock;
  readonly log: Log;
}

/** What needs a machine to be reachable, and no check of it. */
export interface MachineContact {
  /**
   * Prepares the entry of a running machine and logs in once, at another address if the first
   * refuses. Asks nothing, and does not report what is in the way: the next login finds that.
   */
  readonly contact: (instanceId: number, signal: AbortSignal) => Promise<void>;
}

/** A probe of a machine that a login of this computer has reached before. */
export interface RunningProbe {
  /** Asks nothing, and logs in only where a login has proved the address; `undefined` without an answer. */
  readonly probeAgain: (account: Account, instanceId: number) => Promise<MachineProof | undefined>;
}

/** Checks running machines by a login, with the same entry as *Connect* and without questions. */
export function createMachineChecks(deps: MachineChecksDeps): MachineChecks & MachineContact & RunningProbe {
  return {
    probeAgain: async (account, instanceId) => {
      const { clock, ssh, sshConsent } = deps;
      const alias = ssh.aliasOf(account, instanceId);
      if (!sshConsent.isAnswered() || (await ssh.entry(alias))?.isProved !== true) {
        return undefined;
      }
      const isKnown = deps.machineServices?.of(alias, instanceId) !== undefined;
      const more = isKnown ? {} : readingServices(deps, alias);
      const answer = await probeGpus(ssh, alias, { clock, isAgain: true, ...more });
      return answer.kind === 'proof' ? answer.proof : undefined;
    },
    contact: async (instanceId, signal) => {
      const request = await requestFor(deps, instanceId, signal);
      if ('kind' in request) {
        return;
      }
      await deps.ssh.connect(request, { signal }).catch((error: unknown) => {
        if (answerAfter(error) === undefined) {
          throw error;
        }
      });
    },
    check: async (instanceId, onStage, signal) => {
      const request = await requestFor(deps, instanceId, signal);
      if ('kind' in request) {
        return request;
      }
      try {
        return await runChecks(deps, request, onStage, signal);
      } catch (error) {
        const answer = answerAfter(error);
        if (answer === undefined) {
          throw error;
        }
        return answer;
      }
    },
    keep: async (instanceId, check) => {
      await deps.proofs.keep({ instanceId, at: deps.clock.now(), check }).catch((error: unknown) => {
        deps.log.error(`The check of ${instanceId} could not be kept`, error);
      });
    },
  };
}

/** Uses one login if an earlier one proved the address and its host key, otherwise two. */
async function runChecks(
  deps: MachineChecksDeps,
  request: PrepareRequest,
  onStage: (stage: CheckStage) => void,
  signal: AbortSignal,
): Promise<CheckAnswer> {
  const prepared = await deps.ssh.prepare(request, signal);
  const obstacle = configProblem(prepared);
  if (obstacle) {
    return obstacle;
  }
  const first = await probe(deps, prepared.alias, onStage, signal);
  if (first.kind !== 'noLogin') {
    return first;
  }
  // The proof belongs to an earlier boot, or the address no longer accepts logins.
  const { host, preflight } = await deps.ssh.connect(request, { signal });
  if (!preflight.ok && preflight.problem !== 'diskFull') {
    return failed(preflight, host);
  }
  const second = await probe(deps, host.alias, onStage, signal);
  return second.kind === 'noLogin' ? failed(second.failure, host) : second;
}

/** The services of a machine are read by the same login. */
function readingServices({ machineServices: services }: MachineChecksDeps, alias: string) {
  return services
    ? { also: servicesScript, onAlso: (output: string) => services.note(alias, parseServices(output)) }
    : {};
}

async function probe(
  deps: MachineChecksDeps,
  alias: string,
  onStage: (stage: CheckStage) => void,
  signal: AbortSignal,
): Promise<CheckAnswer | Extract<ProbeAnswer, { kind: 'noLogin' }>> {
  const { ssh, clock } = deps;
  const onLogin = () => {
    onStage('gpu');
  };
  const answer = await probeGpus(ssh, alias, { clock, signal, onLogin, ...readingServices(deps, alias) });
  switch (answer.kind) {
    case 'proof':
      return { kind: 'proved', proof: answer.proof };
    case 'busy':
    case 'cut':
      return { kind: 'waits', stage: 'gpu', problem: answer.kind };
    case 'noRoom':
      return { kind: 'unproved', stage: 'gpu', problem: 'noRoom' };
    case 'noLogin':
      return answer;
  }
}

async function requestFor(
  deps: MachineChecksDeps,
  instanceId: number,
  signal: AbortSignal,
): Promise<PrepareRequest | CheckAnswer> {
  const { accounts, fleet, ssh, sshConsent } = deps;
  const account = accounts.active;
  const instance = fleet.find(instanceId);
  if (!account || !instance) {
    // After a restart, the list is still being read.
    return { kind: 'waits', stage: 'port', problem: 'unreachable' };
  }
  if (!sshConsent.isAnswered()) {
    return notChecked('consent');
  }
  const local = await ssh.localKeys(signal);
  const registeredKeys = await registeredLines(account, deps);
  const fits = registeredKeys ? matchKeys(local, registeredKeys) : local;
  if (fits.length === 0 && (await ssh.unreadKeys(signal)).length === 0) {
    const [unusable] = matchKeys(await ssh.unusableKeys(signal), registeredKeys ?? []);
    return unusable ? notChecked('unusableKey', unusable.file) : notChecked('noKey');
  }
  return {
    account,
    instanceId,
    instance,
    registeredKeys,
    // Read once per machine, at its first contact.
    log: printedLog(account.client, instanceId, { signal, isUnasked: true }),
  };
}

/** Returns the account's keys; `undefined` if some are unknown, because then any key of this computer may match. */
async function registeredLines(
  { user }: Account,
  { sshKeys, log }: MachineChecksDeps,
): Promise<readonly string[] | undefined> {
  if (sshKeys.state.kind === 'idle') {
    await sshKeys.refresh({ isUnasked: true }).catch((error: unknown) => {
      log.info(`The SSH keys of the account are not known: ${String(error)}`);
    });
  }
  const { state } = sshKeys;
  if (state.kind !== 'ready' || state.skipped !== undefined) {
    return undefined;
  }
  return accountLines(state.value, user);
}

/** Returns the answer for user config lines that override our entry; they prove nothing about the machine. */
function configProblem({ verification }: PreparedHost): CheckAnswer | undefined {
  const isOwn = verification.kind === 'notIncluded' || verification.kind === 'broken';
  return isOwn ? notChecked('config') : undefined;
}

const problems: Partial<Record<PreflightProblem, readonly [CheckStage, CheckProblem]>> = {
  refused: ['port', 'refused'],
  timedOut: ['port', 'timedOut'],
  noGreeting: ['port', 'noGreeting'],
  unreachable: ['port', 'unreachable'],
  unresolved: ['port', 'unreachable'],
  authentication: ['login', 'authentication'],
  hostKeyChanged: ['login', 'hostKeyChanged'],
  hostKeyNotPrinted: ['login', 'hostKeyNotPrinted'],
  startupScript: ['login', 'startupScript'],
};

function failed({ problem, detail, keysTried, keyFiles }: Failure, host: PreparedHost): CheckAnswer {
  const { lockedFile, unusable } = host.identity;
  if ((problem === 'authentication' || problem === 'notSigned') && lockedFile !== undefined) {
    return notChecked('lockedKey', lockedFile);
  }
  if (problem === 'notSigned') {
    return notChecked('unsignedKey', triedKeyName(keysTried.at(-1) ?? '–', keyFiles));
  }
  if (problem === 'unusableKey') {
    return notChecked('unusableKey', detail);
  }
  if (problem === 'authentication' && unusable) {
    return notChecked('unusableKey', unusable.file);
  }
  if (problem === 'unprotectedKey') {
    return notChecked('unprotectedKey', detail);
  }
  const [stage, found] = problems[problem] ?? ['login', 'other'];
  return (
    configProblem(host) ??
    (problem === 'config' ? notChecked('config', detail) : { kind: 'waits', stage, problem: found, detail })
  );
}

/** Returns the answer for an error; `undefined` for a fault in our code. */
function answerAfter(error: unknown): CheckAnswer | undefined {
  if (error instanceof NoLoginError) {
    return failed(error.failure, error.host);
  }
  if (error instanceof HostKeyError) {
    return { kind: 'waits', stage: 'login', problem: 'hostKeyChanged' };
  }
  if (error instanceof ProgramMissingError) {
    return notChecked('noClient');
  }
  if (error instanceof NoAddressError) {
    return notChecked('noAddress');
  }
  return error instanceof ManualStepError ? notChecked('config') : undefined;
}

function notChecked(reason: NotCheckedReason, detail?: string): CheckAnswer {
  return { kind: 'notChecked', reason, ...(detail === undefined ? {} : { detail }) };
}
