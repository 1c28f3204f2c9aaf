import * as vscode from 'vscode';
import { formatText, type Text } from '../util/text';

/** Turns a sentence of the inner folders into the language of the editor. */
export function localize(value: Text | string): string {
  return formatText(value, (template) => vscode.l10n.t(template));
}
