/** `npm run test:new -- <suite>`: a new suite of the workbench passes three times in a row, and once in slow motion. */
import path from 'node:path';
import { run } from './process.mjs';
import { root } from './setup.mjs';

const [suite, ...rest] = process.argv.slice(2);
if (suite === undefined || rest.length > 0) {
  process.stderr.write('Name one suite: npm run test:new -- signIn\n');
  process.exit(2);
}
const test = [path.join(root, 'scripts', 'test.mjs'), '--suite', suite];
for (const { args, env } of [
  { args: ['--repeat', '3'], env: {} },
  // Pages and answers are slow then, and the tests are not: what waits for too little fails.
  { args: ['--no-retry'], env: { GPU_RENTAL_TEST_SLOW: '4' } },
]) {
  const { code } = await run(process.execPath, [...test, ...args], {
    cwd: root,
    env: { ...process.env, ...env },
  });
  if (code !== 0) process.exit(code);
}
