import { existsSync } from 'node:fs';
import path from 'node:path';
import { chromium, type Browser, type BrowserContext } from 'playwright-core';
import { compiledScriptsFolder, copyCompiledScripts } from './compiledScripts';
import type { EditorHost } from './editorHost';
import { slowPages } from './slowMotion';
import { startTrace } from './trace';

/** Not its headless shell, which is faster: each of its windows believes that it has the focus. */
const names = ['chromium', 'chromium-browser', 'google-chrome'];

/** Chromium takes the last list of these alone, so that of Playwright is repeated, as far as it concerns our pages. */
const disabledFeatures = [
  'AvoidUnnecessaryBeforeUnloadCheckSync',
  'DestroyProfileOnBrowserClose',
  'HttpsFirstBalancedModeAutoEnable',
  'HttpsUpgrades',
  'MediaRouter',
  'OptimizationHints',
  'PaintHolding',
  'ThirdPartyStoragePartitioning',
  // With it the scripts of the editor are compiled again in each window, although they are kept compiled.
  'BackgroundResourceFetch',
];

const flags = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--disable-dev-shm-usage',
  // What a window runs, it runs seldom: to optimize it and to collect its garbage in parallel costs more than it saves.
  '--js-flags=--no-turbofan --no-maglev --single-threaded-gc',
  `--disable-features=${disabledFeatures.join(',')}`,
];

const profileOptions = {
  viewport: { width: 1400, height: 900 },
  permissions: ['clipboard-read', 'clipboard-write'],
};

/** Full path of the Chromium of this machine. */
export function browserProgram(): string {
  const folders = (process.env['PATH'] ?? '').split(path.delimiter);
  const program = names
    .flatMap((name) => folders.map((folder) => path.join(folder, name)))
    .find((file) => existsSync(file));
  if (program === undefined) {
    throw new Error('Chromium is needed: apt-get install chromium');
  }
  return program;
}

/** Starts the Chromium of this machine without a window. */
export async function launchBrowser(): Promise<Browser> {
  return chromium.launch({ executablePath: browserProgram(), args: flags });
}

/** One user's profile; its pages are windows of one editor. */
export async function newProfile(browser: Browser): Promise<BrowserContext> {
  return followed(await browser.newContext(profileOptions));
}

/**
 * A browser with one user's profile in a new folder, for the windows of one editor. Nothing is in the profile but the
 * editor's scripts as they were compiled before, which takes a third off the time until a window is open.
 */
export async function launchProfile(host: EditorHost, folder: string): Promise<BrowserContext> {
  copyCompiledScripts(keptScripts(), folder);
  return followed(await launchInFolder(host, folder));
}

/** Folder of the editor's scripts as this browser compiles them, whether it is there or not. */
export function keptScripts(): string {
  return compiledScriptsFolder(browserProgram(), flags);
}

/** As `launchProfile`, with what the folder holds. */
export function launchInFolder(host: EditorHost, folder: string): Promise<BrowserContext> {
  return chromium.launchPersistentContext(folder, {
    ...profileOptions,
    executablePath: browserProgram(),
    args: [...flags, `--host-resolver-rules=${host.resolverRule}`],
  });
}

async function followed(profile: BrowserContext): Promise<BrowserContext> {
  slowPages(profile);
  await startTrace(profile);
  return profile;
}
