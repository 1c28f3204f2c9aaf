import { existsSync } from 'node:fs';
import path from 'node:path';
import { chromium, type Browser, type BrowserContext } from 'playwright-core';
import { slowPages } from './slowMotion';
import { startTrace } from './trace';

const names = ['chromium', 'chromium-browser', 'google-chrome'];
const flags = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--disable-dev-shm-usage',
];

/** Starts the Chromium of this machine without a window. */
export async function launchBrowser(): Promise<Browser> {
  const folders = (process.env['PATH'] ?? '').split(path.delimiter);
  const executablePath = folders
    .flatMap((folder) => names.map((name) => path.join(folder, name)))
    .find((file) => existsSync(file));
  if (executablePath === undefined) throw new Error('Chromium is needed: apt-get install chromium');
  return chromium.launch({ executablePath, args: flags });
}

/** One user's profile; its pages are windows of one editor. */
export async function newProfile(browser: Browser): Promise<BrowserContext> {
  const profile = await browser.newContext({
    viewport: { width: 1400, height: 900 },
    permissions: ['clipboard-read', 'clipboard-write'],
  });
  slowPages(profile);
  await startTrace(profile);
  return profile;
}
