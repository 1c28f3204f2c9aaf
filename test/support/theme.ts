import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { settingsFile, writeSettings } from './editorHost';

/** The editor's own themes by the short names that `GPU_RENTAL_TEST_THEME` takes, and the class of a window in them. */
const themes: Readonly<Record<string, { readonly id: string; readonly file: string }>> = {
  dark: { id: 'Dark Modern', file: 'dark_modern' },
  light: { id: 'Light Modern', file: 'light_modern' },
  'hc-dark': { id: 'Default High Contrast', file: 'hc_black' },
  'hc-light': { id: 'Default High Contrast Light', file: 'hc_light' },
};

const setting = 'workbench.colorTheme';

/** Names of the themes that a run of the workbench suites is wanted in; none in an ordinary run. */
export function wantedThemes(): readonly string[] {
  const names = (process.env['GPU_RENTAL_TEST_THEME'] ?? '').split(',').filter((name) => name !== '');
  for (const name of names) themeOf(name);
  return names;
}

/** Settings for the start: the first of the themes, if any. */
export function themeSettings(): Readonly<Record<string, unknown>> {
  const [first] = wantedThemes();
  return first === undefined ? {} : { [setting]: themeOf(first).id };
}

/** Changes the colours of all windows of a host; settles when this one has them. */
export async function showTheme(page: Page, dataDir: string, name: string): Promise<void> {
  const { id, file } = themeOf(name);
  const settings = JSON.parse(readFileSync(settingsFile(dataDir), 'utf8')) as Record<string, unknown>; // written by tests
  if (settings[setting] !== id) writeSettings(dataDir, { ...settings, [setting]: id });
  await page.locator(`.monaco-workbench[class*="themes-${file}-json"]`).waitFor();
  // The colours are there with the class, and transitions between them take no time where motion is reduced.
  await page.evaluate(
    'new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(0))))',
  );
}

function themeOf(name: string): { readonly id: string; readonly file: string } {
  const theme = themes[name];
  if (theme === undefined) {
    throw new Error(`There is no theme ${name}; there are: ${Object.keys(themes).join(', ')}`);
  }
  return theme;
}
