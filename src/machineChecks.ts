import type { SshConsent } from './sshConsent';
import type { CheckAnswer, CheckProblem, CheckStage, NotCheckedReason } from './model/rentals/machineCheck';
import { matchKeys } from './ssh/localKeys';
import type { Failure, PreflightProblem } from './ssh/preflight';
import { NoAddressError, type ConnectOutcome, type PrepareRequest } from './ssh/prepareHost';
import { ProgramMissingError } from './ssh/run';
import type { SshService } from './ssh/service';
import { ManualStepError } from './ssh/userConfig';
import type { Account, Accounts, Fleet, SshKeyList } from './store/ports';
import type { MachineChecks } from './store/rentals/checkRuns';
import type { Log } from './util/log';

export interface MachineChecksDeps {
  readonly accounts: Pick<Accounts, 'active'>;
  readonly fleet: Pick<Fleet, 'find'>;
  readonly ssh: Pick<SshService, 'connect' | 'localKeys' | 'unreadKeys'>;
  readonly sshConsent: Pick<SshConsent, 'isAnswered'>;
  /** Read at most once in a session for this: a check costs the service no requests. */
  readonly sshKeys: Pick<SshKeyList, 'state' | 'refresh'>;
  readonly log: Log;
}

/** Logs in to machines that run, by the same entry as *Connect*, without a question. */
export function createMachineChecks(deps: MachineChecksDeps): MachineChecks {
  return {
    look: async (instanceId, onStage, signal) => {
      const request = await requestFor(deps, instanceId, signal);
      if ('kind' in request) {
        return request;
      }
      try {
        return answerOf(await deps.ssh.connect(request, { signal }), onStage);
      } catch (error) {
        const reason = notCheckedAfter(error);
        if (reason === undefined) {
          throw error;
        }
        return notChecked(reason);
      }
    },
  };
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
    // The list is on its way after a restart.
    return { kind: 'waits', stage: 'port', problem: 'unreachable' };
  }
  if (!sshConsent.isAnswered()) {
    return notChecked('consent');
  }
  const local = await ssh.localKeys(signal);
  const registeredKeys = await registeredLines(account, deps);
  const fits = registeredKeys ? matchKeys(local, registeredKeys) : local;
  if (fits.length === 0 && (await ssh.unreadKeys(signal)).length === 0) {
    return notChecked('noKey');
  }
  const { client } = account;
  return {
    account,
    instanceId,
    instance,
    registeredKeys,
    // Once in the life of a machine, at its first contact.
    log: () => client.instances.logs(instanceId, { tail: 2000 }, { signal, isUnasked: true }),
  };
}

/** `undefined` where the account's keys are not known, or not all of them: then any key of this computer may fit. */
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
  const lines = state.value.map(({ publicKey }) => publicKey);
  return user.sshKey === undefined ? lines : [...lines, user.sshKey];
}

function answerOf({ host, preflight }: ConnectOutcome, onStage: (stage: CheckStage) => void): CheckAnswer {
  const { kind } = host.verification;
  if (kind === 'notIncluded' || kind === 'broken') {
    return notChecked('config');
  }
  // Its disk is full, which a login needs none of.
  if (preflight.ok || preflight.problem === 'diskFull') {
    onStage('gpu');
    return { kind: 'proved' };
  }
  const { lockedFile } = host.identity;
  if (preflight.problem === 'authentication' && lockedFile !== undefined) {
    return notChecked('lockedKey', lockedFile);
  }
  return failed(preflight);
}

const problems: Partial<Record<PreflightProblem, readonly [CheckStage, CheckProblem]>> = {
  refused: ['port', 'refused'],
  timedOut: ['port', 'timedOut'],
  noGreeting: ['port', 'noGreeting'],
  unreachable: ['port', 'unreachable'],
  unresolved: ['port', 'unreachable'],
  authentication: ['login', 'authentication'],
  hostKeyChanged: ['login', 'hostKeyChanged'],
  hostKeyNotPrinted: ['login', 'hostKeyChanged'],
  startupScript: ['login', 'startupScript'],
};

function failed({ problem, detail }: Failure): CheckAnswer {
  if (problem === 'config') {
    // It says nothing about the machine.
    return notChecked('config', detail);
  }
  const [stage, found] = problems[problem] ?? ['login', 'other'];
  return { kind: 'waits', stage, problem: found, detail };
}

function notCheckedAfter(error: unknown): NotCheckedReason | undefined {
  if (error instanceof ProgramMissingError) {
    return 'noClient';
  }
  if (error instanceof NoAddressError) {
    return 'noAddress';
  }
  return error instanceof ManualStepError ? 'config' : undefined;
}

function notChecked(reason: NotCheckedReason, detail?: string): CheckAnswer {
  return { kind: 'notChecked', reason, ...(detail === undefined ? {} : { detail }) };
}
