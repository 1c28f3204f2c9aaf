import { text, type Text } from '../../util/text';

/** How a client starts the server. Holds no key and no token. */
export interface ServerCommand {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** A form of the configuration, and the place for it. */
export interface McpClient {
  readonly id: string;
  readonly name: string;
  /** What to do with it. */
  readonly next: Text;
  write(server: ServerCommand, isWindows: boolean): string;
}

export const serverName = 'gpu-rental';

const addTo = (file: string) =>
  text('Copied. Add it to {0}, beside the servers that are there, and restart the client.', file);

export const mcpClients: readonly McpClient[] = [
  {
    id: 'claudeCode',
    name: 'Claude Code',
    next: text('Copied. Run it once in a terminal, then restart Claude Code.'),
    write: claudeCommand,
  },
  { id: 'cursor', name: 'Cursor', next: addTo('~/.cursor/mcp.json'), write: portable },
  { id: 'codex', name: 'Codex', next: addTo('~/.codex/config.toml'), write: toml },
  {
    id: 'copilot',
    name: 'Copilot CLI',
    next: addTo('~/.copilot/mcp-config.json'),
    write: portable,
  },
  {
    id: 'vscode',
    name: 'VS Code (mcp.json)',
    next: text(
      'Copied. Run "MCP: Open User Configuration" and add it there. The chat has the same tools without it.',
    ),
    write: (server) => json({ servers: { [serverName]: { type: 'stdio', ...server } } }),
  },
  {
    id: 'windsurf',
    name: 'Windsurf',
    next: addTo('~/.codeium/windsurf/mcp_config.json'),
    write: portable,
  },
  {
    id: 'claudeDesktop',
    name: 'Claude Desktop',
    next: addTo('claude_desktop_config.json'),
    write: portable,
  },
  {
    id: 'other',
    name: '.mcp.json',
    next: addTo('.mcp.json'),
    write: portable,
  },
];

function portable(server: ServerCommand): string {
  return json({ mcpServers: { [serverName]: server } });
}

function json(value: object): string {
  return `${JSON.stringify(value, undefined, 2)}\n`;
}

/** A string of JSON is one of TOML as well. */
function toml({ command, args, env }: ServerCommand): string {
  const variables = Object.entries(env).map(([key, value]) => `${key} = ${JSON.stringify(value)}`);
  return [
    `[mcp_servers.${serverName}]`,
    `command = ${JSON.stringify(command)}`,
    `args = [${args.map((arg) => JSON.stringify(arg)).join(', ')}]`,
    ...(variables.length > 0 ? [`env = { ${variables.join(', ')} }`] : []),
    '',
  ].join('\n');
}

function claudeCommand({ command, args, env }: ServerCommand, isWindows: boolean): string {
  const quoted = (word: string) =>
    /^[\w./:=-]+$/.test(word) ? word : isWindows ? `"${word}"` : `'${word.replaceAll("'", `'\\''`)}'`;
  const variables = Object.entries(env).flatMap(([key, value]) => ['-e', `${key}=${value}`]);
  return ['claude', 'mcp', 'add', serverName, '-s', 'user', ...variables, '--', command, ...args]
    .map(quoted)
    .join(' ');
}

/**
 * The runtime of this editor, which every user has. Snap and AppImage move it with each update or start, so there the
 * server runs by Node.js.
 */
export function serverCommand(
  script: string,
  runtime: {
    readonly execPath: string;
    readonly isElectron: boolean;
    readonly platform: NodeJS.Platform;
    readonly env: Readonly<Record<string, string | undefined>>;
  },
): ServerCommand {
  const { execPath, isElectron, env, platform } = runtime;
  const moves = env['SNAP'] !== undefined || env['APPIMAGE'] !== undefined;
  if (isElectron && moves) {
    return { command: 'node', args: [script], env: {} };
  }
  // Windows meet in this folder on a Mac, and clients pass few variables on.
  const temp = platform === 'win32' || platform === 'linux' ? undefined : env['TMPDIR'];
  return {
    command: execPath,
    args: [script],
    env: {
      ...(isElectron ? { ELECTRON_RUN_AS_NODE: '1' } : {}),
      ...(temp === undefined ? {} : { TMPDIR: temp }),
    },
  };
}
