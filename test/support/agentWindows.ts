import assert from 'node:assert/strict';
import type { AgentLimits } from '../../src/agents/model/limits';
import type { AgentRequest } from '../../src/agents/model/request';
import { AgentDesk, type AgentDeskDeps } from '../../src/agents/store/agentDesk';
import { AgentLimitStore } from '../../src/agents/store/agentLimits';
import { CommandAnswers } from '../../src/agents/store/commandAnswers';
import { doAgreed } from '../../src/agents/store/doAgreed';
import { JobPlans } from '../../src/agents/store/jobPlans';
import type { AgentJobs } from '../../src/agents/store/plannedJob';
import type { ToolDeps } from '../../src/agents/store/toolDeps';
import { settingDefaults, type Settings } from '../../src/contributions';
import { filesOfJob } from '../../src/jobs/machine/filesOfJob';
import { missingFiles } from '../../src/jobs/machine/missingFiles';
import { setupKey } from '../../src/jobs/machine/setupKey';
import { JobFiles } from '../../src/jobs/store/jobFiles';
import { Jobs } from '../../src/jobs/store/jobs';
import type { KeptSecret } from '../../src/model/accounts/keptSecret';
import { sentBytes } from '../../src/ssh/sentFiles';
import { accountPath } from '../../src/store/accounts/accountFiles';
import type { Fleet } from '../../src/store/instances/fleetStore';
import { SearchBudget } from '../../src/store/offers/searchBudget';
import { inTurn } from '../../src/util/inTurn';
import { silentLog } from '../../src/util/log';
import type { ServiceStart } from './computerScene';
import type { FakeComputer } from './fakeWindows';
import { scheduleScene, openScheduleWindow, type FakeScheduleDisk } from './scheduleWindows';

/** What a tool answers. */
type Answer = Readonly<Record<string, unknown>>;

/** Limits that stop nothing. */
export const wideLimits: AgentLimits = {
  access: 'ask',
  perDay: 1000,
  perHour: 100,
  instances: 10,
  hours: 100,
  questionsPerHour: 100,
};

export interface AgentWindowOptions {
  readonly limits?: AgentLimits;
  /** In place of the window's own list. */
  readonly fleet?: Fleet;
  readonly ownProblem?: AgentDeskDeps['ownProblem'];
}

/** A window with the desk of agents and everything that their tools need, over a service in memory. */
export async function openAgentWindow(
  computer: FakeComputer,
  disk: FakeScheduleDisk,
  { limits: set = wideLimits, fleet: other, ownProblem }: AgentWindowOptions = {},
) {
  const window = await openScheduleWindow(computer, disk);
  const { accounts, hub, owned } = window;
  const fleet = other ?? window.fleet;
  const { clock, secrets, storageDir } = computer;
  let settings = set;
  const limits = new AgentLimitStore({ settings: () => settings, secrets });
  const setLimits = (change: Partial<AgentLimits>) => {
    settings = { ...settings, ...change };
  };
  await limits.confirm(set);
  const desk = owned.add(
    new AgentDesk({
      ...{ accounts, fleet, hub, limits, clock, log: silentLog, storageDir, windowId: hub.windowId },
      others: async () => (await accounts.known()).map(({ key }) => key),
      ownProblem: ownProblem ?? (() => Promise.resolve(() => undefined)),
      lock: inTurn(),
    }),
  );
  const commands: string[] = [];
  /** Instances whose SSH entry was written, and what runs before it is written and before a command. */
  const entries: number[] = [];
  const sshStep = { before: (): void | Promise<void> => undefined };
  const prepare: ToolDeps['ssh']['prepare'] = async (_, id, checkNow) => {
    await sshStep.before();
    await checkNow();
    entries.push(id);
    return { alias: `gpu-${id}`, command: `ssh gpu-${id}` };
  };
  const ssh: ToolDeps['ssh'] = {
    prepare,
    run: async (account, id, command, { checkNow }) => {
      await prepare(account, id, checkNow);
      await sshStep.before();
      await checkNow();
      commands.push(command);
      return { code: 0, stdout: '', stderr: '' };
    },
  };
  const agentJobs = {
    ...jobsOf(window, computer),
    prepare: async (...call: Parameters<typeof prepare>) => void (await prepare(...call)),
  };
  const searchBudget = owned.add(new SearchBudget(clock, hub));
  const isReady = () => true;
  const redact = (text: string) => text;
  const commandAnswers = new CommandAnswers();
  const given = {
    ...window,
    settings: usualSettings,
    fleet,
    desk,
    limits,
    searchBudget,
    clock,
    log: silentLog,
  };
  const jobParts = { agentJobs, jobPlans: new JobPlans() };
  return {
    ...given,
    ...jobParts,
    ssh,
    commandAnswers,
    isReady,
    redact,
    commands,
    entries,
    sshStep,
    setLimits,
  };
}

/** The jobs of a window, of the folders that a test opens; nothing runs them. */
function jobsOf(
  { accounts, hub, owned }: Awaited<ReturnType<typeof openScheduleWindow>>,
  computer: FakeComputer,
) {
  const { clock, storageDir } = computer;
  const storage = (key: string) =>
    new JobFiles(accountPath(storageDir, key, 'jobs'), silentLog, () => clock.now());
  const secrets: KeptSecret[] = [];
  const folders: { all: string[] } = { all: [] };
  const files: AgentJobs['files'] = async (folder, spec, signal) => {
    const { names, secretFiles, leftOut, ...sent } = await filesOfJob(folder, spec, signal);
    const missing = await missingFiles(folder, spec, { names });
    const rest = { bytes: sentBytes(sent), leftOut: leftOut.map(({ name }) => name) };
    return { names, secretFiles, ...rest, missing: missing.length > 0 };
  };
  return {
    jobs: owned.add(new Jobs({ accounts, hub, clock, log: silentLog, storage })),
    folders,
    secrets,
    kept: () => Promise.resolve(secrets),
    files,
    setupKey,
    commit: () => Promise.resolve(undefined),
  };
}

/** The settings as they are without a change of the user. */
const usualSettings = { get: <Key extends keyof Settings>(key: Key) => settingDefaults[key] };

/** A window with limits that stop nothing; the service has instance 5001, which runs. */
export async function agentScene(start?: ServiceStart, options: AgentWindowOptions = { limits: wideLimits }) {
  const scene = await scheduleScene(start);
  const window = await openAgentWindow(scene.computer, scene.disk, options);
  const find = async ({ request }: Answer) => {
    const found = (await window.desk.read()).requests.find(({ id }) => id === request);
    assert.ok(found);
    return found;
  };
  const confirm = async (asked: Answer): Promise<AgentRequest> => {
    assert.equal(asked['state'], 'pending');
    const answered = await window.desk.answer(String(asked['request']), true);
    assert.ok(answered);
    return answered;
  };
  const carryOut = async (request: AgentRequest) => {
    const { active } = window.accounts;
    await scene.computer.clock.through(doAgreed(window, request, active?.key ?? ''));
    return find({ request: request.id });
  };
  return { ...scene, window, find, confirm, carryOut };
}
export type AgentScene = Awaited<ReturnType<typeof agentScene>>;
export type AgentWindow = Awaited<ReturnType<typeof openAgentWindow>>;
