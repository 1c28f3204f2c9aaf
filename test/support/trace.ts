import { appendFileSync, writeFileSync } from 'node:fs';
import type { BrowserContext } from 'playwright-core';

/**
 * `GPU_RENTAL_TEST_TRACE` names files, without their endings, that tell what a suite did: pictures and steps (`.zip`,
 * for `npx playwright show-trace`), the editor's console, the extension's log, and the requests. Undefined otherwise.
 */
const base = process.env['GPU_RENTAL_TEST_TRACE'];
let saved = 0;

/**
 * Whether the recording itself caused an error in the page: its script is refused by pages that may run none, such as
 * the one with the code of a new authenticator app.
 */
export function isOfTrace(error: string): boolean {
  return (
    base !== undefined && /^Blocked script execution in .*'allow-scripts' permission is not set/.test(error)
  );
}

/** Records all pages of a profile from now on. */
export async function startTrace(profile: BrowserContext): Promise<void> {
  if (base === undefined) return;
  await profile.tracing.start({ screenshots: true, snapshots: true, sources: false });
  profile.on('console', (message) => {
    appendFileSync(`${base}.console.txt`, `${message.type()}: ${message.text()}\n`);
  });
  profile.on('weberror', (error) => {
    appendFileSync(`${base}.console.txt`, `uncaught: ${String(error.error())}\n`);
  });
}

/** Writes what was recorded; has to come before the browser is closed. `texts` by the ending of their file. */
export async function saveTrace(
  profile: BrowserContext,
  texts: Readonly<Record<string, () => string>> = {},
): Promise<void> {
  if (base === undefined) return;
  saved += 1;
  const file = saved === 1 ? base : `${base}.${saved}`;
  try {
    await profile.tracing.stop({ path: `${file}.zip` });
    for (const [ending, text] of Object.entries(texts)) writeFileSync(`${file}.${ending}`, text());
  } catch (error) {
    // An editor that has ended takes its trace with it, and the suite has failed for that.
    console.log(`The trace is not whole: ${String(error)}`);
  }
}
