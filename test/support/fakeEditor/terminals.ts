import type * as vscode from 'vscode';
import { FakeEventEmitter } from './events';

export interface FakeTerminal {
  readonly name: string;
  readonly creationOptions: vscode.TerminalOptions;
  /** Where its program runs. */
  readonly side: 'local' | 'remote';
  exitStatus: { readonly code: number | undefined; readonly reason: number } | undefined;
  /** Lines that were sent to it. */
  readonly sent: string[];
  isShown: boolean;
  readonly shellIntegration: undefined;
  readonly processId: Promise<number | undefined>;
  show(): void;
  hide(): void;
  sendText(line: string): void;
  dispose(): void;
}

/** Terminals as records of how they were opened; no program runs in them. */
export class Terminals {
  readonly all: FakeTerminal[] = [];
  readonly opened = new FakeEventEmitter<FakeTerminal>();
  readonly closed = new FakeEventEmitter<FakeTerminal>();
  readonly activeChanged = new FakeEventEmitter<FakeTerminal | undefined>();
  readonly history: FakeTerminal[] = [];

  create(options: vscode.TerminalOptions, remoteName: string | undefined): FakeTerminal {
    const terminal: FakeTerminal = {
      name: options.name ?? 'Terminal',
      creationOptions: options,
      side: sideOf(options, remoteName),
      exitStatus: undefined,
      sent: [],
      isShown: false,
      shellIntegration: undefined,
      processId: Promise.resolve(undefined),
      show: () => {
        terminal.isShown = true;
      },
      hide: () => {
        terminal.isShown = false;
      },
      sendText: (line) => void terminal.sent.push(line),
      dispose: () => {
        // The editor ends the program first, and reports the end later.
        setImmediate(() => {
          this.close(terminal, undefined);
        });
      },
    };
    this.all.push(terminal);
    this.history.push(terminal);
    this.opened.fire(terminal);
    return terminal;
  }

  /** As if its program ended with this code, or for the reason that is given. */
  close(terminal: FakeTerminal, code: number | undefined, reason = code === undefined ? 4 : 2): void {
    const index = this.all.indexOf(terminal);
    if (index < 0) {
      return;
    }
    this.all.splice(index, 1);
    terminal.exitStatus = { code, reason };
    ptyOf(terminal)?.close();
    this.closed.fire(terminal);
  }
}

function ptyOf({ creationOptions }: FakeTerminal): vscode.Pseudoterminal | undefined {
  return 'pty' in creationOptions
    ? (creationOptions as unknown as vscode.ExtensionTerminalOptions).pty
    : undefined;
}

/** Shows a terminal without a program: what it writes from now on, whether it closes itself, and keys for it. */
export function showWithoutProgram(terminal: FakeTerminal) {
  const pty = ptyOf(terminal);
  const shown = { text: '', isClosed: false, press: () => pty?.handleInput?.('x') };
  pty?.onDidWrite((part) => (shown.text += part));
  pty?.onDidClose?.(() => (shown.isClosed = true));
  pty?.open(undefined);
  return shown;
}

/** The editor starts a program where the URI of its folder is; without one, in the remote machine of its window. */
export function sideOf(
  { cwd }: vscode.TerminalOptions,
  remoteName: string | undefined,
): FakeTerminal['side'] {
  if (typeof cwd === 'object') {
    return cwd.scheme === 'file' ? 'local' : 'remote';
  }
  return remoteName === undefined ? 'local' : 'remote';
}
