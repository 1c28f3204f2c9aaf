import type { FrameLocator, Page } from 'playwright-core';

interface Theme {
  readonly id: string;
  /** By default the id. */
  readonly label?: string;
  /** Part of the class of a window. */
  readonly file: string;
  /** What the body of a page in a panel matches. */
  readonly body: string;
}

/** The editor's own themes by the short names that `GPU_RENTAL_TEST_THEME` takes. */
const themes: Readonly<Record<string, Theme>> = {
  dark: { id: 'Dark Modern', file: 'dark_modern', body: '.vscode-dark' },
  light: { id: 'Light Modern', file: 'light_modern', body: '.vscode-light' },
  'hc-dark': {
    id: 'Default High Contrast',
    label: 'Dark High Contrast',
    file: 'hc_black',
    // The light theme of high contrast has the class as well.
    body: '.vscode-high-contrast:not(.vscode-high-contrast-light)',
  },
  'hc-light': {
    id: 'Default High Contrast Light',
    label: 'Light High Contrast',
    file: 'hc_light',
    body: '.vscode-high-contrast-light',
  },
};

/** The names of all themes with their labels in the editor's own list. */
export const themeLabels: readonly (readonly [name: string, label: string])[] = Object.entries(themes).map(
  ([name, { id, label = id }]) => [name, label],
);

/** Names of the one or two themes that a run of the workbench suites is wanted in; none in an ordinary run. */
export function wantedThemes(): readonly string[] {
  const names = (process.env['GPU_RENTAL_TEST_THEME'] ?? '').split(',').filter((name) => name !== '');
  if (names.length > 2) {
    throw new Error(
      'Two themes at most: an editor follows the system between two. npm run pictures takes all.',
    );
  }
  for (const name of names) {
    themeOf(name);
  }
  return names;
}

/** Settings with which the editor shows the first theme where the system is dark, and the second where it is light. */
export function themeSettings(): Readonly<Record<string, unknown>> {
  const [first, second = first] = wantedThemes();
  if (first === undefined || second === undefined) {
    return {};
  }
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

/** Settles when the page in a panel has the colours of the theme, which it is told later than the window. */
export async function pageShowsTheme(page: FrameLocator, name: string): Promise<void> {
  await page.locator(`body${themeOf(name).body}`).waitFor();
}

function themeOf(name: string): Theme {
  const theme = themes[name];
  if (theme === undefined) {
    throw new Error(`There is no theme ${name}; there are: ${Object.keys(themes).join(', ')}`);
  }
  return theme;
}
