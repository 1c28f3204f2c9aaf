import * as vscode from 'vscode';
import { windowParts } from './windowParts';

export type MessageLevel = 'info' | 'warning' | 'error';

/** A button and its action. */
export interface Action<T = unknown> {
  readonly label: string;
  readonly run: () => T | PromiseLike<T>;
}

/** An action under a condition: `condition && { label, run }`. */
type Offered<T> = Action<T> | false | undefined;

/** Reports an error of an action that continues. */
export function reportProblem(error: unknown): void {
  windowParts().report(error);
}

/** Shows a message without waiting for it; an error of the chosen action is reported. */
export function message(level: MessageLevel, text: string, ...actions: readonly Offered<unknown>[]): void {
  void suggest(level, text, ...actions).catch((error: unknown) => {
    reportProblem(error);
  });
}

/** Shows a message and returns the result of the chosen action; `undefined` if the user closes the message. */
export function suggest<T>(
  level: MessageLevel,
  text: string,
  ...actions: readonly Offered<T>[]
): Promise<T | undefined> {
  return show(level, text, {}, actions);
}

/** Like `suggest`, in a modal dialog. */
export function ask<T>(
  level: MessageLevel,
  { message, detail }: { readonly message: string; readonly detail?: string | undefined },
  ...actions: readonly Offered<T>[]
): Promise<T | undefined> {
  return show(level, message, detail === undefined ? { modal: true } : { modal: true, detail }, actions);
}

async function show<T>(
  level: MessageLevel,
  text: string,
  options: vscode.MessageOptions,
  offered: readonly Offered<T>[],
): Promise<T | undefined> {
  const { window } = vscode;
  const items = offered.flatMap((action) => (action ? [{ ...action, title: action.label }] : []));
  const chosen = await (level === 'info'
    ? window.showInformationMessage(text, options, ...items)
    : level === 'warning'
      ? window.showWarningMessage(text, options, ...items)
      : window.showErrorMessage(text, options, ...items));
  return chosen?.run();
}
