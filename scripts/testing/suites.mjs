/** Which suites there are, where each of them runs, and how fast the product's time passes in them. */
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { root } from '../setup.mjs';

/** The journeys of `npm test`: they prove the main job on the packaged extension. */
export const gateSuites = ['mainJourney', 'startCommand', 'firstMinute', 'signIn', 'templates', 'twoWindows'];

/** How many workbench suites may need a second run before the verdict is red, by stage. */
export const allowedFlakes = { ui: 1, journeys: 2 };

/** Times as fast as on a clock: the suites wait for polls and pacing most of their time. */
const usualPace = 6;

/** Suites that test how long a pause is; they run at the true pace. */
const truePace = [
  // An Enter that is held down.
  'searchAndRent',
  // A value that is shown for a moment.
  'plantedSecrets',
];

export const paceOf = (suite) => (truePace.includes(suite) ? 1 : usualPace);

/**
 * Tests that let simulated machines work for long, over the real SSH: jobs to their end, timers by the machine's own
 * clock, connections that break, programs of others. They are few and take most of the minutes of all tests in plain
 * Node, so `npm run test:machines` has them. The gate keeps what shows that each of these works.
 */
const onMachines = 'test/**/*.machine.test.ts';

/** Tests with a real engine for models, which is compiled once: `npm run test:models` has them. */
const onEngine = 'test/**/*.engine.test.ts';

/** What the gate leaves out, as arguments of mocha. */
export const leftOut = [onMachines, onEngine].flatMap((pattern) => ['--ignore', pattern]);
export const isLeftOut = (file) => /\.(?:machine|engine)\.test\.ts$/.test(file);

/** Mocha's arguments by stage; `jobs` files at a time: more than cores, since all of them wait for programs and the disk. */
export const layers = [
  {
    stage: 'unit',
    name: 'unit',
    files: ['test/unit/**/*.test.ts', ...leftOut],
    // Those of SSH wait most.
    jobs: 4,
  },
  { stage: 'contract', name: 'contract', files: ['test/contract/**/*.test.ts'], jobs: 3 },
  {
    stage: 'feature',
    name: 'feature',
    files: ['test/feature/**/*.test.ts', ...leftOut],
    jobs: 3,
  },
  { stage: 'machines', name: 'machines', files: [onMachines], jobs: 3 },
  { stage: 'models', name: 'models', files: [onEngine], jobs: 2 },
];

export const checks = [
  { stage: 'lint', name: 'eslint', script: 'lint:code' },
  { stage: 'lint', name: 'prettier', script: 'lint:format' },
  { stage: 'lint', name: 'workflows', script: 'lint:workflows' },
  { stage: 'typecheck', name: 'typecheck', script: 'typecheck' },
  { stage: 'rest', name: 'rest', script: 'lint:rest' },
];

/** All workbench suites by name, in the order of the alphabet. */
export function workbenchSuites() {
  return readdirSync(path.join(root, 'test', 'ui'))
    .filter((file) => file.endsWith('.test.ts'))
    .map((file) => file.replace('.test.ts', ''))
    .sort();
}
