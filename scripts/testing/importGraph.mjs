/** Who imports what, over the tests that run in plain Node. Needs `node_modules`. */
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { createRequire } from 'node:module';
import { buildSync } from 'esbuild';
import { root } from '../setup.mjs';

/** The `inputs` of esbuild's metafile for all unit, contract and feature tests. */
export function importGraph() {
  const tests = ['unit', 'contract', 'feature'].flatMap((layer) => {
    const folder = `test/${layer}`;
    return listed(folder).map((file) => `${folder}/${file.replaceAll(path.sep, '/')}`);
  });
  const { metafile } = buildSync({
    absWorkingDir: root,
    // All in one, which reads and writes each file once.
    stdin: { contents: tests.map((file) => `import './${file}';`).join('\n'), resolveDir: root },
    bundle: true,
    write: false,
    metafile: true,
    platform: 'node',
    packages: 'external',
    loader: createRequire(import.meta.url)('../textFiles.json'),
    logLevel: 'error',
  });
  return metafile.inputs;
}

function listed(folder) {
  try {
    const names = readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' });
    return names.filter((file) => file.endsWith('.test.ts'));
  } catch {
    return [];
  }
}
