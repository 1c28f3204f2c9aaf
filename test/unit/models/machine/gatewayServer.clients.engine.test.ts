import { tryChat } from '../../../support/chatScene';
import { tryClients, type EngineForClients } from '../../../support/gatewayClients';
import { useRealEngines } from '../../../support/realEngine';

describe('the server of llama.cpp', () => {
  const engine: EngineForClients = {
    start: useRealEngines(),
    greeting: /^I am a tiny model\.$/,
    toolAnswer: /^The tool answered: 21 degrees$/,
  };
  tryClients('llama.cpp', engine);
  tryChat('llama.cpp', engine);
});
