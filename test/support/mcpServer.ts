import path from 'node:path';
import { buildSync } from 'esbuild';

const repository = path.join(__dirname, '..', '..');

/** Builds the server for agents where the package has it. */
export function buildMcpServer(): void {
  buildSync({
    entryPoints: [path.join(repository, 'src', 'agents', 'mcp', 'main.ts')],
    outfile: path.join(repository, 'dist', 'mcp.js'),
    bundle: true,
    platform: 'node',
    logLevel: 'silent',
  });
}
