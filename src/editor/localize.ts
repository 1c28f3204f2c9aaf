import * as vscode from 'vscode';
import { UserError } from '../util/errors';
import { formatText, type Text, type TextArg } from '../util/text';

/** Translates a sentence of the layers below the editor. */
export function localize(value: Text | string): string {
  return formatText(value, (template) => vscode.l10n.t(template));
}

/**
 * Returns a translated sentence; `{0}`, `{1}` … are its arguments. All sentences come from here or from `text`, which
 * turn arguments into plain text. An argument that is a sentence itself is a `Text`.
 */
export function t(template: string, ...args: TextArg[]): string {
  return localize({ template, args });
}

/** Returns the reason of a failure; `undefined` if only the log may contain it. */
export function reasonOf(error: unknown): string | undefined {
  return error instanceof UserError ? localize(error.text) : undefined;
}

/** Returns the language of our sentences, which a screen reader speaks: English unless they are translated. */
export function languageOfTexts(): string {
  return vscode.l10n.bundle === undefined ? 'en' : vscode.env.language;
}
