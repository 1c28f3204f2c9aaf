import assert from 'node:assert/strict';
import { instanceTools } from '../../../../src/agents/store/instanceTools';
import { agentScene, type AgentScene } from '../../../support/agentWindows';
import { anInstance } from '../../../support/builders';

const hourMs = 3_600_000;
const context = {
  caller: { id: 'a', name: 'claude', door: 'mcp' },
  signal: new AbortController().signal,
} as const;

describe('a request of an agent with an id that was used before', () => {
  let { service, computer, window } = {} as AgentScene;

  beforeEach(async () => {
    ({ service, computer, window } = await agentScene());
    await window.desk.begin({
      ...{ id: 'request_rented', requestId: 'rented', tool: 'request_rental', print: '' },
      ...{ caller: context.caller, at: computer.clock.now(), state: 'rented', instanceId: 5001 },
    });
  });
  afterEach(() => computer.dispose());

  /** Models derive ids from what they want. */
  const stop = (requestId = 'stop-inst_5001') =>
    computer.clock.through(
      instanceTools(window).change_state({ instance: 'inst_5001', to: 'stopped', requestId }, context),
    );

  it('is a retry for an hour, which does nothing twice', async () => {
    const { request, state } = await stop();
    assert.equal(state, 'done');
    computer.clock.jump(0.9 * hourMs);
    assert.equal((await stop())['request'], request);
    assert.equal(service.count('instances.stop'), 1);
  });

  it('is not reported as done on another day, while the instance runs', async () => {
    const { request } = await stop();
    computer.clock.jump(24 * hourMs);
    service.instances = [anInstance({ id: 5001 })];
    await assert.rejects(
      stop(),
      new RegExp(`belongs to ${String(request)}.*Nothing was done.*new requestId`),
    );
    assert.equal((await stop('stop-inst_5001-again'))['state'], 'done');
    assert.equal(service.count('instances.stop'), 2);
  });
});
