import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import type { ServedModel } from '../../../../../src/models/store/servedModels';
import { ChatModels } from '../../../../../src/models/ui/chat/chatModels';
import { Emitter } from '../../../../../src/util/emitter';
import { text } from '../../../../../src/util/text';
import { useEngines } from '../../../../support/engineStandIn';
import { useGateways } from '../../../../support/gatewayScene';
import { useScreen } from '../../../../support/onScreen';

const served: ServedModel = {
  id: 'job1',
  name: 'qwen',
  repository: 'Qwen/Qwen3-8B',
  engine: 'vllm',
  gpus: 1,
  maxSequences: 8,
  idleMinutes: 30,
  instanceId: 7,
  serving: { stage: 'ready', contextTokens: 32_768, hasTools: true },
  state: text('ready'),
  isOver: false,
  isRecent: true,
};
const token = {
  isCancellationRequested: false,
  onCancellationRequested: () => new vscode.Disposable(() => undefined),
};

describe('the models in the chat', () => {
  useScreen();
  const engines = useEngines();
  const gateways = useGateways();

  async function chat(args: readonly string[] = []) {
    const engine = await engines.ready({
      args: ['--enable-auto-tool-choice', '--tool-call-parser', 'hermes', ...args],
    });
    const { gateway, key } = await gateways.to(engine.port);
    const all = [served];
    const changed = new Emitter<void>();
    const models = new ChatModels({
      gateway: {
        endpoint: () => Promise.resolve({ port: gateway.port, key }),
        isOpen: ({ id }) => all.some((one) => one.id === id && !one.isOver),
        onDidChange: changed.event,
      },
      models: { all, onDidChange: changed.event },
    });
    const ask = async (content: readonly unknown[], tools: vscode.LanguageModelChatTool[] = []) => {
      const parts: unknown[] = [];
      const [model] = models.provideLanguageModelChatInformation({ silent: true });
      assert.ok(model);
      const { User } = vscode.LanguageModelChatMessageRole;
      await models.provideLanguageModelChatResponse(
        model,
        [{ role: User, content, name: undefined }],
        { toolMode: vscode.LanguageModelChatToolMode.Auto, tools, modelOptions: { _conversationId: 'x' } },
        { report: (part) => parts.push(part) },
        token,
      );
      return parts;
    };
    return { all, ask, changed, engine, models };
  }

  it('are those that answer now, with their context, and selectable in every editor', async () => {
    const { all, changed, models } = await chat();
    const [information] = models.provideLanguageModelChatInformation({ silent: true });
    assert.ok(information);
    assert.equal(information.maxInputTokens + information.maxOutputTokens, 32_768);
    assert.deepEqual(information.capabilities, { toolCalling: true, imageInput: false });
    assert.equal('isUserSelectable' in information && information.isUserSelectable, true);
    let changes = 0;
    models.onDidChangeLanguageModelChatInformation(() => (changes += 1));
    changed.fire();
    all.splice(0, 1, { ...served, isOver: true });
    changed.fire();
    assert.equal(changes, 1);
    assert.deepEqual(models.provideLanguageModelChatInformation({ silent: true }), []);
  });

  it('are shown once where the user has added a group of them', async () => {
    const { models } = await chat();
    const grouped = { silent: true, configuration: {} };
    assert.equal(models.provideLanguageModelChatInformation(grouped).length, 1);
    assert.equal(models.provideLanguageModelChatInformation({ silent: true }).length, 0);
  });

  it('answer with text, thoughts, and the use of tokens', async () => {
    const { ask } = await chat(['--reasoning-parser', 'qwen3']);
    const parts = await ask([new vscode.LanguageModelTextPart('Hello')]);
    const said = parts.map((part) => (part instanceof vscode.LanguageModelTextPart ? part.value : ''));
    assert.match(said.join(''), /^I am a stand-in for qwen/);
    const names = new Set(parts.map((part) => (part as object).constructor.name));
    assert.deepEqual([...names], ['FakeThinkingPart', 'FakeTextPart', 'FakeDataPart']);
  });

  it('call tools', async () => {
    const { ask } = await chat();
    const [call] = await ask(
      [new vscode.LanguageModelTextPart('Ask get_weather.')],
      [{ name: 'get_weather', description: 'Weather', inputSchema: {} }],
    );
    assert.ok(call instanceof vscode.LanguageModelToolCallPart);
    assert.equal(call.name, 'get_weather');
  });

  it('report in one sentence why there is no answer, and that a model has ended', async () => {
    const { all, ask, engine } = await chat();
    engine.play({ fault: 'html' });
    await assert.rejects(
      ask([new vscode.LanguageModelTextPart('Hello')]),
      /^Error: The model gave no answer/,
    );
    // A newer one that has ended does not speak for it.
    all.unshift({ ...served, id: 'job2', isOver: true, state: text('stopped') });
    await assert.rejects(
      ask([new vscode.LanguageModelTextPart('Hello')]),
      /^Error: The model gave no answer/,
    );
    all.shift();
    const asked = ask([new vscode.LanguageModelTextPart('Hello')]);
    all.splice(0, 1, { ...served, isOver: true, state: text('its machine is gone') });
    await assert.rejects(asked, /The model qwen is not served any more: its machine is gone\./);
  });
});
