import assert from 'node:assert/strict';
import { mcpClients, serverCommand, vscodeLink } from '../../../../src/agents/model/mcpConfiguration';

const script = "/home/it's me/globalStorage/mcp.js";
const electron = { execPath: '/opt/code/code', isElectron: true, env: {}, platform: 'linux' } as const;
const write = (id: string, isWindows = false) =>
  mcpClients.find((client) => client.id === id)?.write(serverCommand(script, electron), isWindows) ?? '';
const server = { command: '/opt/code/code', args: [script], env: { ELECTRON_RUN_AS_NODE: '1' } };

describe('the configuration of a client of MCP', () => {
  it('has the form that each client reads', () => {
    for (const id of ['cursor', 'windsurf', 'claudeDesktop', 'copilot', 'other']) {
      assert.deepEqual(JSON.parse(write(id)), { mcpServers: { 'gpu-rental': server } }, id);
    }
    assert.deepEqual(JSON.parse(write('vscode')), {
      servers: { 'gpu-rental': { type: 'stdio', ...server } },
    });
    assert.equal(
      write('codex'),
      `[mcp_servers.gpu-rental]\ncommand = "/opt/code/code"\nargs = ["${script}"]\nenv = { ELECTRON_RUN_AS_NODE = "1" }\n`,
    );
  });

  it('quotes a path for the shell', () => {
    assert.equal(
      write('claudeCode'),
      `claude mcp add gpu-rental -s user -e ELECTRON_RUN_AS_NODE=1 -- /opt/code/code '/home/it'\\''s me/globalStorage/mcp.js'`,
    );
    assert.match(write('claudeCode', true), /"\/home\/it's me\/globalStorage\/mcp\.js"$/);
  });

  it('is a link that VS Code reads, with nothing that would end or split it', () => {
    const link = vscodeLink(serverCommand(script, electron));
    assert.match(link, /^vscode:mcp\/install\?[\w%.!~*'()-]+$/);
    const [, query = ''] = link.split('?');
    assert.deepEqual(JSON.parse(decodeURIComponent(query)), { name: 'gpu-rental', ...server });
  });

  it('has its file where the client looks for it on each system', () => {
    const places = (platform: NodeJS.Platform) =>
      Object.fromEntries(
        mcpClients.flatMap(({ id, file }) => (file ? [[id, file.path(platform).join('/')]] : [])),
      );
    assert.deepEqual(places('linux'), {
      cursor: '.cursor/mcp.json',
      codex: '.codex/config.toml',
      copilot: '.copilot/mcp-config.json',
      windsurf: '.codeium/windsurf/mcp_config.json',
      claudeDesktop: '.config/Claude/claude_desktop_config.json',
    });
    const desktop = 'Claude/claude_desktop_config.json';
    assert.equal(places('darwin')['claudeDesktop'], `Library/Application Support/${desktop}`);
    assert.equal(places('win32')['claudeDesktop'], `AppData/Roaming/${desktop}`);
  });

  it('names the folder where windows meet on a Mac, which clients do not pass on', () => {
    const env = { TMPDIR: '/var/folders/x/T/' };
    assert.deepEqual(serverCommand(script, { ...electron, env, platform: 'darwin' }).env, {
      ELECTRON_RUN_AS_NODE: '1',
      ...env,
    });
    assert.deepEqual(serverCommand(script, { ...electron, env }).env, { ELECTRON_RUN_AS_NODE: '1' });
  });

  it('starts the server by Node.js where the editor has no lasting place', () => {
    for (const env of [{ SNAP: '/snap/code/1' }, { APPIMAGE: '/tmp/x.AppImage' }]) {
      assert.deepEqual(serverCommand(script, { ...electron, env }), {
        command: 'node',
        args: [script],
        env: {},
      });
    }
    const moved = serverCommand(script, { ...electron, env: { SNAP: 'x' } });
    const codex = mcpClients.find(({ id }) => id === 'codex')?.write(moved, false);
    assert.equal(codex, `[mcp_servers.gpu-rental]\ncommand = "node"\nargs = ["${script}"]\n`);
    const hosted = serverCommand(script, {
      execPath: '/usr/bin/node',
      isElectron: false,
      platform: 'linux',
      env: { SNAP: 'x' },
    });
    assert.deepEqual(hosted, { command: '/usr/bin/node', args: [script], env: {} });
  });
});
