/** What the numbers of a run mean. Pure, so that the rules have tests of their own. */

/** The longest first, so that none is left over at the end; what was never measured may be the longest of all. */
export function longestFirst(items, secondsOf) {
  return [...items].sort((a, b) => {
    const [first, second] = [secondsOf(a) ?? Infinity, secondsOf(b) ?? Infinity];
    return first === second ? 0 : second - first;
  });
}

/**
 * The numbers of one process: `result` is what its reporter wrote, `undefined` where there is none. A process that
 * broke off, or in which nothing ran, has failed whatever it counted.
 */
export function numbersOf(result, code, { mayBeEmpty = false } = {}) {
  const { passed = 0, failed = 0, notRun = 0, failures = [] } = result ?? {};
  if (failed > 0) return { passed, failed, notRun, failures };
  const isWhole = result !== undefined && code === 0 && notRun === 0 && (passed > 0 || mayBeEmpty);
  if (isWhole) return { passed, failed, notRun, failures };
  const reason =
    code === 0 && notRun === 0 ? 'Nothing in it ran.' : `It ended with exit code ${code}, before its end.`;
  return { passed, failed: 1, notRun, failures: [...failures, { title: 'broke off', reason }] };
}

/** Adds numbers up. */
export function sum(all) {
  const total = { passed: 0, failed: 0, notRun: 0 };
  for (const { passed, failed, notRun = 0 } of all) {
    total.passed += passed;
    total.failed += failed;
    total.notRun += notRun;
  }
  return total;
}

/** `12 passed, 1 failed`, and how many were not run because an earlier step had failed. */
export function numbersText({ passed, failed, notRun }) {
  return `${passed} passed, ${failed} failed${notRun > 0 ? `, ${notRun} not run` : ''}`;
}

/** `unit 61, eslint 40, …`, the longest first. */
export function timesText(steps) {
  return longestFirst(steps, ({ seconds }) => seconds)
    .map(({ name, seconds }) => `${name} ${Math.round(seconds)}`)
    .join(', ');
}

/**
 * A suite that failed and then passed is flaky; one that failed twice has failed, with the reasons of its second
 * run, which has the trace, and then those of its first, which may be others.
 */
export function afterRetry(suite, first, second) {
  if (second.failed > 0) {
    const before = first.failures.map(({ title, reason }) => ({ title: `at first: ${title}`, reason }));
    return { numbers: { ...second, failures: [...second.failures, ...before] } };
  }
  const [failure = { title: suite, reason: 'unknown' }] = first.failures;
  return { numbers: second, flake: { suite, test: failure.title, reason: failure.reason } };
}

/** `FLAKY ui/suite: test: first line of the reason`. */
export function flakeText({ suite, test, reason }) {
  return `FLAKY ui/${suite}: ${test}: ${reason.split('\n')[0]}`;
}

/** Why the flakes of one stage make the run red; nothing where they do not. */
export function tooManyFlakes(flakes, allowed) {
  if (flakes.length <= allowed) return [];
  const names = flakes.map(({ suite }) => suite).join(', ');
  return [
    { title: 'flaky suites', reason: `${flakes.length} suites are flaky (${names}), ${allowed} may be.` },
  ];
}

/** The last lines of a run; the very last one is read by programs. */
export function lastLines({ passed, failed, notRun }, flakes) {
  return [
    ...(flakes > 0 ? [`${flakes} flaky`] : []),
    ...(notRun > 0 ? [`${notRun} not run`] : []),
    `${passed} passed, ${failed} failed`,
  ];
}

/** What a run says at its end of its failures and flakes, so that a log that keeps only its end has them all. */
function failuresOf({ lines }) {
  const start = lines.findIndex((line) => /^\[[^\]]+\] +FAILED: |^FLAKY /.test(line));
  return start < 0 ? [] : lines.slice(start, -1);
}

/**
 * The sum of several runs by their last lines, below the failures of all of them; red when one failed or does not end
 * with its numbers.
 */
export function ciVerdict(runs) {
  const read = runs.map(({ lines }) => /^(\d+) passed, (\d+) failed$/.exec(lines.at(-1) ?? ''));
  const total = sum(
    read.map((match) => ({ passed: Number(match?.[1] ?? 0), failed: Number(match?.[2] ?? 1), notRun: 0 })),
  );
  const broken = read.flatMap((match, place) =>
    match ? [] : [`run ${place + 1} did not end with its numbers`],
  );
  const isGreen = total.failed === 0 && runs.every(({ code }) => code === 0);
  return { lines: [...runs.flatMap(failuresOf), ...broken, numbersText(total)], exitCode: isGreen ? 0 : 1 };
}
