import { existsSync, mkdirSync, mkdtempSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { launchProfile } from '../support/browser';
import { EditorHost, installExtension } from '../support/editorHost';
import { removeFolder } from '../support/removeFolder';
import { lineMark } from './index';
import { buildSuite, suiteFile, testHostFolder } from './suite';

const timeLimitMs = 5 * 60_000;

/**
 * Runs the suite in the extension host of the browser-hosted editor, against the packaged extension. Rejects when
 * a test fails, and when the suite did not get to its end.
 */
export async function runInBrowserHostedEditor(): Promise<void> {
  await buildSuite();
  const dataDir = mkdtempSync(path.join(os.tmpdir(), 'gpu-rental-editor-'));
  const folder = path.join(dataDir, 'workspace');
  mkdirSync(folder);
  await installExtension(dataDir);
  const host = await EditorHost.start({ dataDir, driver: true, patches: ['toasts'] });
  const browser = await launchProfile(host, path.join(dataDir, 'profile'));
  try {
    const page = await browser.newPage();
    const exitCode = await runInPage(page, host, folder);
    const result = process.env['GPU_RENTAL_TEST_RESULT'];
    if (exitCode !== 0) {
      throw new Error('The suite failed.');
    }
    if (result !== undefined && !existsSync(result)) {
      throw new Error('The suite ended without a result.');
    }
  } finally {
    await browser.close();
    await host.stop();
    await removeFolder(dataDir);
  }
}

/** Opens the window whose extension host runs the suite; settles with its exit code. */
async function runInPage(page: Page, host: EditorHost, folder: string): Promise<number> {
  let timer: NodeJS.Timeout | undefined;
  const tooLate = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error('The suite took too long.')), timeLimitMs);
  });
  const hostEnded = host.ended().then((code) => {
    throw new Error(`The editor's server ended with ${code}.`);
  });
  // The race below may be over before either of them.
  hostEnded.catch(() => undefined);
  try {
    const exited = new Promise<number>((resolve, reject) => {
      page.exposeFunction('codeAutomationExit', resolve).catch(reject);
    });
    await page.exposeFunction('codeAutomationLog', (_type: string, parts: unknown[]) => {
      const line = parts.map(String).join(' ');
      if (line.startsWith(lineMark)) {
        console.log(line.slice(lineMark.length));
      }
    });
    await page.goto(host.windowUrl({ folder, development: testHostFolder, tests: suiteFile }));
    return await Promise.race([exited, hostEnded, tooLate]);
  } finally {
    clearTimeout(timer);
  }
}
