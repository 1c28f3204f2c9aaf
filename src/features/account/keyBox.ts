import * as vscode from 'vscode';
import { localize, t } from '../../editor/localize';
import { isCancelled, UserError } from '../../util/errors';

export interface KeyBox<T> {
  readonly title: string;
  readonly prompt: string;
  /** Checks the key; a `UserError` is shown in the box. */
  readonly check: (apiKey: string, signal: AbortSignal) => Promise<T>;
}

/** Asks for a key and keeps the box open, with the reason, until it is accepted or the user stops. */
export function askForKey<T>({ title, prompt, check }: KeyBox<T>): Promise<T | undefined> {
  const input = vscode.window.createInputBox();
  input.title = title;
  input.prompt = prompt;
  input.placeholder = t('API key');
  input.password = true;
  input.ignoreFocusOut = true;
  return new Promise((resolve, reject) => {
    let abort: AbortController | undefined;
    let done = false;
    const finish = (result: T | undefined) => {
      done = true;
      resolve(result);
      input.dispose();
    };
    input.onDidChangeValue(() => {
      input.validationMessage = undefined;
    });
    input.onDidAccept(() => {
      const apiKey = input.value.trim();
      if (apiKey === '' || abort) {
        input.validationMessage = t('Paste your key, or press Escape to stop.');
        return;
      }
      abort = new AbortController();
      input.busy = true;
      input.enabled = false;
      check(apiKey, abort.signal)
        .then(finish, (error: unknown) => {
          if (done) {
            return;
          }
          if (!(error instanceof UserError) && !isCancelled(error)) {
            reject(error instanceof Error ? error : new Error(String(error)));
            input.dispose();
            return;
          }
          input.validationMessage = error instanceof UserError ? localize(error.text) : undefined;
        })
        .finally(() => {
          abort = undefined;
          if (!done) {
            input.busy = false;
            input.enabled = true;
          }
        });
    });
    input.onDidHide(() => {
      abort?.abort();
      if (!done) {
        finish(undefined);
      }
    });
    input.show();
  });
}
