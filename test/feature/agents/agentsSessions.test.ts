import assert from 'node:assert/strict';
import { AgentDriver, letAgentsIn } from '../../support/feature/agentDriver';
import { registerKey } from '../../support/feature/reachable';
import { useComputer } from '../../support/feature/useComputer';
import type { FeatureWindow } from '../../support/feature/window';
import { buildMcpServer } from '../../support/mcpServer';
import { connectOfficialClient, type OfficialClient } from '../../support/officialMcpClient';

describe('agents of one name', () => {
  const computer = useComputer({ simulator: { sshServer: true } });
  const clients: OfficialClient[] = [];
  let window: FeatureWindow;
  let chat: AgentDriver;
  let instance: string;

  const answer = async (button: string | RegExp, text?: RegExp) => {
    const dialog = await window.dialog(text);
    await computer().pass(600);
    const found = dialog.buttons.find((one) =>
      typeof button === 'string' ? one === button : button.test(one),
    );
    dialog.press(found ?? String(button));
    await computer().rest();
  };
  const connected = async () => {
    window.run('Set Up Agents…');
    await window.quick.pick('Copy the Configuration…');
    await window.quick.pick('Cursor');
    const { mcpServers } = JSON.parse(computer().clipboard.text) as {
      mcpServers: Record<string, { args: string[] }>;
    };
    const client = await connectOfficialClient(mcpServers['gpu-rental']?.args ?? [], 'auto');
    clients.push(client);
    return client;
  };
  const run = async (client: OfficialClient, requestId: string) => {
    const input = { instance, command: 'echo from the machine', requestId };
    const { structuredContent, content } = await client.callTool({ name: 'run_command', arguments: input });
    assert.ok(structuredContent, content[0]?.text);
    return structuredContent['state'];
  };

  before(async () => {
    buildMcpServer();
    await registerKey(computer());
    window = await computer().openSignedIn();
    window.clearToasts();
    chat = await letAgentsIn(window);
    const input = { quote: await chat.quote(), requestId: 'rental-no-1' };
    const { request } = await chat.call('request_rental', input);
    await answer(/^Rent for/, /Rent 1×/);
    await computer().until('the instance to be usable', async () => {
      const got = await chat.call('get_request', { request });
      instance = String(got['instance']);
      return got['ready'] === true;
    });
  });
  const ask = async (driver: AgentDriver, requestId: string) =>
    (await driver.call('run_command', { instance, command: 'echo from the machine', requestId }))['state'];
  after(() => Promise.all(clients.map((client) => client.close())));

  it("each needs a yes of its own for commands, which the other can't use", async () => {
    const first = await connected();
    assert.equal(await run(first, 'first-command'), 'pending');
    const { detail } = await window.dialog(/Let “official-client” \(unverified name\) run commands/);
    assert.match(detail ?? '', /until the instance is gone or this client ends/);
    await answer('Run', /Let “official-client” \(unverified name\) run commands/);
    assert.equal(await run(first, 'first-command'), 'done');
    assert.equal(await run(first, 'second-command'), 'done');

    const second = await connected();
    assert.equal(await run(second, 'third-command'), 'pending');
    await answer('Cancel', /Let “official-client” \(unverified name\) run commands/);
    assert.equal(await run(second, 'third-command'), 'declined');
    assert.equal(await run(first, 'fourth-command'), 'done');
  });

  it('need another yes in the chat of each window', async () => {
    assert.equal(await ask(chat, 'chat-command-1'), 'pending');
    const { detail } = await window.dialog(/Let the chat run commands/);
    assert.match(detail ?? '', /until the instance is gone or this window closes/);
    await answer('Run', /Let the chat run commands/);
    assert.equal(await ask(chat, 'chat-command-1'), 'done');
    assert.equal(await ask(chat, 'chat-command-2'), 'done');
    const second = await computer().openWindow();
    assert.equal(await ask(new AgentDriver(second), 'chat-command-3'), 'pending');
    await answer('Cancel', /Let the chat run commands/);
  });
});
