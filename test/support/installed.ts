import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';

export const repository = path.resolve(__dirname, '..', '..');

interface InstalledHost {
  /** Node in the version that the server asks for. */
  readonly node: string;
  /** Folder of the package. */
  readonly codeServer: string;
}

/** The browser-hosted editor, which `scripts/host.mjs` installs. */
export function installedHost(): InstalledHost {
  const versions = readVersions();
  const folder = path.join(cacheFolder(), `code-server-${versions.codeServer}-node-${versions.node}`);
  const modules = path.join(folder, 'node_modules');
  const node =
    process.env['GPU_RENTAL_HOST_NODE'] ??
    path.join(modules, `node-${process.platform}-${process.arch}`, 'bin', 'node');
  const codeServer = process.env['GPU_RENTAL_CODE_SERVER'] ?? path.join(modules, 'code-server');
  if (!existsSync(node) || !existsSync(codeServer)) {
    throw new Error('The browser-hosted editor is not installed: run `npm test -- --only ui` once.');
  }
  return { node, codeServer };
}

/** What starts the Inspector of MCP, which `scripts/host.mjs` installs as well. */
export function installedInspector(): string {
  const folder = path.join(cacheFolder(), `inspector-${readVersions().inspector}`, 'node_modules');
  const launcher = path.join(
    '@modelcontextprotocol',
    'inspector',
    'clients',
    'launcher',
    'build',
    'index.js',
  );
  const script = path.join(folder, launcher);
  if (!existsSync(script)) {
    throw new Error('The MCP Inspector is not installed: run `npm test -- --suite agents` once.');
  }
  return script;
}

/** The server of llama.cpp, which `scripts/engine.mjs` compiles. */
export function installedEngine(): string {
  const program = path.join(cacheFolder(), `llama.cpp-${readVersions().llamaCpp}`, 'llama-server');
  if (!existsSync(program)) {
    throw new Error('The engine is not installed: run `npm run test:models` once.');
  }
  return program;
}

/** What is installed once for all clones. */
export function cacheFolder(): string {
  const cache = process.env['XDG_CACHE_HOME'] ?? path.join(process.env['HOME'] ?? '', '.cache');
  return path.join(cache, 'gpu-rental');
}

type Versions = Readonly<Record<'codeServer' | 'node' | 'inspector' | 'llamaCpp', string>>;

function readVersions(): Versions {
  // Our own file, in the repository.
  return JSON.parse(readFileSync(path.join(repository, 'scripts', 'host.json'), 'utf8')) as Versions;
}
