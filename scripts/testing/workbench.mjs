/** The suites in a real editor: in lanes, and those that failed again, alone and recorded. */
import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import path from 'node:path';
import { root } from '../setup.mjs';
import { inLanes } from './report.mjs';
import { afterRetry, longestFirst, tooManyFlakes } from './verdict.mjs';

const traces = path.join(root, 'out', 'traces');

/** A real editor keeps a core busy while it starts, and then mostly waits. */
const editorLanes = Math.min(2, availableParallelism());

/**
 * Runs suites, the longest first, and among them what else needs an editor (`beside`). With `retry`, those that failed
 * run again at the end, when nothing else runs; so many as `allowed` may pass only then. Each suite runs `repeat`
 * times in a row.
 */
export async function runWorkbench({
  programs,
  report,
  stage,
  suites,
  beside,
  durations,
  allowed,
  retry,
  repeat,
}) {
  const failedOnce = [];
  const work = [
    ...suites.map((suite) => ({ suite, name: `ui/${suite}`, run: () => runTraced(programs, suite) })),
    ...beside,
  ];
  const ordered = longestFirst(work, ({ name }) => durations[name]);
  await inLanes(editorLanes, ordered, async ({ suite, name, run }) => {
    for (let time = 0; time < (suite === undefined ? 1 : repeat); time += 1) {
      const numbers = await report.timed(name, run);
      const runsAgain = retry && suite !== undefined && numbers.failed > 0;
      if (runsAgain) failedOnce.push({ suite, first: numbers });
      else report.count(name, numbers);
    }
  });
  const flakes = [];
  for (const { suite, first } of failedOnce) {
    const { numbers, flake } = afterRetry(suite, first, await runAgain(programs, report, suite));
    report.count(`ui/${suite}`, numbers);
    if (flake === undefined) continue;
    flakes.push(flake);
    report.flake(flake);
  }
  report.fail(stage, tooManyFlakes(flakes, allowed));
}

async function runAgain(programs, report, suite) {
  const name = `ui/${suite}`;
  report.say(name, `runs again, alone; the traces go to out/traces/${suite}.first.* and ${suite}.second.*`);
  return report.timed(name, () => runTraced(programs, suite, 'second', { GPU_RENTAL_TEST_RECORD: '1' }));
}

/** What a run did is kept where it failed, and where it is a second one. A first run removes what others left. */
async function runTraced(programs, suite, which = 'first', env = {}) {
  mkdirSync(traces, { recursive: true });
  const own = which === 'first' ? `${suite}.` : `${suite}.${which}.`;
  const remove = () => {
    for (const file of readdirSync(traces)) {
      if (file.startsWith(own)) rmSync(path.join(traces, file), { recursive: true });
    }
  };
  remove();
  const numbers = await programs.workbench(suite, {
    GPU_RENTAL_TEST_TRACE: path.join(traces, `${suite}.${which}`),
    ...env,
  });
  if (which !== 'second' && numbers.failed === 0) remove();
  return numbers;
}
