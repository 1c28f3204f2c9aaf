import assert from 'node:assert/strict';
import type { AgentAccess } from '../../../../src/agents/model/tools';
import { AgentToolRegistry } from '../../../../src/agents/store/agentTools';
import { silentLog } from '../../../../src/util/log';
import { FakeClock } from '../../../support/fakeClock';

describe('The tools for agents', () => {
  const registry = (access: AgentAccess) =>
    new AgentToolRegistry({
      access: () => Promise.resolve({ access, asked: access }),
      inputs: () => Promise.reject(new Error('none is called')),
      handlers: () => Promise.reject(new Error('none is called')),
      redact: (text) => text,
      clock: new FakeClock(),
      log: silentLog,
    });

  it('are none while agents are off', async () => {
    assert.deepEqual(await registry('off').list('off'), []);
  });
});
