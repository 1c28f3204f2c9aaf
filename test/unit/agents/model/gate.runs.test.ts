import assert from 'node:assert/strict';
import { ToolError } from '../../../../src/agents/model/answer';
import { answered, asked, changed, hourMs, repeated, tidied } from '../../../../src/agents/model/gate';
import { endCommitments, noAgentUsage } from '../../../../src/agents/model/ledger';
import type { AgentLimits } from '../../../../src/agents/model/limits';
import {
  agentStateShape,
  noAgentState,
  type AgentRequest,
  type AgentState,
} from '../../../../src/agents/model/request';
import { AgentLimitStore } from '../../../../src/agents/store/agentLimits';
import { fromDollars, zero } from '../../../../src/model/money';
import { seeded, sized, testSeed } from '../../../support/seeded';

const runs = sized(1000, 10_000);
const commandsOfARun = 40;
const dayMs = 24 * hourMs;
const start = Date.UTC(2026, 10, 23, 9);

/** What is true of a rental that the gate let through, kept apart from the ledger. */
interface Machine {
  readonly requestId: string;
  readonly instanceId: number;
  readonly dollarsPerHour: number;
  readonly from: number;
  readonly until: number;
  /** `sent`: no answer yet, or it was lost. */
  state: 'sent' | 'running' | 'gone' | 'never';
  endedAt?: number;
}

/** One user with windows, a clock that is set forward and back, and an agent that tries everything. */
class Household {
  readonly machines: Machine[] = [];
  readonly yeses = new Set<string>();
  /** Questions that stood in a window at some time: their buttons may be pressed at any time after. */
  readonly shown: string[] = [];
  readonly counts = { overLimit: 0, refused: 0, late: 0 };
  private state: AgentState = noAgentState;
  private set: AgentLimits = { ...this.usual };
  private agreed: AgentLimits | undefined;
  private now = start;
  private nextId = 1;
  private readonly secrets = new Map<string, string>();
  private readonly limits = new AgentLimitStore({
    settings: () => this.set,
    secrets: {
      keys: () => Promise.resolve([...this.secrets.keys()]),
      get: (key) => Promise.resolve(this.secrets.get(key)),
      store: (key, value) => Promise.resolve(void this.secrets.set(key, value)),
      delete: (key) => Promise.resolve(void this.secrets.delete(key)),
      onDidChange: () => ({ dispose: () => undefined }),
    },
  });

  constructor(private readonly random: () => number) {}

  /** Mostly short, as otherwise no question lives until its answer. */
  private jump(): number {
    return (this.pick([0.01, 0.05, 0.1, 5, 5, 6 * 24]) ?? 1) * hourMs;
  }

  private get usual(): AgentLimits {
    return { access: 'ask', perDay: 10, perHour: 2, instances: 2, hours: 8, questionsPerHour: 8 };
  }

  readonly commands: Readonly<Record<string, () => void | Promise<void>>> = {
    request: () => this.request(`rental-${this.nextId++}`),
    requestAgain: () => this.request(`rental-${this.nextId++}`),
    repeat: async () => {
      const known = this.pick(this.state.requests);
      if (known) {
        await this.request(known.requestId, known);
      }
    },
    approve: () => this.answer(true),
    approveInSecondWindow: () => this.answer(true),
    approveAfterEdit: async () => {
      await this.commands['editSettings']?.();
      await this.answer(true);
    },
    decline: () => this.answer(false),
    answered: () => this.hear('running'),
    refused: () => this.hear('never'),
    lostAnswer: () => this.move(this.ofState('renting'), { state: 'unknown' }),
    readBack: () => this.hear(this.random() < 0.7 ? 'running' : 'never'),
    instanceEnds: () => this.end(),
    reload: () => {
      this.state = agentStateShape.parse(JSON.parse(JSON.stringify(this.state)));
    },
    forward: () => this.setClock(this.random() * this.jump()),
    back: () => this.setClock(-this.random() * this.jump()),
    editSettings: async () => {
      const scale = () => this.pick([0, 0.5, 1, 2, 50]) ?? 1;
      this.set = {
        access: this.pick(['ask', 'ask', 'ask', 'read', 'off'] as const) ?? 'ask',
        perDay: this.usual.perDay * scale(),
        perHour: this.usual.perHour * scale(),
        instances: this.usual.instances * scale(),
        hours: this.usual.hours * scale(),
        questionsPerHour: this.usual.questionsPerHour * scale(),
      };
      if (this.random() < 0.5) {
        await this.limits.lower();
      }
    },
    confirmLimits: async () => {
      await this.limits.confirm(this.set);
      this.agreed = this.set;
    },
  };

  /** Machines that cost money for all that is known: also those whose answer is out, until they are read back. */
  open(): readonly Machine[] {
    return this.machines.filter(({ state }) => state === 'sent' || state === 'running');
  }

  unknownAreKept(): void {
    for (const { requestId, state } of this.machines.filter((one) => one.state === 'sent')) {
      const kept = this.state.requests.find((one) => one.requestId === requestId);
      assert.ok(
        kept?.state === 'renting' || kept?.state === 'unknown',
        `${requestId} is ${state} and forgotten`,
      );
    }
  }

  private async gate() {
    const { inForce } = await this.limits.read();
    const running = this.machines.filter(({ state }) => state === 'running').map((one) => one.instanceId);
    const others = { elsewhere: noAgentUsage, askedElsewhere: 0 };
    return { now: this.now, limits: inForce, running: new Set(running), ...others };
  }

  private settle(): void {
    const gone = new Set(this.machines.filter(({ state }) => state === 'gone').map((one) => one.instanceId));
    const ended = { stopped: new Set<number>(), gone, asOf: this.now };
    const tidy = tidied(this.state, this.now);
    this.state = { ...tidy, requests: endCommitments(tidy.requests, this.now, ended) };
  }

  private async request(requestId: string, repeats?: AgentRequest): Promise<void> {
    const hours = this.pick([0.5, 1, 2, 5, 8, 20]) ?? 1;
    const id = `request_${this.nextId++}`;
    const request: AgentRequest = {
      id,
      requestId,
      tool: 'request_rental',
      print: repeats && this.random() < 0.8 ? repeats.print : `print ${id}`,
      caller: { id: 'chat', name: 'the chat', door: 'chat' },
      at: this.now,
      state: 'pending',
      commitment: {
        perHour: fromDollars(this.pick([0.2, 0.5, 0.9, 1.5, 3]) ?? 1),
        stoppedPerHour: zero,
        from: this.now,
        until: this.now + hours * hourMs,
      },
    };
    const gate = await this.gate();
    this.settle();
    try {
      if (repeated(this.state, requestId, request.print, gate.now)) {
        return;
      }
      this.state = asked(this.state, request, gate);
      this.shown.push(id);
    } catch (error) {
      assert.ok(error instanceof ToolError);
      this.counts.refused += 1;
    }
  }

  private async answer(yes: boolean): Promise<void> {
    const id = this.random() < 0.6 ? this.shown.at(-1) : this.pick(this.shown);
    if (id === undefined) {
      return;
    }
    if (yes) {
      this.yeses.add(id);
    }
    const gate = await this.gate();
    this.settle();
    const before = this.state;
    const { state, request } = answered(before, id, yes, 'window', gate);
    this.state = state;
    if (request?.state === 'overLimit') {
      this.counts.overLimit += 1;
    }
    if (request === undefined) {
      this.counts.late += 1;
    }
    if (request?.state === 'renting') {
      this.send(request, gate.limits);
    }
  }

  /** What a yes leads to, checked the moment it leaves. */
  private send({ id, requestId, commitment }: AgentRequest, inForce: AgentLimits): void {
    assert.ok(commitment);
    assert.ok(this.yeses.has(id), `${id} is rented without a yes`);
    assert.ok(!this.machines.some((one) => one.requestId === requestId), `${requestId} is rented twice`);
    this.machines.push({
      requestId,
      instanceId: this.machines.length + 1,
      dollarsPerHour: commitment.perHour / 1_000_000,
      from: commitment.from,
      until: commitment.until,
      state: 'sent',
    });
    const { agreed } = this;
    assert.ok(agreed, 'rented before any limit was confirmed');
    for (const key of ['perDay', 'perHour', 'instances', 'hours', 'questionsPerHour'] as const) {
      assert.ok(inForce[key] <= Math.min(agreed[key], this.set[key]), `${key} rose without a yes`);
    }
    const most = 1e-6;
    const open = this.open();
    assert.ok(open.length <= inForce.instances, `${open.length} machines at once`);
    const hourly = sum(open.map((one) => one.dollarsPerHour));
    assert.ok(hourly <= inForce.perHour + most, `$${hourly}/h`);
    assert.ok(commitment.until - this.now <= inForce.hours * hourMs, 'too many hours');
    const today = sum(this.machines.map((one) => this.costOfToday(one)));
    assert.ok(today <= inForce.perDay + most, `$${today} of $${inForce.perDay} a day`);
  }

  private costOfToday({ state, dollarsPerHour, from, until, endedAt }: Machine): number {
    const day = Math.floor(this.now / dayMs) * dayMs;
    const end = endedAt ?? (state === 'running' ? Math.max(until, this.now) : until);
    return state === 'never' ? 0 : (dollarsPerHour * Math.max(0, end - Math.max(from, day))) / hourMs;
  }

  private hear(result: 'running' | 'never'): void {
    const machine = this.pick(this.machines.filter(({ state }) => state === 'sent'));
    const request = this.state.requests.find((one) => one.requestId === machine?.requestId);
    if (!machine || !request) {
      return;
    }
    machine.state = result;
    this.move(
      request,
      result === 'running' ? { state: 'rented', instanceId: machine.instanceId } : { state: 'notRented' },
    );
  }

  private end(): void {
    const machine = this.pick(this.machines.filter(({ state }) => state === 'running'));
    if (!machine) {
      return;
    }
    machine.state = 'gone';
    machine.endedAt = Math.max(machine.from, Math.min(machine.until, this.now));
    this.settle();
  }

  private setClock(byMs: number): void {
    this.now += byMs;
    this.settle();
  }

  private ofState(state: AgentRequest['state']): AgentRequest | undefined {
    return this.pick(this.state.requests.filter((one) => one.state === state));
  }

  private move(request: AgentRequest | undefined, change: Partial<AgentRequest>): void {
    if (request) {
      this.state = changed(this.state, { ...request, ...change });
    }
  }

  private pick<T>(from: readonly T[]): T | undefined {
    return from[Math.floor(this.random() * from.length)];
  }
}

function sum(amounts: readonly number[]): number {
  return amounts.reduce((one, other) => one + other, 0);
}

describe('the gate and the ledger of agents', () => {
  it(`keep to yeses and limits in ${runs} random runs`, async function () {
    this.timeout(120_000);
    const seen = { machines: 0, overLimit: 0, refused: 0, late: 0 };
    for (let run = 0; run < runs; run += 1) {
      const random = seeded(testSeed + run);
      const household = new Household(random);
      const names = Object.keys(household.commands);
      const done: string[] = [];
      try {
        await household.commands['confirmLimits']?.();
        for (let step = 0; step < commandsOfARun; step += 1) {
          const name = names[Math.floor(random() * names.length)] ?? '';
          done.push(name);
          await household.commands[name]?.();
          household.unknownAreKept();
        }
      } catch (error) {
        const problem = error instanceof Error ? error.message : String(error);
        assert.fail(`seed ${testSeed + run}: ${problem}\nafter ${done.join(', ')}`);
      }
      assert.ok(household.machines.length <= household.yeses.size);
      seen.machines += household.machines.length;
      for (const key of ['overLimit', 'refused', 'late'] as const) {
        seen[key] += household.counts[key];
      }
    }
    // Without these the runs would show nothing.
    for (const [what, count] of Object.entries(seen)) {
      assert.ok(count > runs / 10, `${what}: ${count}`);
    }
  });
});
