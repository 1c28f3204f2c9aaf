import assert from 'node:assert/strict';
import type { ToolName } from '../../../../src/agents/model/toolShapes';
import { toolRisks } from '../../../../src/agents/model/tools';
import { instanceTools } from '../../../../src/agents/store/instanceTools';
import { jobTools } from '../../../../src/agents/store/jobTools';
import { marketTools } from '../../../../src/agents/store/marketTools';
import { agentScene, wideLimits, type AgentScene } from '../../../support/agentWindows';
import { anInstance, anOffer } from '../../../support/builders';
import { openRepository, orderRunningJob } from '../../../support/repository';

const hourMs = 3_600_000;
const context = {
  caller: { id: 'a', name: 'claude', door: 'mcp' },
  signal: new AbortController().signal,
} as const;
const requestId = 'request-no-1';
const own = 'inst_5002';
const other = 'inst_5001';
const stopped = 'inst_5003';

/** Requests that do something; they leave once they no longer wait. */
const writes = ['offers.rent', 'instances.start', 'instances.stop', 'instances.destroy'];

/** Why the limits that the user has for everything leave no room. */
const ownLimit: { problem: string | undefined } = { problem: undefined };

type Answer = Readonly<Record<string, unknown>>;

/** What an agent and the user do until something happens; `step` stands for the time between two of these. */
type Act = (scene: AgentScene, step: () => Promise<void>) => Promise<void>;

/** A tool that asks; the yes and what follows. */
function agreed(ask: (scene: AgentScene) => Promise<Answer>): Act {
  return async (scene, step) => {
    const asked = await ask(scene);
    await step();
    const yes = await scene.confirm(asked);
    await step();
    await scene.carryOut(yes);
  };
}

const ofAgent = { name: 'claude', request: 'request_a' };

/** A question about a job of the user that runs. */
function onJob(ask: (tools: ReturnType<typeof jobTools>, job: string) => Promise<Answer>): Act {
  return async (scene, step) => {
    const job = await orderRunningJob(scene.window);
    await agreed(({ window }) => ask(jobTools(window), job))(scene, step);
  };
}

const acts: readonly (readonly [tool: ToolName, what: string, spends: boolean, act: Act])[] = [
  [
    'request_rental',
    'a rental',
    true,
    async (scene, step) => {
      const tools = marketTools(scene.window);
      const wanted = { offer: 'offer_9001', image: 'ubuntu', diskGb: 20, hours: 2, then: 'stop' } as const;
      const { quote } = await tools.quote_rental(wanted, context);
      await step();
      await agreed(() => tools.request_rental({ quote: String(quote), requestId }, context))(scene, step);
    },
  ],
  [
    'change_state',
    'a start',
    true,
    agreed(({ window }) =>
      instanceTools(window).change_state({ instance: stopped, to: 'running', requestId }, context),
    ),
  ],
  [
    'change_state',
    'a stop that was asked for',
    false,
    agreed(({ window }) =>
      instanceTools(window).change_state({ instance: other, to: 'stopped', requestId }, context),
    ),
  ],
  [
    'change_state',
    'a stop without a question',
    false,
    async ({ window, through }) => {
      await through(instanceTools(window).change_state({ instance: own, to: 'stopped', requestId }, context));
    },
  ],
  [
    'destroy_instance',
    'a destruction',
    false,
    agreed(({ window }) =>
      instanceTools(window).destroy_instance({ instance: other, label: 'training', requestId }, context),
    ),
  ],
  [
    'set_schedule',
    'a later end',
    true,
    agreed(({ window }) =>
      instanceTools(window).set_schedule(
        { instance: own, hoursFromNow: 9, then: 'stop', requestId },
        context,
      ),
    ),
  ],
  [
    'set_schedule',
    'an earlier end',
    false,
    async ({ window }) => {
      await instanceTools(window).set_schedule(
        { instance: own, hoursFromNow: 1, then: 'stop', requestId },
        context,
      );
    },
  ],
  [
    'run_command',
    'a command',
    false,
    async ({ window, confirm }, step) => {
      const run = () =>
        instanceTools(window).run_command({ instance: other, command: 'ls', requestId }, context);
      const asked = await run();
      await step();
      await confirm(asked);
      await step();
      await run();
    },
  ],
  [
    'run_command',
    'a command under an earlier yes',
    false,
    async ({ window }) => {
      await instanceTools(window).run_command({ instance: own, command: 'ls', requestId }, context);
    },
  ],
  [
    'run_command',
    'a long command',
    false,
    async ({ window, confirm }, step) => {
      const wanted = { instance: other, command: 'make', minutes: 90, requestId };
      const asked = await instanceTools(window).run_command(wanted, context);
      await step();
      await confirm(asked);
      await step();
      await instanceTools(window).run_command(wanted, context);
    },
  ],
  ['stop_job', 'a stop of a job', false, onJob((tools, job) => tools.stop_job({ job, requestId }, context))],
  [
    'stop_job',
    'a stop of a job without a question',
    false,
    async ({ window }) => {
      const job = await orderRunningJob(window, { agent: ofAgent });
      await jobTools(window).stop_job({ job, requestId }, context);
    },
  ],
  [
    'extend_job',
    'more hours of a job',
    true,
    onJob((tools, job) => tools.extend_job({ job, hours: 1, requestId }, context)),
  ],
  [
    'fetch_outputs',
    'a fetch',
    false,
    async ({ window }, step) => {
      const job = await orderRunningJob(window, { agent: ofAgent, phase: 'fetching' });
      await step();
      await jobTools(window).fetch_outputs({ job }, context);
    },
  ],
  ['run_job', 'a job with its machine', true, (...play) => ofJob({})(...play)],
  ['run_job', 'a job on an instance', true, (...play) => ofJob({ instance: other })(...play)],
  [
    'connect_instance',
    'an SSH entry',
    false,
    async ({ window }) => {
      await instanceTools(window).connect_instance({ instance: other }, context);
    },
  ],
];

/** A plan, with the answer of the user to it. */
function ofJob(more: object): Act {
  return async (scene, step) => {
    const tools = jobTools(scene.window);
    const { plan } = await tools.check_job({ job: 'train', ...more }, context);
    await step();
    await agreed(() => tools.run_job({ plan: String(plan), requestId }, context))(scene, step);
  };
}

const changes: Readonly<
  Record<
    string,
    { readonly ofSpending?: boolean; readonly make: (scene: AgentScene) => Promise<void> | void }
  >
> = {
  'agents are off': { make: ({ window }) => window.setLimits({ access: 'off' }) },
  'agents may only look': { make: ({ window }) => window.setLimits({ access: 'read' }) },
  'the limit of a day is lower': {
    ofSpending: true,
    make: ({ window }) => window.setLimits({ perDay: 0.01 }),
  },
  'the limit of an hour is lower': {
    ofSpending: true,
    make: ({ window }) => window.setLimits({ perHour: 0.01 }),
  },
  'agents may have no instance': {
    ofSpending: true,
    make: ({ window }) => window.setLimits({ instances: 0 }),
  },
  'the own limit leaves no room': {
    ofSpending: true,
    make: () => {
      ownLimit.problem = 'No room.';
    },
  },
  'another account is active': {
    make: async ({ window }) => {
      await window.accounts.signIn({ serviceUrl: 'https://other.example.com', apiKey: 'another-key' });
    },
  },
};

describe('What an agent does after the user changed their mind', () => {
  async function open(): Promise<AgentScene> {
    ownLimit.problem = undefined;
    const instances = [
      anInstance({ id: 5001, label: 'training' }),
      anInstance({ id: 5002 }),
      anInstance({ id: 5003, actualStatus: 'exited', intendedStatus: 'stopped' }),
    ];
    const scene = await agentScene(
      { offers: [anOffer()], instances },
      { limits: wideLimits, ownProblem: () => Promise.resolve(() => ownLimit.problem) },
    );
    const { window, computer } = scene;
    const at = computer.clock.now();
    const { caller } = context;
    const about = { print: '', caller, at, decidedAt: at, instanceId: 5002, windowId: 'first' };
    const tool = 'request_rental';
    await window.desk.begin({ ...about, id: 'request_a', requestId: 'rented', tool, state: 'rented' });
    const earlier = { ...about, id: 'request_b', requestId: 'command-no-0' };
    await window.desk.begin({ ...earlier, tool: 'run_command', state: 'done' });
    await window.schedules.set(5002, 'stop', { kind: 'at', at: at + 5 * hourMs });
    openRepository(window, computer);
    return scene;
  }

  const effectsOf = ({ service, disk, window }: AgentScene, before: string) => [
    ...service.calls.filter((call) => writes.includes(call)),
    ...window.commands,
    ...window.entries.map(String),
    ...window.agentJobs.jobs.rows.flatMap(({ job, state }) =>
      // What is there before has begun.
      state.startedAt === undefined ? ['a job'] : Object.keys(job.decidedAt),
    ),
    ...(JSON.stringify([...disk.schedules.values()]) === before ? [] : ['a schedule']),
  ];

  /** Plays an act; the change is made in its step of this number. Tells what was done, and whether there is such a step. */
  async function play(act: Act, change: (scene: AgentScene) => Promise<void> | void, at: number) {
    const scene = await open();
    const { service, computer, disk, window } = scene;
    const before = JSON.stringify([...disk.schedules.values()]);
    let count = 0;
    let doneBefore: readonly string[] | undefined;
    const step = async () => {
      count += 1;
      if (count === at) {
        doneBefore = effectsOf(scene, before);
        await change(scene);
      }
    };
    service.before = (call) => (writes.includes(call) ? undefined : step());
    service.wait = step;
    window.sshStep.before = step;
    const { desk } = window;
    const [read, begin] = [desk.read.bind(desk), desk.begin.bind(desk)];
    Object.assign(desk, {
      read: () => step().then(read),
      begin: (...args: Parameters<typeof begin>) => step().then(() => begin(...args)),
    });
    await scene.through(act(scene, step)).catch(() => undefined);
    const done = effectsOf(scene, before);
    await computer.dispose();
    return { done, doneBefore };
  }

  for (const [tool, what, spends, act] of acts) {
    it(`is done where nothing changed: ${what}`, async () => {
      const { done } = await play(act, () => undefined, 0);
      assert.ok(done.length > 0);
    });

    for (const [name, { ofSpending = false, make }] of Object.entries(changes)) {
      if (spends || !ofSpending) {
        it(`is nothing once ${name}: ${what}, at each step`, async () => {
          for (let at = 1; ; at += 1) {
            const { done, doneBefore } = await play(act, make, at);
            if (doneBefore === undefined || doneBefore.some((one) => writes.includes(one))) {
              assert.ok(at > 1, 'there is a step');
              break;
            }
            // The entry before a command stays, and the end that is set before a start is taken back.
            const isUndone = tool === 'change_state' && doneBefore.join() === 'a schedule';
            // A job whose machine is not rented any more is forgotten, and another account shows none.
            const ofJobs = doneBefore.some((one) => ['a job', 'stop', 'extend', 'retry'].includes(one));
            const isForgotten = ofJobs && done.every((one) => doneBefore.includes(one));
            assert.deepEqual(done, isUndone ? [] : isForgotten ? done : doneBefore, `step ${at}`);
          }
        });
      }
    }
  }

  it('is nothing at all for each tool that is rated as a look', async () => {
    const checks: readonly (readonly [ToolName, (scene: AgentScene) => Promise<unknown>])[] = [
      ['search_offers', ({ window }) => marketTools(window).search_offers({}, context)],
      ['list_templates', ({ window }) => marketTools(window).list_templates({}, context)],
      [
        'quote_rental',
        ({ window }) =>
          marketTools(window).quote_rental(
            { offer: 'offer_9001', image: 'ubuntu', diskGb: 20, hours: 2, then: 'stop' },
            context,
          ),
      ],
      ['get_request', ({ window }) => marketTools(window).get_request({ request: 'request_a' }, context)],
      ['list_instances', ({ window }) => instanceTools(window).list_instances({}, context)],
      [
        'get_instance',
        ({ window }) => instanceTools(window).get_instance({ instance: other, logLines: 5 }, context),
      ],
      ['check_job', ({ window }) => jobTools(window).check_job({ job: 'train' }, context)],
      ['get_job', ({ window }) => jobTools(window).get_job({ job: 'job_0123456789abcdef' }, context)],
      ['list_jobs', ({ window }) => jobTools(window).list_jobs({}, context)],
    ];
    const rated = Object.entries(toolRisks).filter(([, [risk]]) => risk === 'read');
    assert.deepEqual(
      checks.map(([name]) => name),
      rated.map(([name]) => name),
    );
    const scene = await open();
    Object.assign(scene.service.client.instances, { logs: () => Promise.resolve('') });
    const before = JSON.stringify([...scene.disk.schedules.values()]);
    for (const [name, check] of checks) {
      await check(scene).catch((error: unknown) => assert.match(String(error), /no such job/, name));
    }
    assert.deepEqual(effectsOf(scene, before), []);
    await scene.computer.dispose();
  });

  it('is looked at for every tool that does more than look', () => {
    const risky = Object.entries(toolRisks).filter(([, [risk]]) => risk !== 'read');
    assert.deepEqual(new Set(acts.map(([tool]) => tool)), new Set(risky.map(([name]) => name)));
  });
});
