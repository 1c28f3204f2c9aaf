import assert from 'node:assert/strict';
import { letAgentsIn, type AgentDriver } from '../../support/feature/agentDriver';
import { useComputer } from '../../support/feature/useComputer';

interface Page {
  readonly instances: readonly { readonly instance: string }[];
  readonly total: number;
  readonly cursor?: string;
}

describe('an agent that lists many instances', () => {
  const computer = useComputer();
  let agent: AgentDriver;
  let ids: readonly number[];

  before(async () => {
    const rented: number[] = [];
    for (let count = 0; count < 12; count += 1) {
      rented.push(await computer().rentRunning({ label: '漢'.repeat(80) }));
    }
    ids = rented;
    const { world } = computer().simulator;
    const text = '漢'.repeat(200);
    for (const machine of world.market.machines) {
      Object.assign(machine, { model: { ...machine.model, name: text } });
    }
    for (const id of ids) {
      Object.assign(world.instance(id) ?? {}, { statusMessage: text });
    }
    const window = await computer().openSignedIn();
    window.clearToasts();
    agent = await letAgentsIn(window, 'read');
  });

  it('gets each of them once, page by page, however long their texts are', async () => {
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const page = (await agent.call('list_instances', {
        limit: 10,
        ...(cursor === undefined ? {} : { cursor }),
      })) as unknown as Page;
      assert.equal(page.total, ids.length);
      assert.ok(page.instances.length > 0);
      seen.push(...page.instances.map(({ instance }) => instance));
      cursor = page.cursor;
    } while (cursor !== undefined && seen.length < 50);
    assert.deepEqual(seen.toSorted(), ids.map((id) => `inst_${id}`).toSorted());
  });
});
