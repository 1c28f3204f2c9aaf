import { readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { format } from 'node:util';
import Mocha from 'mocha';

/** Begins each line of the suite, among all that an editor says on its console. */
export const lineMark = '[suite]';

/**
 * Runs the suite inside the extension host; both kinds of editor call this. The numbers go to the file that
 * `GPU_RENTAL_TEST_RESULT` names. Rejects when a test failed or none ran.
 */
export async function run(): Promise<void> {
  const grep = process.env['GPU_RENTAL_TEST_GREP'];
  const mocha = new Mocha({
    ui: 'bdd',
    color: false,
    timeout: 30_000,
    forbidOnly: true,
    forbidPending: true,
    ...(grep === undefined ? {} : { grep }),
  });
  Mocha.reporters.Base.consoleLog = (...parts: unknown[]) => {
    for (const line of format(...parts).split('\n')) {
      console.log(`${lineMark}${line}`);
    }
  };
  for (const file of readdirSync(__dirname)
    .filter((name) => name.endsWith('.test.js'))
    .sort()) {
    mocha.addFile(path.join(__dirname, file));
  }
  const failures: { title: string; reason: string }[] = [];
  const { passed, failed } = await new Promise<{ passed: number; failed: number }>((resolve) => {
    const runner = mocha.run((count) =>
      resolve({ passed: runner.stats?.passes ?? 0, failed: Math.max(count, runner.stats?.failures ?? 0) }),
    );
    runner.on('fail', (test, error: unknown) =>
      failures.push({
        title: test.fullTitle(),
        reason: error instanceof Error ? error.message : String(error),
      }),
    );
  });
  const result = process.env['GPU_RENTAL_TEST_RESULT'];
  if (result !== undefined) {
    writeFileSync(result, JSON.stringify({ passed, failed, failures }));
  }
  if (failed > 0 || (passed === 0 && grep === undefined)) {
    throw new Error(`${passed} passed, ${failed} failed`);
  }
}
