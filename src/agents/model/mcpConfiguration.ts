import { text, type Text } from '../../util/text';
import type { ServersIn } from './clientText';

/** How a client starts the server. Holds no key and no token. */
export interface ServerCommand {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** A program whose agents can use the server. */
export interface McpClient {
  readonly id: string;
  readonly name: string;
  /** What to do with its copied configuration. */
  readonly next: Text;
  write(server: ServerCommand, isWindows: boolean): string;
  /** The file that lists its servers, if it has one for all folders: names below the home folder. */
  readonly file?: ServersIn & { path(platform: NodeJS.Platform): readonly string[] };
  /** The program that adds servers by itself. */
  readonly program?: {
    readonly name: string;
    /** Shows that it is used. */
    readonly folder: readonly string[];
    /** The file in which it notes its servers, and what removes ours, since it adds none twice. */
    readonly notes: readonly string[];
    readonly remove: string;
  };
  /** Its folder of skills, below the home folder. */
  readonly skills?: readonly string[];
}

export const serverName = 'gpu-rental';

const addTo = (file: string) =>
  text('Copied. Add it to {0}, beside the servers that are there, and restart the client.', file);

const inHome =
  (...names: readonly string[]) =>
  (): readonly string[] =>
    names;
const servers = { format: 'json', key: 'mcpServers' } as const;

export const mcpClients: readonly McpClient[] = [
  {
    id: 'claudeCode',
    name: 'Claude Code',
    next: text('Copied. Run it once in a terminal, then restart Claude Code.'),
    write: claudeCommand,
    program: {
      name: 'claude',
      folder: ['.claude'],
      notes: ['.claude.json'],
      remove: `claude mcp remove ${serverName} -s user`,
    },
    skills: ['.claude', 'skills'],
  },
  {
    id: 'cursor',
    name: 'Cursor',
    next: addTo('~/.cursor/mcp.json'),
    write: portable,
    file: { ...servers, path: inHome('.cursor', 'mcp.json') },
    skills: ['.cursor', 'skills'],
  },
  {
    id: 'codex',
    name: 'Codex',
    next: addTo('~/.codex/config.toml'),
    write: tomlOf,
    file: { format: 'toml', key: 'mcp_servers', path: inHome('.codex', 'config.toml') },
    // The folder of the open standard, which Codex reads.
    skills: ['.agents', 'skills'],
  },
  {
    id: 'copilot',
    name: 'Copilot CLI',
    next: addTo('~/.copilot/mcp-config.json'),
    write: portable,
    file: { ...servers, path: inHome('.copilot', 'mcp-config.json') },
    skills: ['.copilot', 'skills'],
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
    file: { ...servers, path: inHome('.codeium', 'windsurf', 'mcp_config.json') },
  },
  {
    id: 'claudeDesktop',
    name: 'Claude Desktop',
    next: addTo('claude_desktop_config.json'),
    write: portable,
    file: { ...servers, path: claudeDesktop },
  },
  {
    id: 'other',
    name: '.mcp.json',
    next: addTo('.mcp.json'),
    write: portable,
  },
];

function claudeDesktop(platform: NodeJS.Platform): readonly string[] {
  const folder =
    platform === 'darwin'
      ? ['Library', 'Application Support']
      : platform === 'win32'
        ? ['AppData', 'Roaming']
        : ['.config'];
  return [...folder, 'Claude', 'claude_desktop_config.json'];
}

/** Returns the link by which VS Code asks the user whether to install the server. */
export function vscodeLink(server: ServerCommand): string {
  return `vscode:mcp/install?${encodeURIComponent(JSON.stringify({ name: serverName, ...server }))}`;
}

function portable(server: ServerCommand): string {
  return json({ mcpServers: { [serverName]: server } });
}

function json(value: object): string {
  return `${JSON.stringify(value, undefined, 2)}\n`;
}

/** A string of JSON is one of TOML as well. */
export function tomlOf({ command, args, env }: ServerCommand): string {
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
