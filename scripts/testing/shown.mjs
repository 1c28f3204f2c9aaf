/** Which lines of what feature tests have shown are kept for comparison. Pure: `{ suite: [line, …] }` for each file. */

/** More suites than this prove nothing more about one line. */
const most = 4;

/** The lines that each suite showed in every run: what depends on chance proves nothing and would fail by chance. */
export function steadyLines([first = {}, ...rest]) {
  const steady = Object.entries(first).map(([suite, lines]) => {
    const others = rest.map((run) => new Set(run[suite] ?? []));
    return [suite, lines.filter((line) => others.every((other) => other.has(line)))];
  });
  return Object.fromEntries(steady.filter(([, lines]) => lines.length > 0));
}

/**
 * What is kept of the `fresh` files beside the `others`, which stay as they are: each line in four suites at most, those
 * with the fewest lines.
 */
export function chosenLines(fresh, others) {
  const count = new Map();
  const add = (line) => count.set(line, (count.get(line) ?? 0) + 1);
  for (const suites of Object.values(others)) Object.values(suites).flat().forEach(add);
  const chosen = Object.fromEntries(Object.keys(fresh).map((name) => [name, {}]));
  const all = Object.entries(fresh)
    .flatMap(([name, suites]) => Object.entries(suites).map(([suite, lines]) => ({ name, suite, lines })))
    .sort((one, other) => one.lines.length - other.lines.length);
  for (const { name, suite, lines } of all) {
    const kept = lines.filter((line) => (count.get(line) ?? 0) < most);
    kept.forEach(add);
    if (kept.length > 0) chosen[name][suite] = kept;
  }
  return chosen;
}
