import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import type * as vscode from 'vscode';
import { FakeCancellationTokenSource } from '../../support/fakeEditor/events';
import { letAgentsIn } from '../../support/feature/agentDriver';
import { useComputer } from '../../support/feature/useComputer';
import type { FeatureWindow } from '../../support/feature/window';
import { buildMcpServer } from '../../support/mcpServer';

const access = 'gpuRental.agents.access';
const { token } = new FakeCancellationTokenSource();

/** What an editor that takes servers from extensions does with ours. */
async function serversOf(window: FeatureWindow): Promise<readonly vscode.McpServerDefinition[]> {
  return (await window.screen.servers?.provideMcpServerDefinitions(token)) ?? [];
}

before(() => {
  buildMcpServer();
});

describe('the server for an editor that starts servers of extensions', () => {
  const computer = useComputer({});
  let window: FeatureWindow;

  const start = async () => {
    const [server] = await serversOf(window);
    assert.ok(server);
    let started: vscode.McpServerDefinition | null | undefined | 'starting' = 'starting';
    void Promise.resolve(window.screen.servers?.resolveMcpServerDefinition?.(server, token)).then(
      (it) => (started = it),
    );
    return () => (started === 'starting' ? undefined : { it: started as vscode.McpStdioServerDefinition });
  };

  it('is not offered where the chat has the tools, so that each appears once', async () => {
    const withTools = await computer().openSignedIn();
    await letAgentsIn(withTools);
    assert.ok(withTools.screen.servers, 'it is registered, so that the editor does not wait for it');
    assert.deepEqual(await serversOf(withTools), []);
    withTools.close();
    computer().settings.set(access, 'off');
  });

  it('is offered where the chat has none, once access is on', async () => {
    window = await computer().openWindow({ hasTools: false });
    assert.deepEqual(await serversOf(window), []);
    let changes = 0;
    window.screen.servers?.onDidChangeMcpServerDefinitions?.(() => (changes += 1));
    computer().settings.set(access, 'ask');
    await computer().rest();
    assert.ok(changes > 0);
    assert.equal((await serversOf(window)).length, 1);
  });

  it('is started by the program of the storage folder', async () => {
    const started = await start();
    const { it } = await computer().until('the server', started);
    assert.ok(existsSync(it.args[0] ?? ''));
    assert.equal(it.command, process.execPath);
  });

  it('is not started before the user lets agents in', async () => {
    const started = await start();
    computer().settings.set(access, 'off');
    await computer().until('the server', started);
    const again = Promise.resolve(
      window.screen.servers?.resolveMcpServerDefinition?.({} as vscode.McpServerDefinition, token),
    );
    (await window.dialog(/You confirm each rental/)).close();
    assert.equal(await again, undefined);
  });
});

describe('an editor without tools for its chat', () => {
  const computer = useComputer({});

  it('offers the link by which VS Code installs the server', async () => {
    const window = await computer().openWindow({ hasTools: false });
    await window.signIn();
    await letAgentsIn(window);
    window.run('Set Up Agents…');
    await window.quick.pick('VS Code');
    const [link] = await computer().until('the link', () =>
      window.screen.externalLinks.length > 0 ? window.screen.externalLinks : undefined,
    );
    assert.match(link ?? '', /^vscode:mcp\/install\?.*mcp\.js/);
  });
});

describe('the server in Cursor', () => {
  const computer = useComputer({});

  it('is registered while access is on', async () => {
    const servers = new Map<string, unknown>();
    const mcp = {
      registerServer: ({ name, server }: { name: string; server: unknown }) => servers.set(name, server),
      unregisterServer: (name: string) => servers.delete(name),
    };
    const window = await computer().openWindow({ hasTools: false, takesServers: false, cursor: { mcp } });
    await window.signIn();
    assert.equal(servers.size, 0);
    await letAgentsIn(window);
    await computer().until('the server', () => servers.size > 0);
    assert.match(JSON.stringify(servers.get('gpu-rental')), /mcp\.js/);
    window.run('Set Up Agents…');
    await window.quick.title('Set Up Agents');
    assert.ok(!window.quick.rows().some((row) => row.startsWith('Cursor')), 'no server twice');
    window.quick.escape();
    computer().settings.set(access, 'off');
    await computer().rest();
    assert.equal(servers.size, 0);
  });
});
