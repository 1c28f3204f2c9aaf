import * as vscode from 'vscode';
import { UserError } from '../util/errors';
import { formatText, type Text, type TextArg } from '../util/text';

/** Turns a sentence of the inner folders into the language of the editor. */
export function localize(value: Text | string): string {
  return formatText(value, (template) => vscode.l10n.t(template));
}

/**
 * Makes a sentence of the editor's side; `{0}`, `{1}` … stand for the arguments. Every sentence is made here or by
 * `text`, so that whatever an argument holds becomes plain words. An argument that is a sentence itself is a `Text`.
 */
export function t(template: string, ...args: TextArg[]): string {
  return localize({ template, args });
}

/** Why something failed; undefined where only the log may say it. */
export function reasonOf(error: unknown): string | undefined {
  return error instanceof UserError ? localize(error.text) : undefined;
}
