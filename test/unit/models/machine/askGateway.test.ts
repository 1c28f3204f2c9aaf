import assert from 'node:assert/strict';
import { askGateway } from '../../../../src/models/machine/askGateway';
import { ChatAnswerError, type AnswerPart } from '../../../../src/models/model/chatAnswer';
import { chatBody } from '../../../../src/models/model/chatMessages';
import { answerFaults, type EngineFault } from '../../../../src/simulator/engine/engineScene';
import { isCancelled } from '../../../../src/util/errors';
import { useEngines, type EngineStandIn } from '../../../support/engineStandIn';
import { useGateways, type GatewayScene } from '../../../support/gatewayScene';
import { until } from '../../../support/until';

const tools = [
  {
    name: 'get_weather',
    description: 'Weather of a city',
    inputSchema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  },
];

describe('a question to a model', () => {
  const engines = useEngines();
  const gateways = useGateways();
  let engine: EngineStandIn;
  let scene: GatewayScene;

  beforeEach(async () => {
    engine = await engines.ready({ args: ['--enable-auto-tool-choice', '--tool-call-parser', 'hermes'] });
    scene = await gateways.to(engine.port);
  });

  async function ask(
    question: string,
    more: { key?: string; signal?: AbortSignal; patienceMs?: number } = {},
  ) {
    const parts: AnswerPart[] = [];
    await askGateway({
      port: scene.gateway.port,
      key: scene.key,
      hasTools: true,
      signal: new AbortController().signal,
      onPart: (part) => parts.push(part),
      body: chatBody({
        model: 'qwen',
        messages: [{ role: 'user', parts: [{ kind: 'text', text: question }] }],
        tools,
        mustCallTool: false,
        options: {},
        maxTokens: 30_000,
      }),
      ...more,
    });
    return parts;
  }

  it('is answered piece by piece, with the use of tokens at the end', async () => {
    const parts = await ask('Hello');
    const said = parts.map((part) => (part.kind === 'text' ? part.text : '')).join('');
    assert.match(said, /^I am a stand-in for qwen/);
    assert.ok(parts.length > 10);
    assert.equal(parts.at(-1)?.kind, 'usage');
  });

  it('is answered by a call of a tool', async () => {
    const [call] = await ask('Ask get_weather.');
    assert.ok(call?.kind === 'call');
    assert.deepEqual([call.name, call.input], ['get_weather', { city: 'example' }]);
  });

  it('stops at the engine when it is canceled', async () => {
    const stop = new AbortController();
    const asked = ask('Count to 100000', { signal: stop.signal });
    const running = async () =>
      /num_requests_running\{.*?\} (\d)/.exec(await (await fetch(`${engine.url}/metrics`)).text())?.[1];
    await until('the engine to work', async () => (await running()) === '1', { everyMs: 20 });
    stop.abort();
    await assert.rejects(asked, isCancelled);
    await until('the engine to stop', async () => (await running()) === '0', { everyMs: 20 });
  });

  it('ends in one sentence without the key and the address after everything that an engine does', async () => {
    const sentences: Partial<Record<EngineFault, RegExp>> = {
      drip: /said nothing for too long/,
      silent: /said nothing for too long/,
      brokenOff: /does not answer/,
      ends: /does not answer/,
      plainToolCall: /tool parser/,
      brokenArguments: /arguments that are no JSON/,
      errorInStream: /EngineCore encountered an issue/,
      overloaded: /Too many requests/,
      onlyReasoning: /used all its tokens to think/,
      endless: /no end/,
    };
    for (const fault of answerFaults) {
      engine.play({ fault });
      const message = await ask('Ask get_weather.', { patienceMs: 1000 }).then(
        () => 'no error',
        (error: unknown) => (error instanceof ChatAnswerError ? error.message : 'another error'),
      );
      assert.match(message, sentences[fault] ?? /./, fault);
      assert.match(message, /^[A-Z][^\n<>]{10,250}\.$/, fault);
      assert.doesNotMatch(message, /127\.0\.0\.1|Bearer|gr-key|engine-key| at [\w.]+ \(/, fault);
    }
  });

  it('reports another key, another model and a gateway that is gone', async () => {
    await assert.rejects(ask('Hello', { key: 'wrong' }), /key of the model has changed/);
    scene.models.length = 0;
    await assert.rejects(ask('Hello'), /There is no such model/);
    scene.gateway.dispose();
    await assert.rejects(ask('Hello'), /does not answer/);
  });
});
