import { appendFileSync, writeFileSync } from 'node:fs';
import type { BrowserContext, Page } from 'playwright-core';

/**
 * `GPU_RENTAL_TEST_TRACE` names files, without their endings, that tell what a suite did: the editor's console, the
 * extension's log, the requests and a picture of each window at a failure. Undefined otherwise.
 */
const base = process.env['GPU_RENTAL_TEST_TRACE'];
/** With `GPU_RENTAL_TEST_RECORD` pictures and steps as well (`.zip`, for `npx playwright show-trace`), which takes time. */
const records = base !== undefined && process.env['GPU_RENTAL_TEST_RECORD'] !== undefined;
let saved = 0;
let failures = 0;

/**
 * Whether the recording itself caused an error in the page: its script is refused by pages that may run none, such as
 * the one with the code of a new authenticator app.
 */
export function isOfTrace(error: string): boolean {
  return records && /^Blocked script execution in .*'allow-scripts' permission is not set/.test(error);
}

/** Follows all pages of a profile from now on. */
export async function startTrace(profile: BrowserContext): Promise<void> {
  if (base === undefined) {
    return;
  }
  if (records) {
    await profile.tracing.start({ screenshots: true, snapshots: true, sources: false });
  }
  profile.on('console', (message) => {
    appendFileSync(`${base}.console.txt`, `${message.type()}: ${message.text()}\n`);
  });
  profile.on('weberror', (error) => {
    appendFileSync(`${base}.console.txt`, `uncaught: ${String(error.error())}\n`);
  });
}

/** Leaves a picture of each window at a test that failed. */
export async function traceFailure(pages: readonly Page[]): Promise<void> {
  if (base === undefined) {
    return;
  }
  for (const page of pages) {
    failures += 1;
    await page.screenshot({ path: `${base}.failed-${failures}.png` });
  }
}

/** Writes what was recorded; has to come before the browser is closed. `texts` by the ending of their file. */
export async function saveTrace(
  profile: BrowserContext,
  texts: Readonly<Record<string, () => string>> = {},
): Promise<void> {
  if (base === undefined) {
    return;
  }
  saved += 1;
  const file = saved === 1 ? base : `${base}.${saved}`;
  try {
    if (records) {
      await profile.tracing.stop({ path: `${file}.zip` });
    }
    for (const [ending, text] of Object.entries(texts)) {
      writeFileSync(`${file}.${ending}`, text());
    }
  } catch (error) {
    // An editor that has ended takes its trace with it, and the suite has failed for that.
    console.log(`The trace is not whole: ${String(error)}`);
  }
}
