import * as vscode from 'vscode';
import { t } from '../../editor/localize';
import type { Disposable } from '../../util/disposable';

type Looks = Pick<vscode.ExtensionTerminalOptions, 'name' | 'location'>;

/** A terminal without a program in the place of one that ended, whose text the editor drops. */
export class StandIn implements Disposable {
  readonly terminal: vscode.Terminal;
  private readonly written = new vscode.EventEmitter<string>();
  private readonly closed = new vscode.EventEmitter<void>();
  /** What is said before the editor shows it; `undefined` afterwards. */
  private early: string[] | undefined = [];
  private hasEnded = false;

  /** `onClose` is called once it is gone, whoever closed it. */
  constructor(looks: Looks, on: { readonly onKey?: () => void; readonly onClose?: () => void } = {}) {
    this.terminal = vscode.window.createTerminal({
      ...looks,
      iconPath: new vscode.ThemeIcon('debug-disconnect'),
      isTransient: true,
      pty: {
        onDidWrite: this.written.event,
        onDidClose: this.closed.event,
        open: () => {
          const lines = this.early ?? [];
          this.early = undefined;
          lines.forEach((line) => this.say(line));
        },
        close: () => {
          this.written.dispose();
          on.onClose?.();
        },
        handleInput: () => (this.hasEnded ? this.closed.fire() : on.onKey?.()),
      },
    });
  }

  say(line: string): void {
    if (this.early) {
      this.early.push(line);
    } else {
      this.written.fire(`${line}\r\n`);
    }
  }

  /** Says the last line; a key closes it from then on. */
  end(line: string): void {
    this.hasEnded = true;
    this.say(line);
    this.say(t('Press any key to close the terminal.'));
  }

  dispose(): void {
    this.terminal.dispose();
  }
}
