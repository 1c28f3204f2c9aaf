import type * as vscode from 'vscode';

export type MessageKind = 'info' | 'warning' | 'error' | 'progress';

/** One pop-up, modal question or progress that is shown until it is answered, closed or over. */
export interface ShownMessage {
  readonly kind: MessageKind;
  readonly modal: boolean;
  /** For progress: title and what was reported last. */
  text: string;
  readonly detail: string | undefined;
  readonly buttons: readonly string[];
  /** A test has found it; at the end of a test none that warns may be left that was not. */
  wasSeen: boolean;
  press(button: string): void;
  close(): void;
}

type Item = string | vscode.MessageItem;

/** The pop-ups and modal questions of one window. */
export class Messages {
  readonly shown: ShownMessage[] = [];
  /** All that were ever shown, for closing checks. */
  readonly history: ShownMessage[] = [];
  /** Called for each as it appears. */
  onDidShow: (message: ShownMessage) => void = () => undefined;

  /** A click on a pop-up takes the focus from the list or box that is open. */
  constructor(private readonly quick: { loseFocus(): void } = { loseFocus: () => undefined }) {}

  show(kind: MessageKind, text: string, rest: readonly unknown[]): Promise<unknown> {
    const [first] = rest;
    const hasOptions = typeof first === 'object' && first !== null && !('title' in first);
    const options = (hasOptions ? first : {}) as vscode.MessageOptions;
    const items = (hasOptions ? rest.slice(1) : rest) as Item[];
    return new Promise((resolve) => {
      const modal = options.modal === true;
      const buttons = items.map(titleOf);
      const isClosing = items.find((item) => typeof item !== 'string' && item.isCloseAffordance === true);
      // The editor adds a button that closes a modal question, unless one of the given ones does.
      const close = modal && isClosing === undefined ? (items.length === 0 ? ['OK'] : ['Cancel']) : [];
      const end = (value: unknown) => {
        if (this.remove(message)) {
          resolve(value);
        }
      };
      const message = this.add({
        kind,
        modal,
        text,
        detail: options.detail,
        buttons: [...buttons, ...close],
        press: (button) => {
          if (!modal) {
            this.quick.loseFocus();
          }
          if (close.includes(button)) {
            end(undefined);
          } else {
            end(items[indexOf(buttons, button, text)]);
          }
        },
        close: () => {
          end(isClosing);
        },
      });
    });
  }

  /** The editor keeps one of several equal pop-ups: the newest. */
  private add(message: Omit<ShownMessage, 'wasSeen'>): ShownMessage {
    const shown = Object.assign(message, { wasSeen: false });
    if (!shown.modal && shown.kind !== 'progress') {
      const same = this.shown.find(
        (other) => !other.modal && other.kind === shown.kind && other.text === shown.text,
      );
      same?.close();
    }
    this.shown.push(shown);
    this.history.push(shown);
    this.onDidShow(shown);
    return shown;
  }

  /** Shows progress until `task` is over. */
  async progress<T>(
    options: { readonly title: string; readonly cancellable: boolean | string },
    source: vscode.CancellationTokenSource,
    task: (report: (message: string) => void) => PromiseLike<T>,
  ): Promise<T> {
    const message = this.add({
      kind: 'progress',
      modal: false,
      text: options.title,
      detail: undefined,
      buttons: buttonsOf(options.cancellable),
      press: (button) => {
        this.quick.loseFocus();
        indexOf(message.buttons, button, message.text);
        source.cancel();
      },
      close: () => undefined,
    });
    try {
      return await task((said) => {
        message.text = `${options.title}: ${said}`;
      });
    } finally {
      this.remove(message);
    }
  }

  private remove(message: ShownMessage): boolean {
    const index = this.shown.indexOf(message);
    if (index >= 0) {
      this.shown.splice(index, 1);
    }
    return index >= 0;
  }
}

function titleOf(item: Item): string {
  return typeof item === 'string' ? item : item.title;
}

function indexOf(buttons: readonly string[], button: string, text: string): number {
  const index = buttons.indexOf(button);
  if (index < 0) {
    throw new Error(`"${text}" has no button "${button}"; it has: ${buttons.join(', ')}`);
  }
  return index;
}

/** The button of a progress has the label that is given in place of `true`. */
function buttonsOf(cancellable: boolean | string): readonly string[] {
  if (typeof cancellable === 'string') {
    return [cancellable];
  }
  return cancellable ? ['Cancel'] : [];
}
