import * as vscode from 'vscode';
import type { WindowFocus } from './shared/oneWindow';
import type { SecretPort } from './store/ports';

/** Takes over what ends with the window. */
export type Own = <T extends vscode.Disposable>(item: T) => T;

/** Whether this window has the focus. */
export function windowFocus(own: Own): WindowFocus {
  const focus = own(new vscode.EventEmitter<boolean>());
  own(
    vscode.window.onDidChangeWindowState(({ focused }) => {
      focus.fire(focused);
    }),
  );
  return {
    get isFocused() {
      return vscode.window.state.focused;
    },
    onDidChange: (listener) => focus.event(listener),
  };
}

/** The secret store of the editor. */
export function secretPort(secrets: vscode.SecretStorage): SecretPort {
  return {
    get: async (key) => secrets.get(key),
    store: async (key, value) => secrets.store(key, value),
    delete: async (key) => secrets.delete(key),
    onDidChange: (listener) =>
      secrets.onDidChange(({ key }) => {
        listener(key);
      }),
  };
}
