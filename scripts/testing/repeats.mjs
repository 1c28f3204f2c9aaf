/** Runs of workbench suites that were counted: `{ suite: { runs, failures: [{ date, test, reason }] } }`. Pure. */

/** The suite with the smallest share of the runs that are aimed at; `undefined` where all have enough. */
export function nextSuite(suites, repeats, aimOf, underWay) {
  const shareOf = (suite) => (repeats[suite]?.runs ?? 0) / aimOf(suite);
  const [next] = suites
    .filter((suite) => !underWay.has(suite) && shareOf(suite) < 1)
    .sort((one, other) => shareOf(one) - shareOf(other));
  return next;
}

/** With one more run of a suite, whose numbers are those of its process. */
export function added(repeats, suite, { failed, failures }, now) {
  const { runs = 0, failures: before = [] } = repeats[suite] ?? {};
  const [first] = failures;
  const failure = {
    date: now.toISOString().slice(0, 10),
    test: first?.title ?? suite,
    reason: first?.reason.split('\n')[0] ?? '',
  };
  const all = {
    ...repeats,
    [suite]: { runs: runs + 1, failures: failed > 0 ? [...before, failure] : before },
  };
  return Object.fromEntries(Object.entries(all).sort(([one], [other]) => (one < other ? -1 : 1)));
}

/** What stands so far, in a line for all, and one for each suite that failed. */
export function repeatsText(suites, repeats, aimOf) {
  const known = suites.map((suite) => ({ suite, ...(repeats[suite] ?? { runs: 0, failures: [] }) }));
  const runs = known.reduce((sum, one) => sum + one.runs, 0);
  const failed = known.reduce((sum, one) => sum + one.failures.length, 0);
  const enough = known.filter(({ suite, runs: own }) => own >= aimOf(suite)).length;
  return [
    `${runs} runs, ${failed} failed; ${enough} of ${suites.length} suites have as many runs as aimed at`,
    ...known
      .filter(({ failures }) => failures.length > 0)
      .map(({ suite, runs: own, failures }) => `${suite}: ${failures.length} of ${own} failed`),
  ];
}
