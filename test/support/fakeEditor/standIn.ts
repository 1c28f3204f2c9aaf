import type * as vscode from 'vscode';
import { Screen } from './screen';
import { UserSettings } from './settings';
import { createVscode, type WindowNature } from './vscodeModule';

export interface OpenedWindow {
  readonly screen: Screen;
  readonly settings: UserSettings;
  readonly module: typeof vscode;
}

export interface WindowOptions {
  readonly folders?: readonly string[];
  readonly extensions?: readonly object[];
  readonly settings?: Readonly<Record<string, unknown>>;
}

/** A window of the fake editor that runs none of the product by itself. */
export function openWindow({
  folders = ['/workspace'],
  extensions = [],
  settings: values = {},
}: WindowOptions): OpenedWindow {
  const screen = new Screen({ isFocused: true });
  const settings = new UserSettings({ ...values });
  const current: WindowNature = {
    folders,
    isTrusted: true,
    remoteName: undefined,
    uiKind: 1,
    appName: 'Visual Studio Code',
    extensions: extensions as WindowNature['extensions'],
    hasTools: true,
  };
  const module = createVscode(screen, { settings, clipboard: { text: '' } }, { current });
  return { screen, settings, module };
}

let shown = openWindow({});

/** From now on the source finds this window where it imports `vscode`. */
export function show(window: OpenedWindow): void {
  shown = window;
}

/**
 * What a test gets for the module `vscode` (`scripts/fakeEditor.cjs`). The source is loaded once for all tests of a
 * process, so each look at a member asks the window that is shown.
 */
export const standIn: object = Object.defineProperties(
  {},
  Object.fromEntries(
    Object.keys(shown.module).map((name) => [
      name,
      { enumerable: true, get: () => shown.module[name as keyof typeof vscode] },
    ]),
  ),
);
