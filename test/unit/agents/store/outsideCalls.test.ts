import assert from 'node:assert/strict';
import type { AgentTools, Caller } from '../../../../src/agents/store/agentTools';
import { answerOutside } from '../../../../src/agents/store/outsideCalls';

const { signal } = new AbortController();

function answerer() {
  const calls: { name: string; args: unknown; caller: Caller }[] = [];
  const tools: Pick<AgentTools, 'call'> = {
    call: (name, args, caller) => {
      calls.push({ name, args, caller });
      return Promise.resolve({ structured: { fine: true }, text: '{}', isError: false });
    },
  };
  return { calls, answer: answerOutside(tools) };
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
