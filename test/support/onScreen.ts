import { setWindowParts } from '../../src/editor/windowParts';
import { systemClock } from '../../src/util/clock';
import type { Screen } from './fakeEditor/screen';
import type { UserSettings } from './fakeEditor/settings';
import { openWindow, show, type OpenedWindow, type WindowOptions } from './fakeEditor/standIn';

/** Opens a window of the fake editor, on which the source that a test imports shows what it says from now on. */
export function openScreen(options: WindowOptions = {}): Screen {
  const window = openWindow(options);
  showAlone(window);
  return window.screen;
}

/** The same for a test of settings, which gets those of the window. */
export function openSettings(options: WindowOptions): UserSettings {
  const window = openWindow(options);
  showAlone(window);
  return window.settings;
}

/** One window for all tests of a `describe`. */
export function useScreen(options: WindowOptions = {}): Screen {
  const window = openWindow(options);
  const open = () => {
    showAlone(window);
  };
  before(open);
  // Another `describe` within this one may have shown its own.
  beforeEach(open);
  return window.screen;
}

/** What another test left to the source of this process is gone. */
function showAlone(window: OpenedWindow): void {
  setWindowParts({ clock: systemClock });
  show(window);
}

type RunCommand = (id: string, args: readonly unknown[]) => unknown;

/** Has `run` stand for the commands of the product that the source runs by itself. */
export function runCommandsBy(run: RunCommand): void {
  setWindowParts({ commands: { run } });
}

/** The same for all tests of a `describe`. */
export function useCommands(run: RunCommand): void {
  beforeEach(() => {
    runCommandsBy(run);
  });
}

/** The messages that were shown since the last call, a line each: `level text [buttons]`. */
export function textsOn({ messages: { history } }: Screen): readonly string[] {
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
