import assert from 'node:assert/strict';
import type { AgentAccess } from '../../../../src/agents/model/tools';
import type { AgentTools, Caller } from '../../../../src/agents/store/agentTools';
import { answerOutside } from '../../../../src/agents/store/outsideCalls';
import { Emitter } from '../../../../src/util/emitter';
import { FakeClock } from '../../../support/fakeClock';

const { signal } = new AbortController();

function answerer() {
  const state = {
    access: 'read' as AgentAccess,
    rows: [1],
    changed: new Emitter<void>(),
    clock: new FakeClock(),
  };
  const calls: { name: string; args: unknown; caller: Caller }[] = [];
  const tools: Pick<AgentTools, 'call'> = {
    call: (name, args, caller) => {
      calls.push({ name, args, caller });
      return Promise.resolve({ structured: { fine: true }, text: '{}', isError: false });
    },
  };
  const resources = {
    access: () => Promise.resolve(state.access),
    rows: () => state.rows,
    onDidChange: state.changed.event,
    clock: state.clock,
  };
  return { calls, state, answer: answerOutside(tools, resources) };
}

describe('what an agent outside of the editor asks', () => {
  it('calls a tool under the name of the client, made plain and short', async () => {
    const { calls, answer } = answerer();
    const client = `claude\n$(alert) [x](command:y)\u202e${'z'.repeat(10_000)}`;
    assert.deepEqual(await answer({ tool: 'list_instances', input: { limit: 1 }, client }, signal), {
      structured: { fine: true },
      isError: false,
    });
    const [call] = calls;
    assert.equal(call?.name, 'list_instances');
    assert.deepEqual(call.args, { limit: 1 });
    assert.ok(call.caller.name.length <= 40);
    assert.doesNotMatch(call.caller.name, /[\n\u202e]/);
    assert.equal(call.caller.door, 'mcp');
  });

  it('has a name for a client without one', async () => {
    const { calls, answer } = answerer();
    await answer({ tool: 'list_instances', input: {}, client: 7 }, signal);
    await answer({ tool: 'list_instances', input: {}, client: ' \n' }, signal);
    assert.deepEqual(
      calls.map(({ caller }) => caller.name),
      ['agent', 'agent'],
    );
  });

  it('has a session of its own, for any name that its client uses', async () => {
    const { calls, answer } = answerer();
    const [one, other] = ['a'.repeat(32), 'b'.repeat(32)];
    for (const [client, session] of [
      ['claude', one],
      ['renamed', one],
      ['claude', other],
      ['claude', undefined],
      ['claude', undefined],
      ['claude', 'chat'],
    ]) {
      await answer({ tool: 'list_instances', input: {}, client, session }, signal);
    }
    const [first, renamed, ...rest] = calls.map(({ caller }) => caller.id);
    assert.equal(renamed, first);
    assert.equal(new Set([first, ...rest]).size, 5);
    assert.ok(!rest.includes('chat'));
  });

  it('refuses what is no call', async () => {
    const { calls, answer } = answerer();
    for (const what of [undefined, null, 7, 'text', [], {}, { tool: 7 }, { tool: 'x'.repeat(200) }]) {
      assert.deepEqual(await answer(what, signal), { problem: 'failed' });
    }
    assert.deepEqual(calls, []);
  });
});

describe('what the server asks about its resources', () => {
  const ask = (one: ReturnType<typeof answerer>, since?: unknown, stop = signal) =>
    one.answer({ watch: 'resources', ...(since === undefined ? {} : { since }) }, stop) as Promise<{
      readonly mark?: string;
      readonly problem?: string;
    }>;

  it('is answered at once by another mark, and else after a change or some time', async () => {
    const one = answerer();
    const { mark } = await ask(one);
    assert.match(mark ?? '', /^[0-9a-f]{64}$/);
    assert.deepEqual(await ask(one, 'other'), { mark });
    const waiting = ask(one, mark);
    await Promise.resolve();
    one.state.changed.fire();
    one.state.rows = [1, 2];
    one.state.changed.fire();
    const { mark: next } = await waiting;
    assert.notEqual(next, mark);
    const quiet = ask(one, next);
    await one.state.clock.advance(40_000);
    assert.deepEqual(await quiet, { mark: next });
    assert.deepEqual(one.calls, []);
  });

  it('is refused while access is off, also where it was turned off since, and ends with its call', async () => {
    const one = answerer();
    const { mark } = await ask(one);
    const stop = new AbortController();
    const waiting = ask(one, mark, stop.signal);
    one.state.access = 'off';
    stop.abort();
    assert.deepEqual(await waiting, { problem: 'off' });
    assert.deepEqual(await ask(one, mark), { problem: 'off' });
    assert.deepEqual(await ask(answerer(), 'x'.repeat(65)), { problem: 'failed' });
  });
});
