import assert from 'node:assert/strict';
import { readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { AgentLimits } from '../../../../src/agents/model/limits';
import type { AgentRequest } from '../../../../src/agents/model/request';
import { toolInputs, type ToolName } from '../../../../src/agents/model/toolShapes';
import { toolSpecs } from '../../../../src/agents/model/tools';
import { AgentToolRegistry, type Caller } from '../../../../src/agents/store/agentTools';
import { doAgreed } from '../../../../src/agents/store/doAgreed';
import { instanceTools } from '../../../../src/agents/store/instanceTools';
import { jobTools } from '../../../../src/agents/store/jobTools';
import { marketTools } from '../../../../src/agents/store/marketTools';
import { fromDollars } from '../../../../src/model/money';
import { silentLog } from '../../../../src/util/log';
import {
  agentScene,
  openAgentWindow,
  type AgentScene,
  type AgentWindow,
} from '../../../support/agentWindows';
import { anInstance, anOffer } from '../../../support/builders';
import { openRepository } from '../../../support/repository';
import { seeded, sized, testSeed } from '../../../support/seeded';
import { argumentsOf } from '../../../support/toolArguments';

const runs = sized(12, 500);
const stepsOfARun = 30;
const usual: AgentLimits = {
  access: 'ask',
  perDay: 50,
  perHour: 5,
  instances: 6,
  hours: 8,
  questionsPerHour: 30,
};
const callers: readonly Caller[] = [
  { id: 'a', name: 'claude', door: 'mcp' },
  { id: 'b', name: 'claude', door: 'mcp' },
  { id: 'chat', name: 'the chat', door: 'chat' },
];
/** Calls after which the user is asked. */
const ways: readonly (readonly ToolName[])[] = [
  ['search_offers', 'quote_rental', 'request_rental'],
  ['check_job', 'run_job'],
  ['list_instances', 'run_command'],
  ['list_instances', 'change_state'],
  ['list_jobs', 'extend_job'],
];
const hostile: readonly unknown[] = [
  null,
  '',
  '../../etc',
  -1,
  1e308,
  '9'.repeat(400),
  ['inst_5001'],
  { toString: 'x' },
  '$(id)',
  '\u202e\u0000',
];

/** What the user saw in the question of a yes. */
interface Yes {
  readonly request: AgentRequest;
  readonly files: ReadonlySet<string>;
  readonly command: string;
  used: boolean;
}

/** A user whose agents try everything, with a judge that knows only what the user said yes to and what left. */
class Attack {
  readonly counts = { calls: 0, rents: 0, jobs: 0, commands: 0 };
  private readonly yeses: Yes[] = [];
  private readonly wrong: string[] = [];
  private readonly commands = new Map<string, object>();
  private command = 'sh train.sh';
  private readonly handles = new Set<string>();
  private access: AgentLimits['access'] = 'ask';
  private registry: AgentToolRegistry;

  private constructor(
    private readonly scene: AgentScene,
    private window: AgentWindow,
    private readonly random: () => number,
    private folder: string,
  ) {
    this.registry = this.registryOf(window);
    scene.service.before = (call, id) => this.judge(call, id);
    this.watchJobs();
  }

  static async begin(random: () => number): Promise<Attack> {
    const offers = [anOffer(), anOffer({ id: 9002, totalPerHour: fromDollars(0.7) })];
    const instances = [anInstance({ id: 5001, label: 'mine' })];
    const scene = await agentScene({ offers, instances }, { limits: usual });
    return new Attack(scene, scene.window, random, openRepository(scene.window, scene.computer));
  }

  async end(): Promise<void> {
    await this.scene.computer.dispose();
  }

  async step(): Promise<void> {
    const before = this.reach();
    const wasLetIn = this.access === 'ask';
    const turn = this.random();
    await (turn < 0.4 ? this.call() : turn < 0.5 ? this.answer() : turn < 0.6 ? this.meddle() : this.work());
    assert.deepEqual(this.wrong, []);
    if (!wasLetIn && this.access !== 'ask') {
      assert.deepEqual(this.reach(), before, 'something was written or run while agents may only look');
    }
  }

  /** What only agents that may ask can change. */
  private reach() {
    const { entries, commands, agentJobs } = this.window;
    return [entries.length, commands.length, agentJobs.jobs.rows.length, this.scene.service.rented.length];
  }

  /** What an agent does that knows the way, while things change around it. */
  private async work(): Promise<void> {
    if (this.random() < 0.7) {
      this.setAccess('ask');
      this.window.setLimits(usual);
    }
    for (const name of this.pick(ways)) {
      await this.call(name, this.argumentsFor(name, false));
      if (this.random() < 0.15) {
        await this.meddle();
      }
    }
    await this.answer();
    for (const sent of [...this.commands.values()].slice(-1)) {
      await this.call('run_command', sent);
    }
  }

  private async call(
    name = this.pick(toolSpecs).name,
    sent: unknown = this.argumentsFor(name),
  ): Promise<void> {
    const caller = this.pick(callers);
    if (name === 'run_command' && typeof sent === 'object' && sent !== null) {
      this.commands.set(JSON.stringify(sent), sent);
    }
    const isTakenAway = this.random() < 0.1;
    this.interfere(isTakenAway);
    const { signal } = new AbortController();
    const answer = await this.scene.through(this.registry.call(name, sent, caller, signal));
    this.interfere(false);
    this.counts.calls += 1;
    assert.ok(Buffer.byteLength(answer.text) <= 6144, name);
    for (const [handle] of answer.text.matchAll(/\b(?:offer|quote|plan|inst|job|request)_[\w-]+/g)) {
      this.handles.add(handle);
    }
  }

  /** Presses a button of some question, whose window may have looked at it long ago. */
  private async answer(): Promise<void> {
    const { requests } = await this.window.desk.read();
    const pending = requests.filter(({ state }) => state === 'pending');
    const request = this.pick(this.random() < 0.8 && pending.length > 0 ? pending : requests);
    if (!requests.includes(request)) {
      return;
    }
    const isYes = this.random() < 0.8;
    const files = new Set(this.filesNow());
    const { command } = this;
    const isOpen = request.state === 'pending';
    const agreed = await this.window.desk.answer(request.id, isYes);
    if (!agreed || !isYes) {
      return;
    }
    assert.ok(isOpen, 'a question is answered once');
    this.yeses.push({ request: agreed, files, command, used: false });
    if (this.random() < 0.6) {
      await this.meddle();
    }
    this.interfere(this.random() < 0.3);
    if (agreed.state === 'renting' || agreed.state === 'working') {
      const key = this.window.accounts.active?.key ?? '';
      await this.scene.through(doAgreed(this.window, agreed, key));
    }
    this.interfere(false);
  }

  private async meddle(): Promise<void> {
    const { service, computer } = this.scene;
    const file = path.join(this.folder, this.pick(['more.py', 'other.py', 'id_rsa', 'train.sh']));
    const ofFolder: readonly (() => unknown)[] = [
      () => writeFileSync(file, 'x'.repeat(this.pick([1, 3e6]))),
      () => rmSync(file, { force: true }),
      () => this.link(),
      () => {
        this.command = this.pick(['sh train.sh', 'rm -rf ~']);
        this.folder = openRepository(this.window, computer, { job: { run: this.command } });
      },
    ];
    const ofRest: readonly (() => unknown)[] = [
      () => this.setAccess(this.pick(['off', 'read', 'ask', 'ask', 'ask'])),
      () => this.window.setLimits({ perHour: this.pick([0, 1, 5]), perDay: this.pick([0, 5, 50]) }),
      () => this.window.setLimits({ ...usual, access: this.access }),
      () => computer.clock.advance(this.pick([1000, 60_000, 700_000, 3_600_000])),
      () => {
        const totalPerHour = fromDollars(this.pick([0.4, 0.7, 3]));
        service.offers = service.offers.map((one) => ({ ...one, totalPerHour }));
      },
      () => {
        const running = { actualStatus: 'running', intendedStatus: 'running' };
        service.instances = service.instances.map((one) => ({ ...one, ...running }));
      },
      () => this.openEditor(),
    ];
    await this.pick(this.random() < 0.5 ? ofFolder : ofRest)();
  }

  private link(): void {
    const name = path.join(this.folder, 'linked');
    rmSync(name, { force: true });
    symlinkSync(this.pick(['/etc', this.scene.computer.storageDir, 'train.sh']), name);
  }

  /** The editor was closed and opened again: what it knew only in memory is gone. */
  private async openEditor(): Promise<void> {
    const { agentJobs, entries, commands } = this.window;
    const reached = [entries, commands] as const;
    this.window.owned.dispose();
    this.window = await openAgentWindow(this.scene.computer, this.scene.disk, { limits: usual });
    this.window.entries.push(...reached[0]);
    this.window.commands.push(...reached[1]);
    this.window.agentJobs.folders.all = agentJobs.folders.all;
    await this.window.agentJobs.jobs.ready;
    this.registry.dispose();
    this.registry = this.registryOf(this.window);
    this.access = 'ask';
    this.watchJobs();
  }

  private setAccess(access: AgentLimits['access']): void {
    this.access = access;
    this.window.setLimits({ access });
  }

  /** Takes the access away right before something leaves or is written. */
  private interfere(isTakenAway: boolean): void {
    const take = () => {
      if (isTakenAway) {
        this.setAccess('off');
      }
    };
    this.window.sshStep.before = take;
    this.scene.service.wait = take;
  }

  private judge(call: string, id?: number): void {
    if (!['offers.rent', 'instances.start', 'instances.destroy'].includes(call)) {
      return;
    }
    this.expect(this.access === 'ask', `${call} while agents may not ask`);
    const wanted: readonly string[] =
      call === 'offers.rent'
        ? ['request_rental', 'run_job']
        : [call === 'instances.start' ? 'change_state' : 'destroy_instance'];
    const isRental = call === 'offers.rent';
    const yes = this.yeses.findLast(
      ({ request, used }) =>
        !used &&
        wanted.includes(request.tool) &&
        (isRental ? request.quote !== undefined : request.instanceId === id),
    );
    this.expect(yes !== undefined, `${call} without a yes`);
    if (yes) {
      yes.used = true;
    }
    if (yes && call === 'offers.rent') {
      this.judgeRental(yes);
    }
  }

  private judgeRental({ request: { quote } }: Yes): void {
    const { offers } = this.scene.service;
    const perHour = offers.find((one) => one.id === quote?.offer.id)?.totalPerHour ?? Infinity;
    this.expect(quote !== undefined && perHour <= quote.perHour, 'dearer than the dialog');
    this.expect((quote?.total ?? Infinity) <= fromDollars(usual.perDay), 'more than a day may cost');
    this.expect((quote?.hours ?? Infinity) <= usual.hours, 'longer than a rental may be');
    this.counts.rents += 1;
  }

  /** Each job that is ordered belongs to one yes, and sends what its question counted. */
  private watchJobs(): void {
    const { jobs } = this.window.agentJobs;
    const order = jobs.order.bind(jobs);
    jobs.order = (job, names) => {
      this.expect(this.access === 'ask', 'a job is ordered while agents may not ask');
      if (job.spec.sync === undefined) {
        this.counts.commands += 1;
        return order(job, names);
      }
      const yes = this.yeses.find(({ request }) => request.id === job.agent?.request);
      this.expect(yes !== undefined, 'a job without a yes');
      this.expect(
        names.every((name) => yes?.files.has(name)),
        `not all of ${names.join()} was agreed`,
      );
      this.expect(job.spec.run === yes?.command, `another command: ${job.spec.run}`);
      this.counts.jobs += 1;
      return order(job, names);
    };
  }

  /** The product turns what is thrown into an answer, so it is kept for the end of the step. */
  private expect(isRight: boolean, what: string): void {
    if (!isRight) {
      this.wrong.push(what);
    }
  }

  private filesNow(): readonly string[] {
    return readdirSync(this.folder).filter((name) => !name.startsWith('.'));
  }

  private argumentsFor(name: ToolName, mayBeHostile = true): unknown {
    const members: Record<string, unknown> = { ...argumentsOf[name] };
    const known = (prefix: string) => [...this.handles].filter((one) => one.startsWith(`${prefix}_`));
    const prefixes = {
      offer: 'offer',
      quote: 'quote',
      plan: 'plan',
      instance: 'inst',
      job: 'job',
      request: 'request',
    };
    for (const [field, prefix] of Object.entries(prefixes)) {
      const of = known(prefix);
      if (field in members && !(field === 'job' && name === 'check_job') && of.length > 0) {
        members[field] =
          this.random() < 0.9 || !mayBeHostile ? this.pick(of.slice(-2)) : this.pick([...this.handles]);
      }
    }
    if (name === 'check_job' && this.random() < 0.4) {
      members['instance'] = 'inst_5001';
    }
    if (name === 'run_command' && this.random() < 0.5) {
      members['minutes'] = 30;
    }
    if ('requestId' in members) {
      members['requestId'] = `request-${Math.floor(this.random() * 200)}-of-run`;
    }
    if (!mayBeHostile) {
      return members;
    }
    const fields = Object.keys(members);
    if (this.random() < 0.1 && fields.length > 0) {
      members[this.pick(fields)] = this.pick(hostile);
    }
    return this.random() < 0.02 ? this.pick(hostile) : members;
  }

  private registryOf(window: AgentWindow): AgentToolRegistry {
    return new AgentToolRegistry({
      access: async () => {
        const { set, inForce } = await window.limits.read();
        return { access: inForce.access, asked: set.access };
      },
      inputs: () => Promise.resolve(toolInputs),
      handlers: () =>
        Promise.resolve({ ...marketTools(window), ...instanceTools(window), ...jobTools(window) }),
      redact: (text) => text,
      clock: window.clock,
      log: silentLog,
    });
  }

  private pick<T>(list: readonly T[]): T {
    return list[Math.floor(this.random() * list.length)] as T;
  }
}

describe('Agents that try everything', () => {
  it('spend, send, write and run nothing that no dialog named', async function () {
    this.timeout(600_000);
    const sum: Record<string, number> = {};
    for (let run = 0; run < runs; run += 1) {
      const attack = await Attack.begin(seeded(testSeed + run));
      try {
        for (let step = 0; step < stepsOfARun; step += 1) {
          await attack.step();
        }
      } catch (error) {
        throw new Error(`seed ${testSeed + run}`, { cause: error });
      } finally {
        await attack.end();
      }
      for (const [name, count] of Object.entries(attack.counts)) {
        sum[name] = (sum[name] ?? 0) + count;
      }
    }
    const missing = ['calls', 'rents', 'jobs'].filter((name) => !sum[name]);
    assert.deepEqual(missing, [], JSON.stringify(sum));
  });
});
