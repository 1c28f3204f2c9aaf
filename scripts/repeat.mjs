/**
 * `npm run test:repeat`: how often the workbench suites fail when nothing is broken. Runs those first that have the
 * fewest runs of what is aimed at, without a second try, and counts them in `test/repeats.json`, so that the proof grows
 * over many days.
 *
 *   npm run test:repeat -- --minutes 60
 *   npm run test:repeat -- --suite signIn,templates --minutes 10
 *
 * A suite whose fault was mended begins again: remove it from the file.
 */
import path from 'node:path';
import { makePackage } from './package.mjs';
import { readOptions } from './process.mjs';
import { root, setUpOrEnd } from './setup.mjs';
import { Programs } from './testing/programs.mjs';
import { nextSuite, repeatsText } from './testing/repeats.mjs';
import { countRepeat, readRepeats } from './testing/repeatsFile.mjs';
import { Report } from './testing/report.mjs';
import { gateSuites, workbenchSuites } from './testing/suites.mjs';
import { editorLanes, runTraced } from './testing/workbench.mjs';

const { values } = readOptions({
  options: { minutes: { type: 'string', default: '60' }, suite: { type: 'string' } },
});
const named = values.suite?.split(',') ?? workbenchSuites();
const unknown = named.filter((suite) => !workbenchSuites().includes(suite));
if (unknown.length > 0) {
  process.stderr.write(`There are no suites ${unknown.join(', ')}.\n`);
  process.exit(2);
}
await setUpOrEnd(['modules', 'ssh', 'tools', 'browser', 'host', 'inspector']);

const aimOf = (suite) => (gateSuites.includes(suite) ? 100 : 50);
const report = new Report(path.join(root, 'out', 'results'));
const programs = new Programs(report, { harder: {} });
report.say('package', (await makePackage()).trim());
await programs.compileScripts();

const end = Date.now() + Number(values.minutes) * 60_000;
const underWay = new Set();
const lane = async () => {
  while (Date.now() < end) {
    const repeats = readRepeats();
    const suite = nextSuite(named, repeats, aimOf, underWay);
    if (suite === undefined) return;
    underWay.add(suite);
    // The trace of a failure stays until one looks at it.
    const which = `run${(repeats[suite]?.runs ?? 0) + 1}`;
    const numbers = await report.timed(`ui/${suite}`, () => runTraced(programs, suite, which));
    underWay.delete(suite);
    countRepeat(suite, numbers);
    report.count(`ui/${suite}`, numbers);
  }
};
await Promise.all(Array.from({ length: editorLanes }, lane));
for (const line of repeatsText(workbenchSuites(), readRepeats(), aimOf)) report.say('repeats', line);
process.exit(report.end());
