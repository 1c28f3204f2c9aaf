/** `npm run simulator -- --port 8787 --api-key KEY --seed 1`: the stand-in service by itself. */
import { existsSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { run } from './process.mjs';
import { root, setUpOrEnd } from './setup.mjs';

await setUpOrEnd(['modules'], (line) => process.stderr.write(`${line}\n`));
const bundle = path.join(root, 'dist', 'simulator.js');
const build = await run(process.execPath, ['esbuild.mjs'], { cwd: root });
if (build.code !== 0 || !existsSync(bundle)) process.exit(1);
process.argv[1] = bundle;
await import(pathToFileURL(bundle).href);
