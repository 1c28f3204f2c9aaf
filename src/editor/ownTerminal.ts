import * as vscode from 'vscode';
import { plainLabel } from '../util/plainLabel';
import { homeFolder } from '../util/thisUser';

export type OwnTerminalOptions = vscode.TerminalOptions & {
  readonly cwd?: never;
  /** A folder on the side of this extension; the home folder if left out. */
  readonly folder?: string;
  /** Starts in the remote machine of the window instead. */
  readonly isRemote?: true;
};

/** Opens and shows a terminal on the side of this extension. */
export function showTerminal(options: OwnTerminalOptions): vscode.Terminal {
  const terminal = vscode.window.createTerminal(onThisSide(options));
  terminal.show();
  return terminal;
}

/** Opens a terminal in the place of another one, with its name. That one has to be there until it is open. */
export function openInPlaceOf(place: vscode.Terminal, options: OwnTerminalOptions): vscode.Terminal {
  const { location } = place.creationOptions;
  return vscode.window.createTerminal({
    ...onThisSide(options),
    name: plainLabel(place.name),
    // The editor area has no two terminals in one place.
    location: location ?? { parentTerminal: place },
  });
}

/** Returns a profile whose terminal runs on the side of this extension. */
export function terminalProfile(options: OwnTerminalOptions): vscode.TerminalProfile {
  return new vscode.TerminalProfile(onThisSide(options));
}

/**
 * The editor starts a terminal where the URI of its folder is. Without a URI it starts in the window's remote machine,
 * even for an extension that runs on the user's computer. A `file` URI is always on the side of the extension.
 */
function onThisSide({
  folder = homeFolder(),
  isRemote,
  ...options
}: OwnTerminalOptions): vscode.TerminalOptions {
  return isRemote === true ? options : { ...options, cwd: vscode.Uri.file(folder) };
}
