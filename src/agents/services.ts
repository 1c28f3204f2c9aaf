import { join } from 'node:path';
import type { SettingsReader } from '../editor/settings';
import { keysOf } from '../instanceKeys';
import type { JobServices } from '../jobs/services';
import { stateOf } from '../model/instances/instanceState';
import { hasPassed } from '../model/rentals/machineVerdict';
import type { ScheduleServices } from '../schedules/services';
import type { Services as CoreServices } from '../services';
import { sentBytes } from '../ssh/sentFiles';
import { runTimed } from '../ssh/timedCommand';
import type { Account, Accounts } from '../store/accounts/accounts';
import { fileLock } from '../util/fileLock';
import type { Own } from '../wing';
import { agentRentals } from './model/request';
import { AgentDesk } from './store/agentDesk';
import { AgentLimitStore } from './store/agentLimits';
import { AgentToolRegistry } from './store/agentTools';
import { CommandAnswers } from './store/commandAnswers';
import { JobPlans } from './store/jobPlans';
import type { JobToolHandlers } from './store/jobTools';
import { OpenFolders } from './store/openFolders';
import { ownLimitProblem } from './store/ownLimits';
import type { AgentJobs } from './store/plannedJob';
import type { AgentSsh, ToolDeps } from './store/toolDeps';

type Deps = Pick<
  CoreServices & ScheduleServices & JobServices,
  | 'accounts'
  | 'budget'
  | 'clock'
  | 'fleet'
  | 'hub'
  | 'jobFolder'
  | 'jobs'
  | 'keptSecrets'
  | 'log'
  | 'machineProofs'
  | 'redactor'
  | 'rentals'
  | 'schedules'
  | 'searchBudget'
  | 'secrets'
  | 'settings'
  | 'ssh'
  | 'storageDir'
  | 'volumes'
>;

export type AgentServices = ReturnType<typeof agentServices>;
/** What the features of this wing know. */
export type Services = CoreServices & ScheduleServices & JobServices & AgentServices;

/** Makes the services for agents; they run and read nothing until agent access is on. */
export function agentServices(deps: Deps, own: Own) {
  const { secrets, redactor, fleet, rentals, machineProofs, clock, storageDir } = deps;
  const agentLimits = new AgentLimitStore({ secrets, settings: () => limitsOf(deps.settings) });
  const ownLimits = { ...deps, limitPerHour: () => deps.settings.get('gpuRental.rent.limitPerHour') };
  const commandAnswers = new CommandAnswers();
  const jobPlans = new JobPlans();
  const openFolders = own(new OpenFolders(deps.hub));
  const agentJobs = jobsForAgents(deps, openFolders);
  let desk: AgentDesk | undefined;
  const agentDesk = () =>
    (desk ??= own(
      new AgentDesk({
        ...deps,
        limits: agentLimits,
        ownProblem: (perHour, instanceId) => ownLimitProblem(ownLimits, perHour, instanceId),
        others: (key) => accountsLimitedWith(deps.accounts, key),
        windowId: deps.hub.windowId,
        lock: fileLock(join(storageDir, 'agents.lock'), clock),
      }),
    ));
  const toolDeps = () => ({
    ...deps,
    desk: agentDesk(),
    commandAnswers,
    agentJobs,
    jobPlans,
    isReady: (instanceId: number) => {
      const instance = fleet.find(instanceId);
      return deps.settings.get('gpuRental.ready.checkLogin')
        ? hasPassed(instance, rentals.find(instanceId)?.offer, machineProofs.find(instanceId)?.check)
        : instance !== undefined && stateOf(instance, fleet.facts(instanceId), clock.now()) === 'running';
    },
    ssh: agentSsh(deps),
    redact: (value: string) => redactor.redact(value),
  });
  const agentTools = own(
    new AgentToolRegistry({
      access: async () => {
        const { set, inForce } = await agentLimits.read();
        return { access: inForce.access, asked: set.access };
      },
      inputs: async () => (await import('./model/toolShapes')).toolInputs,
      handlers: async () => {
        const { marketTools } = await import('./store/marketTools');
        const { instanceTools } = await import('./store/instanceTools');
        return { ...marketTools(toolDeps()), ...instanceTools(toolDeps()), ...laterJobTools(toolDeps) };
      },
      redact: (value) => redactor.redact(value),
      clock,
      log: deps.log,
    }),
  );
  /** Returns the agent names by the ids of instances that agents rented; empty if that can't be read. */
  const rentedByAgents = async (): Promise<ReadonlyMap<number, string>> => {
    try {
      return agentRentals(await agentDesk().read());
    } catch (error) {
      deps.log.warn(`What agents rented could not be read: ${String(error)}`);
      return new Map();
    }
  };
  return { agentLimits, agentDesk, agentTools, agentJobs, openFolders, rentedByAgents };
}

/** The tools of jobs are read with their first call. */
function laterJobTools(deps: () => ToolDeps): JobToolHandlers {
  const tools = async () => {
    const { jobTools } = await import('./store/jobTools');
    return jobTools(deps());
  };
  return {
    check_job: async (...call) => (await tools()).check_job(...call),
    run_job: async (...call) => (await tools()).run_job(...call),
    get_job: async (...call) => (await tools()).get_job(...call),
    list_jobs: async (...call) => (await tools()).list_jobs(...call),
    fetch_outputs: async (...call) => (await tools()).fetch_outputs(...call),
    stop_job: async (...call) => (await tools()).stop_job(...call),
    extend_job: async (...call) => (await tools()).extend_job(...call),
  };
}

/** What agents need of the job engine. */
function jobsForAgents(
  deps: Pick<Deps, 'jobs' | 'jobFolder' | 'keptSecrets'> & Parameters<typeof agentSsh>[0],
  folders: OpenFolders,
): AgentJobs {
  const { jobs, jobFolder, keptSecrets } = deps;
  return {
    jobs,
    folders,
    kept: (accountKey) => keptSecrets.all(accountKey),
    files: async (folder, spec, signal) => {
      const sent = await jobFolder.files(folder, spec, signal);
      const missing = spec.sync ? await jobFolder.missing(folder, spec, sent) : [];
      const { names, secretFiles } = sent;
      const leftOut = sent.leftOut.map(({ name }) => name);
      return { names, secretFiles, leftOut, bytes: sentBytes(sent), missing: missing.length > 0 };
    },
    setupKey: jobFolder.setupKey,
    commit: jobFolder.commit,
    prepare: async (...call) => void (await agentSsh(deps).prepare(...call)),
  };
}

/** The demo's money is none, so it neither counts nor is counted. */
async function accountsLimitedWith(accounts: Accounts, accountKey: string): Promise<readonly string[]> {
  const real = (await accounts.known()).filter(({ isDemo }) => !isDemo).map(({ key }) => key);
  return real.includes(accountKey) ? real : [];
}

function limitsOf(settings: SettingsReader) {
  return {
    access: settings.get('gpuRental.agents.access'),
    perDay: settings.get('gpuRental.agents.limitPerDay'),
    perHour: settings.get('gpuRental.agents.limitPerHour'),
    instances: settings.get('gpuRental.agents.maxInstances'),
    hours: settings.get('gpuRental.agents.maxHours'),
    questionsPerHour: settings.get('gpuRental.agents.maxQuestionsPerHour'),
  };
}

/** Exported for its test. */
export function agentSsh(deps: Pick<Deps, 'ssh' | 'fleet' | 'clock' | 'log'>): AgentSsh {
  const { ssh, fleet } = deps;
  const prepare = async (
    account: Account,
    instanceId: number,
    checkNow: () => Promise<void>,
    signal?: AbortSignal,
  ) => {
    const keys = await keysOf(deps, account, instanceId, signal);
    await checkNow();
    const { alias } = await ssh.prepare(
      { account, instanceId, instance: fleet.find(instanceId), ...keys },
      signal,
    );
    return { alias, command: ssh.commandLine(alias) };
  };
  return {
    prepare: (account, instanceId, checkNow) => prepare(account, instanceId, checkNow),
    run: async (account, instanceId, command, { checkNow, ...options }) => {
      const { alias } = await prepare(account, instanceId, checkNow, options.signal);
      await checkNow();
      return runTimed(deps, alias, command, options);
    },
  };
}
