import assert from 'node:assert/strict';
import path from 'node:path';
import { buildSync } from 'esbuild';
import textFiles from '../../../scripts/textFiles.json';

const repository = path.join(__dirname, '..', '..', '..');

describe('the tools of agents', () => {
  it('are not loaded with the product, and their server is no part of it', () => {
    const { metafile } = buildSync({
      absWorkingDir: repository,
      entryPoints: ['src/extension.ts'],
      outdir: 'out',
      bundle: true,
      splitting: true,
      format: 'esm',
      platform: 'node',
      write: false,
      metafile: true,
      logLevel: 'silent',
      external: ['vscode', '*.node', 'cpu-features'],
      loader: textFiles as Record<string, 'text'>,
    });
    const { outputs } = metafile;
    const all = Object.values(outputs).flatMap(({ inputs }) => Object.keys(inputs));
    assert.deepEqual(
      all.filter((file) => file.startsWith('src/agents/mcp/')),
      [],
    );
    const readWith = (file: string, seen = new Set<string>()): Set<string> => {
      if (seen.has(file)) {
        return seen;
      }
      seen.add(file);
      for (const { path: other, kind } of outputs[file]?.imports ?? []) {
        if (kind === 'import-statement' && outputs[other]) {
          readWith(other, seen);
        }
      }
      return seen;
    };
    const chunkOf = (source: string) =>
      Object.keys(outputs).find((name) => outputs[name]?.inputs[source] !== undefined) ?? source;
    for (const entry of ['src/extension.ts', 'src/app.ts']) {
      const read = readWith(chunkOf(entry));
      for (const tools of ['marketTools', 'instanceTools']) {
        const source = `src/agents/store/${tools}.ts`;
        assert.ok(all.includes(source), `${source} is in no bundle`);
        assert.ok(!read.has(chunkOf(source)), `${entry} reads ${tools}`);
      }
    }
  });
});
