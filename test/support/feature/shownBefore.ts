import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { repository } from '../fakeEditor/manifest';

/** The lines of one `describe` by its title. */
type Recorded = Readonly<Record<string, readonly string[]>>;

const folder = path.join(repository, 'test', 'feature', 'shown');
const mostNamed = 12;

/**
 * Compares what a file of tests showed with what it showed when `npm run test:shown` last recorded it, where the run asks
 * for it (`npm run test:shown -- --check`, `npm run test:mutants`). Every recorded
 * line has to come again; only suites that showed the same in each of several runs are recorded. Shown text that changed on
 * purpose is recorded again, and the difference is read like any other change.
 */
export function compareShown(testFile: string, suite: string, lines: readonly string[]): void {
  const name = path.basename(testFile, '.test.ts');
  const target = process.env['GPU_RENTAL_TEST_SHOWN'];
  if (target !== undefined) {
    record(path.join(target, `${name}.json`), suite, lines);
    return;
  }
  // Other systems show other things.
  if (process.env['GPU_RENTAL_TEST_COMPARE'] === undefined || process.platform !== 'linux') return;
  failIfMissing(name, suite, lines, read(path.join(folder, `${name}.json`))[suite] ?? []);
}

/** Fails with the expected lines that are missing, and with the lines that came in their place. */
export function failIfMissing(
  name: string,
  suite: string,
  lines: readonly string[],
  expected: readonly string[],
): void {
  const now = new Set(lines);
  const missing = expected.filter((line) => !now.has(line));
  if (missing.length === 0) return;
  const before = new Set(expected);
  const added = lines.filter((line) => !before.has(line));
  const text = (all: readonly string[]) =>
    all
      .slice(0, mostNamed)
      .map((line) => `\n  ${line}`)
      .join('');
  assert.fail(
    `${suite}: ${missing.length} lines are not shown or sent as before.${text(missing)}\nNew:${text(added)}\n` +
      `If that is right, record it: npm run test:shown -- ${name}`,
  );
}

function record(file: string, suite: string, lines: readonly string[]): void {
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, JSON.stringify({ ...read(file), [suite]: lines }));
}

function read(file: string): Recorded {
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Recorded) : {};
}
