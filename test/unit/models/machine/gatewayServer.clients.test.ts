import { tryChat } from '../../../support/chatScene';
import { useEngines } from '../../../support/engineStandIn';
import { tryClients, type EngineForClients } from '../../../support/gatewayClients';

const vllmTools = ['--enable-auto-tool-choice', '--tool-call-parser', 'hermes'];

for (const [name, args, length] of [
  ['vllm', vllmTools, '--max-model-len'],
  ['llama-server', ['--metrics'], '-c'],
] as const) {
  describe('the stand-in for an engine', () => {
    const engines = useEngines();
    const engine: EngineForClients = {
      start: async (contextTokens) => {
        const context = contextTokens === undefined ? [] : [length, String(contextTokens)];
        const { port, process } = await engines.ready({ engine: name, args: [...args, ...context] });
        return { port, kill: () => process.kill('SIGKILL') };
      },
      greeting: /I am a stand-in/,
      toolAnswer: /The tool answered: .*21 degrees/,
    };
    tryClients(name, engine);
    tryChat(name, engine);
  });
}
