import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { AgentDriver, letAgentsIn } from '../../support/feature/agentDriver';
import { haveKey, rent3090 } from '../../support/feature/rentDriver';
import { useComputer } from '../../support/feature/useComputer';
import type { FeatureWindow } from '../../support/feature/window';

const minutes = 10;

describe('agents that were never let in', () => {
  const computer = useComputer();
  let window: FeatureWindow;

  const filesOfAgents = () =>
    (readdirSync(computer().storage, { recursive: true }) as string[]).filter((name) =>
      /agents|mcp/.test(name),
    );
  /** What is sent while nothing happens, by method and path. */
  const sentInPeace = async () => {
    const { simulator } = computer();
    await computer().pass(5 * 60_000);
    const from = simulator.requests().length;
    await computer().pass(minutes * 60_000);
    return simulator
      .requests()
      .slice(from)
      .map(({ method, path }) => `${method} ${path}`);
  };

  before(async () => {
    await haveKey(computer());
    window = await computer().openSignedIn();
    await rent3090(window);
    await window.toast(/is ready|is running/);
    window.clearToasts();
  });

  it('have no tools, no file and no question, for any rental of a person', async () => {
    await computer().pass(60_000);
    assert.deepEqual(new AgentDriver(window).tools, []);
    assert.deepEqual(filesOfAgents(), []);
    assert.doesNotMatch(window.allMessages(), /agent/i);
  });

  it('send nothing, nor do they once they are let in and call nothing', async () => {
    const off = await sentInPeace();
    assert.ok(off.length > 0 && off.length <= 2 * minutes, `${off.length} requests`);
    assert.deepEqual(
      [...new Set(off)].filter(
        (call) => !/^GET \/api\/v[01]\/(instances|users\/current|charges)\/$/.test(call),
      ),
      [],
    );
    const agent = await letAgentsIn(window);
    const on = await sentInPeace();
    assert.ok(
      Math.abs(on.length - off.length) <= 1,
      `${off.length} requests without agents, ${on.length} with`,
    );
    // Without this the first test would show nothing.
    await agent.call('list_instances');
    await computer().until('the log of agents', () => filesOfAgents().length > 0);
    window.clearToasts();
  });
});

describe('an editor that has no tools for language models', () => {
  const computer = useComputer();

  it('starts and rents, and accepts agents of other programs', async () => {
    await haveKey(computer());
    const window = await computer().openWindow({ hasTools: false, takesServers: false });
    await window.signIn();
    await rent3090(window);
    await window.toast(/is ready|is running/);
    const { tools } = await letAgentsIn(window);
    assert.deepEqual(tools, []);
    window.clearToasts();
  });
});
