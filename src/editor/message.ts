import * as vscode from 'vscode';

export type MessageLevel = 'info' | 'warning' | 'error';

/** A button, and what it does. */
export interface Action<T = unknown> {
  readonly label: string;
  readonly run: () => T | PromiseLike<T>;
}

/** An action that is offered under a condition: `condition && { label, run }`. */
type Offered<T> = Action<T> | false | undefined;

let reportError = (error: unknown): void => {
  throw error;
};

/** Called once, by the place that makes the services. */
export function reportMessageErrors(report: (error: unknown) => void): void {
  reportError = report;
}

/** Tells something. The caller goes on at once, and an error of the chosen action is reported. */
export function message(level: MessageLevel, text: string, ...actions: readonly Offered<unknown>[]): void {
  void suggest(level, text, ...actions).catch((error: unknown) => {
    reportError(error);
  });
}

/** Tells something and waits for the result of the chosen action; undefined where the message is closed. */
export function suggest<T>(
  level: MessageLevel,
  text: string,
  ...actions: readonly Offered<T>[]
): Promise<T | undefined> {
  return show(level, text, {}, actions);
}

/** The same in a dialog, which the user has to answer first. */
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
