import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import type { ServedModel } from '../../src/models/store/servedModels';
import { ChatModels } from '../../src/models/ui/chat/chatModels';
import { Emitter } from '../../src/util/emitter';
import { text } from '../../src/util/text';
import { isIdle, type EngineForClients } from './gatewayClients';
import { useGateways } from './gatewayScene';
import { useScreen } from './onScreen';
import { until } from './until';

export const served: ServedModel = {
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

type Message = Omit<vscode.LanguageModelChatRequestMessage, 'name'>;

/** The models in the chat of one window, through a gateway to an engine on a port. */
export function useChat() {
  useScreen();
  const gateways = useGateways();
  return async ({ port }: { readonly port: number }) => {
    const { gateway, key } = await gateways.to(port);
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
    /** Asks as the chat does; `onPart` gets each part as it comes. */
    const say = async (
      messages: readonly Message[],
      tools: vscode.LanguageModelChatTool[] = [],
      onPart: (part: unknown, stop: () => void) => void = () => undefined,
    ) => {
      const parts: unknown[] = [];
      const [model] = models.provideLanguageModelChatInformation({ silent: true });
      assert.ok(model);
      const stop = new vscode.CancellationTokenSource();
      const report = (part: unknown) => {
        parts.push(part);
        onPart(part, () => stop.cancel());
      };
      await models.provideLanguageModelChatResponse(
        model,
        messages.map((message) => ({ ...message, name: undefined })),
        { toolMode: vscode.LanguageModelChatToolMode.Auto, tools, modelOptions: { _conversationId: 'x' } },
        { report },
        stop.token,
      );
      return parts;
    };
    const ask = (words: string, ...more: [vscode.LanguageModelChatTool[]?]) =>
      say([userSays(words)], ...more);
    return { all, ask, changed, models, say };
  };
}

export function userSays(words: string): Message {
  const { User } = vscode.LanguageModelChatMessageRole;
  return { role: User, content: [new vscode.LanguageModelTextPart(words)] };
}

/** The text among the parts of an answer. */
export function textIn(parts: readonly unknown[]): string {
  return parts.map((part) => (part instanceof vscode.LanguageModelTextPart ? part.value : '')).join('');
}

/** The tests of answers in the chat that an engine gives. */
export function tryChat(name: string, { start, greeting, toolAnswer }: EngineForClients): void {
  describe(`the chat with a model on ${name}`, () => {
    const chatWith = useChat();

    it('shows its answer, and the use of tokens', async () => {
      const { ask } = await chatWith(await start());
      const parts = await ask('Hello');
      assert.match(textIn(parts), greeting);
      const usage = parts.find((part) => part instanceof Object && 'data' in part) as { data: Uint8Array };
      const { total_tokens } = JSON.parse(Buffer.from(usage.data).toString('utf8')) as Record<string, number>;
      assert.ok(Number(total_tokens) > 5);
    });

    it('calls a tool, and shows the answer to its result', async () => {
      const { say } = await chatWith(await start());
      const tools = [{ name: 'get_weather', description: 'Weather', inputSchema: weather }];
      const asked = userSays('Ask get_weather.');
      const call = (await say([asked], tools)).find(
        (part) => part instanceof vscode.LanguageModelToolCallPart,
      );
      assert.deepEqual([call?.name, call?.input], ['get_weather', { city: 'example' }]);
      const { Assistant, User } = vscode.LanguageModelChatMessageRole;
      const result = new vscode.LanguageModelToolResultPart(call?.callId ?? '', [
        new vscode.LanguageModelTextPart('21 degrees'),
      ]);
      const answer = await say(
        [asked, { role: Assistant, content: [call] }, { role: User, content: [result] }],
        tools,
      );
      assert.match(textIn(answer), toolAnswer);
    });

    it('stops an answer when the user wants that, and so does the engine', async () => {
      const engine = await start();
      const { say } = await chatWith(engine);
      let parts = 0;
      const answer = say([userSays('Count to 100000')], [], (_, stop) => {
        parts += 1;
        if (parts === 5) {
          stop();
        }
      });
      await assert.rejects(answer, vscode.CancellationError);
      assert.ok(parts < 1000, `${parts} parts`);
      await until('the engine to stop', () => isIdle(engine), { everyMs: 20 });
    });
  });
}

const weather = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };
