import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { toolSpecs } from '../../../src/agents/model/tools';
import { useComputer } from '../../support/feature/useComputer';
import type { FeatureWindow } from '../../support/feature/window';
import { buildMcpServer } from '../../support/mcpServer';
import { connectOfficialClient, type OfficialClient } from '../../support/officialMcpClient';

describe('an agent outside of the editor', () => {
  const computer = useComputer({});
  let window: FeatureWindow;
  let client: OfficialClient | undefined;

  before(async () => {
    buildMcpServer();
    await computer().rentRunning({ label: 'trainer', runtype: 'ssh_direct' });
    window = await computer().openSignedIn();
  });
  after(() => client?.close());

  async function copyForCursor(): Promise<{ command: string; args: string[]; env: Record<string, string> }> {
    window.run('Set Up Agents…');
    await window.quick.pick('Copy the Configuration…');
    await window.quick.pick('Cursor');
    await window.toast(/Add it to .*mcp\.json/);
    const { mcpServers } = JSON.parse(computer().clipboard.text) as {
      mcpServers: Record<string, { command: string; args: string[]; env: Record<string, string> }>;
    };
    return mcpServers['gpu-rental'] ?? { command: '', args: [], env: {} };
  }

  it('gets nothing before the user lets agents in, in a dialog with the limits', async () => {
    computer().clipboard.text = '';
    window.run('Set Up Agents…');
    const question = await window.dialog(/You confirm each rental.*\$10\.00\/day.*questions an hour: 6/s);
    question.close();
    await computer().rest();
    assert.equal(computer().clipboard.text, '');
    window.run('Set Up Agents…');
    await window.dialogButton('Allow');
    await window.quick.pick('Copy the Configuration…');
    await window.quick.pick('Codex');
    await window.toast(/config\.toml/);
    assert.match(computer().clipboard.text, /^\[mcp_servers\.gpu-rental\]/);
  });

  it('starts the program of the configuration, which names no key', async () => {
    const { args } = await copyForCursor();
    assert.ok(existsSync(args[0] ?? ''), 'the server is there');
    assert.doesNotMatch(computer().clipboard.text, /key|token|secret/i);
    client = await connectOfficialClient(args, 'auto');
    const { tools } = await client.listTools();
    assert.equal(tools.length, toolSpecs.length);
  });

  it('is answered by the window that leads, shown in the account view and written down', async () => {
    assert.ok(client);
    const called = await client.callTool({ name: 'list_instances', arguments: {} });
    assert.ok(called.structuredContent);
    const account = window.view('account');
    await account.expand('Agents');
    await account.row(/official-client/);
    window.run('Show Agent Log');
    await computer().until('the log is shown', () =>
      window.screen.documents.shown.some((shown) =>
        shown.getText().includes('"clientCallsItself":"official-client"'),
      ),
    );
  });

  it('reads its instances as resources, and picks prompts', async () => {
    assert.ok(client);
    const { resources } = await client.listResources();
    const [uri = ''] = resources.map((one) => one.uri);
    assert.match(uri, /^gpurental:\/\/instances\/inst_\d+$/);
    const { contents } = await client.readResource({ uri });
    assert.match(contents[0]?.text ?? '', /"untrusted":\{"label":"trainer"/);
    assert.equal((await client.listPrompts()).prompts.length, 2);
  });

  it('is refused once access is off', async () => {
    assert.ok(client);
    computer().settings.set('gpuRental.agents.access', 'off');
    await assert.rejects(client.listResources(), /turned agents off/);
    const called = await client.callTool({ name: 'list_instances', arguments: {} });
    assert.equal(called.isError, true);
    assert.match(called.content[0]?.text ?? '', /turned agents off/);
  });
});
