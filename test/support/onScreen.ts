import { loadSource } from './fakeEditor/product';
import { Screen } from './fakeEditor/screen';
import { UserSettings } from './fakeEditor/settings';
import { createVscode, type WindowNature } from './fakeEditor/vscodeModule';

/** One file of the source on a stand-in for the editor, and the screen on which it shows what it says. */
export function onScreen(
  entry: string,
  folders: readonly string[] = ['/workspace'],
  extensions: readonly object[] = [],
): { readonly source: unknown; readonly screen: Screen } {
  const screen = new Screen({ isFocused: true });
  const current = {
    ...{
      folders,
      isTrusted: true,
      remoteName: undefined,
      uiKind: 1,
      appName: 'Visual Studio Code',
    },
    ...{ extensions, hasTools: true },
  } as unknown as WindowNature;
  const shared = { settings: new UserSettings({}), clipboard: { text: '' } };
  return { source: loadSource(entry, { vscode: createVscode(screen, shared, { current }) }), screen };
}

/** The messages that were shown since the last call, a line each: `level text [buttons]`. */
export function saidOn({ messages: { history } }: Screen): readonly string[] {
  return history
    .splice(0)
    .map(({ kind, modal, text, detail, buttons }) =>
      [
        modal ? `${kind} dialog` : kind,
        text,
        ...(detail === undefined ? [] : [`// ${detail}`]),
        `[${buttons.join(', ')}]`,
      ].join(' '),
    );
}
