import type { Page } from 'playwright-core';

/** The editor's own themes by the short names that `GPU_RENTAL_TEST_THEME` takes, and the class of a window in them. */
const themes: Readonly<Record<string, { readonly id: string; readonly file: string }>> = {
  dark: { id: 'Dark Modern', file: 'dark_modern' },
  light: { id: 'Light Modern', file: 'light_modern' },
  'hc-dark': { id: 'Default High Contrast', file: 'hc_black' },
  'hc-light': { id: 'Default High Contrast Light', file: 'hc_light' },
};

/** Names of the one or two themes that a run of the workbench suites is wanted in; none in an ordinary run. */
export function wantedThemes(): readonly string[] {
  const names = (process.env['GPU_RENTAL_TEST_THEME'] ?? '').split(',').filter((name) => name !== '');
  if (names.length > 2) throw new Error('Two themes at most: an editor follows the system between two.');
  for (const name of names) themeOf(name);
  return names;
}

/** Settings with which the editor shows the first theme where the system is dark, and the second where it is light. */
export function themeSettings(): Readonly<Record<string, unknown>> {
  const [first, second = first] = wantedThemes();
  if (first === undefined || second === undefined) return {};
  return {
    'window.autoDetectColorScheme': true,
    'workbench.preferredDarkColorTheme': themeOf(first).id,
    'workbench.preferredLightColorTheme': themeOf(second).id,
  };
}

/** Settles when the window has the colours of one of the wanted themes. */
export async function showTheme(page: Page, name: string): Promise<void> {
  await page.emulateMedia({ colorScheme: wantedThemes()[0] === name ? 'dark' : 'light' });
  await page.locator(`.monaco-workbench[class*="themes-${themeOf(name).file}-json"]`).waitFor();
  // Colours follow the class in the next frame.
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
