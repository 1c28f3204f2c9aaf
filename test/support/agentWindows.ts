import assert from 'node:assert/strict';
import type { AgentRequest } from '../../src/model/agents/request';
import { noLimits, type AgentLimits } from '../../src/model/agents/limits';
import { AgentDesk, type AgentDeskDeps } from '../../src/store/agents/agentDesk';
import { CommandAnswers } from '../../src/store/agents/commandAnswers';
import { AgentLimitStore } from '../../src/store/agents/agentLimits';
import type { Fleet } from '../../src/store/ports';
import { doAgreed } from '../../src/store/agents/doAgreed';
import { SearchBudget } from '../../src/store/offers/searchBudget';
import type { ToolDeps } from '../../src/store/agents/toolDeps';
import { silentLog } from '../../src/util/log';
import type { ServiceStart } from './computerScene';
import type { FakeComputer } from './fakeWindows';
import { leaseScene, openLeaseWindow, type FakeLeaseDisk } from './leaseWindows';

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
  disk: FakeLeaseDisk,
  { limits: set = noLimits, fleet: other, ownProblem }: AgentWindowOptions = {},
) {
  const window = await openLeaseWindow(computer, disk);
  const { accounts, hub, owned } = window;
  const fleet = other ?? window.fleet;
  const { clock, secrets, storageDir } = computer;
  const limits = new AgentLimitStore({ settings: () => set, secrets });
  await limits.confirm(set);
  const desk = owned.add(
    new AgentDesk({
      ...{ accounts, fleet, hub, limits, clock, log: silentLog, storageDir, windowId: hub.windowId },
      others: async () => (await accounts.known()).map(({ key }) => key),
      ownProblem: ownProblem ?? (() => Promise.resolve(() => undefined)),
      lock: (action) => action(),
    }),
  );
  const commands: string[] = [];
  const ssh: ToolDeps['ssh'] = {
    prepare: (_, id) => Promise.resolve({ alias: `gpu-${id}`, command: `ssh gpu-${id}` }),
    run: (_, __, command) => {
      commands.push(command);
      return Promise.resolve({ code: 0, stdout: '', stderr: '' });
    },
  };
  const searchBudget = owned.add(new SearchBudget(clock, hub));
  const isReady = () => true;
  const redact = (text: string) => text;
  const commandAnswers = new CommandAnswers();
  const given = { ...window, fleet, desk, limits, searchBudget, clock, log: silentLog };
  return { ...given, ssh, commandAnswers, isReady, redact, commands };
}

/** A window with limits that stop nothing; the service has instance 5001, which runs. */
export async function agentScene(start?: ServiceStart, options: AgentWindowOptions = { limits: wideLimits }) {
  const scene = await leaseScene(start);
  const window = await openAgentWindow(scene.computer, scene.disk, options);
  const find = async ({ request }: Answer) => {
    const found = (await window.desk.read()).requests.find(({ id }) => id === request);
    assert.ok(found);
    return found;
  };
  const sayYes = async (asked: Answer): Promise<AgentRequest> => {
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
  return { ...scene, window, find, sayYes, carryOut };
}
export type AgentScene = Awaited<ReturnType<typeof agentScene>>;
export type AgentWindow = Awaited<ReturnType<typeof openAgentWindow>>;
