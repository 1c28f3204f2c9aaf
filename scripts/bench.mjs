/** `npm run bench`: measures side by side, in one run, what docs/figures.md promises, and prints a Markdown table. */
import path from 'node:path';
import { codeServer, hostNode } from './host.mjs';
import { makePackage } from './package.mjs';
import { run } from './process.mjs';
import { root, setUpOrEnd } from './setup.mjs';

// The table alone goes to the output, so that it can be redirected.
await setUpOrEnd(['modules', 'ssh', 'tools', 'browser', 'host'], (line) => process.stderr.write(`${line}\n`));
await makePackage();
const { code } = await run(
  process.execPath,
  ['--require', './scripts/sources.cjs', path.join('test', 'bench', 'main.ts'), ...process.argv.slice(2)],
  { cwd: root, env: { ...process.env, GPU_RENTAL_HOST_NODE: hostNode, GPU_RENTAL_CODE_SERVER: codeServer } },
);
process.exit(code);
