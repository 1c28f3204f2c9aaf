import assert from 'node:assert/strict';
import { tidied } from '../../../../src/agents/model/gate';
import { hasYes, type AgentRequest } from '../../../../src/agents/model/request';
import { CommandAnswers } from '../../../../src/agents/store/commandAnswers';
import { instanceTools } from '../../../../src/agents/store/instanceTools';
import { marketTools } from '../../../../src/agents/store/marketTools';
import { CancelledError } from '../../../../src/util/errors';
import { agentScene, wideLimits, type AgentScene } from '../../../support/agentWindows';
import { anInstance } from '../../../support/builders';

const { signal } = new AbortController();
const minuteMs = 60_000;
const own = 'inst_5001';
const rented = 'inst_5002';
const nothing = { code: null, stdout: '', stderr: '' };

describe('a yes to a command of an agent', () => {
  let { computer, window } = {} as AgentScene;
  let ids = 0;

  beforeEach(async () => {
    const instances = [anInstance({ id: 5001 }), anInstance({ id: 5002 })];
    ({ computer, window } = await agentScene(
      { instances },
      { limits: { ...wideLimits, questionsPerHour: 3 } },
    ));
    const rental: AgentRequest = {
      ...{ id: 'request_rented', requestId: 'rented', tool: 'request_rental', print: '' },
      ...{ caller: { id: 'x', name: 'claude', door: 'mcp' }, at: computer.clock.now() },
      ...{ state: 'rented', instanceId: 5002 },
    };
    await window.desk.begin(rental);
  });
  afterEach(() => computer.dispose());

  const run = (
    instance: string,
    session = 'a',
    requestId = `command-${(ids += 1)}`,
    { command = 'ls', door = 'mcp' }: { readonly command?: string; readonly door?: 'chat' | 'mcp' } = {},
  ) =>
    instanceTools(window).run_command(
      { instance, command, requestId },
      { caller: { id: session, name: 'claude', door }, signal },
    );
  const stateOf = async (...args: Parameters<typeof run>) => (await run(...args))['state'];
  const allow = async (...args: Parameters<typeof run>) => {
    const { request } = await run(...args);
    assert.ok(await window.desk.answer(String(request), true));
  };

  it('runs that command once for a client that starts the server for each call, and no other', async () => {
    await allow(own, 'a', 'the-command');
    await assert.rejects(run(own, 'b', 'the-command', { command: 'rm -rf /' }), /requestId/);
    assert.deepEqual(window.commands, []);
    assert.equal(await stateOf(own, 'b', 'the-command'), 'done');
    assert.equal(await stateOf(own, 'c', 'the-command'), 'done');
    assert.equal(window.commands.length, 1);
    assert.equal(await stateOf(own, 'b'), 'pending');
  });

  it('returns its output again to a client that did not get it, as long as this window knows it', async () => {
    const result = { code: 3, stdout: 'epoch 7', stderr: 'late' };
    const tools = { ...window, ssh: { ...window.ssh, run: () => Promise.resolve(result) } };
    const context = { caller: { id: 'a', name: 'claude', door: 'mcp' }, signal } as const;
    const input = { instance: own, command: 'ls', requestId: 'the-command' };
    const { request } = await instanceTools(tools).run_command(input, context);
    assert.ok(await window.desk.answer(String(request), true));
    await instanceTools(tools).run_command(input, context);
    const { next } = await marketTools(tools).get_request({ request: String(request) }, context);
    assert.match(String(next), /Call run_command again with the same requestId/);
    const { exitCode, untrusted } = await instanceTools(window).run_command(input, context);
    assert.deepEqual([exitCode, untrusted], [3, { stdout: 'epoch 7', stderr: 'late' }]);
    assert.deepEqual(window.commands, [], 'it ran once');
    const other = { ...window, commandAnswers: new CommandAnswers() };
    const elsewhere = await instanceTools(other).run_command(input, context);
    assert.match(String(elsewhere['next']), /ran already, and its output is not kept\. .*new requestId/);
    assert.equal(elsewhere['exitCode'], 3);
  });

  it('returns -1 for a command that ended without an exit code, also to a client that asks again', async () => {
    const result = { code: null, stdout: '', stderr: '', trouble: 'ended' } as const;
    const tools = { ...window, ssh: { ...window.ssh, run: () => Promise.resolve(result) } };
    const context = { caller: { id: 'a', name: 'claude', door: 'mcp' }, signal } as const;
    const input = { instance: own, command: 'ls', requestId: 'the-command' };
    const { request } = await instanceTools(tools).run_command(input, context);
    assert.ok(await window.desk.answer(String(request), true));
    for (const asked of [tools, { ...window, commandAnswers: new CommandAnswers() }]) {
      const { state, exitCode } = await instanceTools(asked).run_command(input, context);
      assert.deepEqual([state, exitCode], ['done', -1]);
    }
  });

  for (const [what, answer] of [
    ['the connection failed', () => Promise.resolve({ ...nothing, trouble: 'cut' } as const)],
    ['it may still run', () => Promise.resolve({ ...nothing, trouble: 'mayRun' } as const)],
    ['the call was canceled', () => Promise.reject(new CancelledError())],
  ] as const) {
    it(`is never reported to have run, or not to, if ${what}`, async () => {
      const tools = { ...window, ssh: { ...window.ssh, run: answer } };
      const context = { caller: { id: 'a', name: 'claude', door: 'mcp' }, signal } as const;
      const input = { instance: own, command: 'ls', requestId: 'the-command' };
      const { request } = await instanceTools(tools).run_command(input, context);
      assert.ok(await window.desk.answer(String(request), true));
      const words = await instanceTools(tools)
        .run_command(input, context)
        .then(
          ({ state, exitCode, next }) => `${String(state)} ${String(exitCode)} ${String(next)}`,
          (error: unknown) => `failed undefined ${String(error)}`,
        );
      assert.match(words, /^failed undefined .*may (have|still) run/);
      assert.doesNotMatch(words, /Nothing more was done/);
      const elsewhere = { ...window, commandAnswers: new CommandAnswers() };
      for (const said of [
        await instanceTools(elsewhere).run_command(input, context),
        await marketTools(elsewhere).get_request({ request: String(request) }, context),
      ]) {
        assert.equal(said['state'], 'failed');
        assert.match(String(said['next']), /^The command may have run/);
      }
    });
  }

  it('runs nothing for another chat or door that repeats its id', async () => {
    await allow(own, 'a', 'the-command', { door: 'chat' });
    for (const [session, door] of [
      ['b', 'chat'],
      ['a', 'mcp'],
    ] as const) {
      await assert.rejects(run(own, session, 'the-command', { door }), /another session.*new requestId/i);
    }
    assert.deepEqual(window.commands, []);
    assert.equal(await stateOf(own, 'a', 'the-command', { door: 'chat' }), 'done');
  });

  it('is over where it is not used for ten minutes', async () => {
    await allow(own, 'a', 'the-command');
    await computer.clock.advance(10 * minuteMs + 1);
    assert.equal(await stateOf(own, 'a', 'the-command'), 'expired');
    assert.deepEqual(window.commands, []);
  });

  it('is over where the clock is set back', async () => {
    await allow(own, 'a', 'the-command');
    computer.clock.jump(-24 * 60 * minuteMs);
    assert.equal(await stateOf(own, 'a', 'the-command'), 'expired');
  });

  it('holds for the instance of an agent, also if the first command was too late or failed', async () => {
    await allow(rented, 'a', 'the-command');
    await computer.clock.advance(10 * minuteMs + 1);
    assert.equal(await stateOf(rented, 'a', 'the-command'), 'expired');
    assert.equal(await stateOf(rented), 'done');
    assert.equal(await stateOf(rented, 'b'), 'pending');
  });

  it('is remembered as long as the instance is there, and is one question for all of its commands', async () => {
    const { limits } = await window.desk.gate();
    await allow(rented);
    for (let count = 0; count < limits.questionsPerHour; count += 1) {
      assert.equal(await stateOf(rented), 'done');
    }
    assert.equal(await stateOf(own), 'pending');
    const { requests } = await window.desk.read();
    const later = Array.from({ length: 300 }, (_, at) => ({ ...requests.at(-2), requestId: `later-${at}` }));
    const kept = tidied(
      { quotes: [], requests: [...requests, ...(later as AgentRequest[])] },
      computer.clock.now(),
    );
    assert.equal(kept.requests.filter(hasYes).length, 1);
  });

  it('is too late if the clock was set back since the question', async () => {
    const { request } = await run(own);
    computer.clock.jump(-24 * 60 * minuteMs);
    assert.equal(await window.desk.answer(String(request), true), undefined);
  });
});
