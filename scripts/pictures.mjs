/**
 * `npm run pictures`: pictures of the product in the editor's own themes, in `.screenshots/<theme>/<suite>/`.
 *
 *   npm run pictures                        the suites that show the most
 *   npm run pictures -- templates,hosting   these suites of `test/ui`
 *   npm run pictures -- templates light,dark,hc-dark   in these themes only
 *
 * The suites are the same as in a test run, and fail as they do there. An editor follows the system between two themes,
 * so that three or four of them take two runs.
 */
import path from 'node:path';
import { run } from './process.mjs';
import { root } from './setup.mjs';

const usual = [
  ...[
    'agreedEnd',
    'connectedWindow',
    'debugFile',
    'files',
    'firstMinute',
    'keptTerminals',
    'lifecycle',
    'mainJourney',
    'mirror',
    'models',
    'notices',
    'parked',
    'reports',
    'rescued',
  ],
  ...['searchAndRent', 'secondFactorMethods', 'templates'],
];
const [suites = usual.join(','), wanted = 'dark,light,hc-dark,hc-light'] = process.argv.slice(2);
const pairs = wanted.match(/[^,]+(?:,[^,]+)?/g) ?? [];
let failed = false;
for (const [index, pair] of pairs.entries()) {
  process.stdout.write(`\n${pair}\n`);
  // The first run has packaged the extension.
  const stages = index === 0 ? 'package,ui' : 'ui';
  const { code } = await run(
    process.execPath,
    [path.join(root, 'scripts', 'test.mjs'), '--only', stages, '--suite', suites, '--no-retry'],
    { cwd: root, env: { ...process.env, GPU_RENTAL_TEST_THEME: pair } },
  );
  failed ||= code !== 0;
}
process.stdout.write(`\nThe pictures are in ${path.join(root, '.screenshots')}\n`);
process.exit(failed ? 1 : 0);
