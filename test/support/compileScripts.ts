import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { keptScripts, launchInFolder } from './browser';
import { compiledEditors, copyCompiledScripts } from './compiledScripts';
import { EditorHost } from './editorHost';
import { removeFolder } from './removeFolder';
import { commonEditors } from './uiSession';
import { until } from './until';
import { Workbench } from './workbench';

const weekMs = 7 * 24 * 3_600_000;

/**
 * Opens the editor until the browser keeps its scripts compiled, which it does in the second window, and stores them
 * for the profiles of tests. `npm test` runs this once for each version of browser and editor. Without it all works,
 * but windows take longer to open.
 */
async function compileScripts(): Promise<void> {
  const folder = keptScripts();
  if (existsSync(folder)) {
    return;
  }
  console.log('opening the editor until the browser has its scripts compiled (once, about a minute)');
  const root = mkdtempSync(path.join(os.tmpdir(), 'gr-compile-'));
  try {
    const profile = path.join(root, 'profile');
    for (const [index, patches] of commonEditors.entries()) {
      const host = await EditorHost.start({ dataDir: path.join(root, `editor-${index}`), patches });
      try {
        await openUntilCompiled(host, profile, index + 1);
      } finally {
        await host.stop();
      }
    }
    store(profile, folder);
  } finally {
    await removeFolder(root);
  }
}

async function openUntilCompiled(host: EditorHost, profile: string, wanted: number): Promise<void> {
  const browser = await launchInFolder(host, profile);
  try {
    const opened = async () => {
      const { page } = await Workbench.open(browser, host, 'compile');
      const isCompiled = () => compiledEditors(profile) >= wanted;
      await until('the compiled scripts', isCompiled, { timeoutMs: 5000 }).catch(() => undefined);
      await page.close();
      return isCompiled();
    };
    await until('the browser to keep compiled scripts', opened, { timeoutMs: 90_000 });
  } finally {
    await browser.close();
  }
}

/** Whole or not at all; those of other versions go once no run may still copy them. */
function store(profile: string, folder: string): void {
  const parent = path.dirname(folder);
  const partial = mkdtempSync(`${folder}.partial-`);
  copyCompiledScripts(profile, partial);
  for (const name of readdirSync(parent)) {
    const other = path.join(parent, name);
    const isOld = Date.now() - statSync(other).mtimeMs > weekMs;
    if (name.startsWith('compiled-') && isOld) {
      rmSync(other, { recursive: true, force: true });
    }
  }
  renameSync(partial, folder);
}

mkdirSync(path.dirname(keptScripts()), { recursive: true });
compileScripts().catch((error: unknown) => {
  console.log(`windows will take longer to open: ${error instanceof Error ? error.message : String(error)}`);
});
