/** The editor's own themes by the short names that `GPU_RENTAL_TEST_THEME` takes. */
const themes: Readonly<Record<string, string>> = {
  dark: 'Dark Modern',
  light: 'Light Modern',
  'hc-dark': 'Default High Contrast',
  'hc-light': 'Default High Contrast Light',
};

export interface TestTheme {
  /** For the settings of the editor. */
  readonly settings: Readonly<Record<string, unknown>>;
  /** Folder below `.screenshots` for pictures in these colours; empty for those of the editor itself. */
  readonly folder: string;
}

/** The colours that a run of the workbench suites is wanted in. Throws for a name that there is none of. */
export function testTheme(name = process.env['GPU_RENTAL_TEST_THEME'] ?? ''): TestTheme {
  if (name === '') return { settings: {}, folder: '' };
  const id = themes[name];
  if (id === undefined) {
    throw new Error(`There is no theme ${name}; there are: ${Object.keys(themes).join(', ')}`);
  }
  return { settings: { 'workbench.colorTheme': id, 'window.autoDetectColorScheme': false }, folder: name };
}
